"""Starting a run: its record, its queue, its samples, in an order that survives being cut off anywhere.

The population is published whole before any sample is put to work. Cut off before it is closed, nothing
has been worked on and the run cannot be resumed; cut off after, a resumed round finds what is left.
Where the samples are found by navigating, only what finds them is put to work here (see `found.py`).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from services.discovery.deps import PUBLISH_LIMIT, Deps
from services.discovery.planning.plan import Plan
from services.discovery.planning.search_plan import discovery_sample, lists_only
from services.discovery.run_ids import run_ids
from services.discovery.search import open_listing
from shared.aio import map_concurrently
from shared.contracts.discovery import (
    PopulationClosed,
    RunAccepted,
    RunRecord,
    RunStarted,
    Sample,
    SampleFound,
    SubmitRun,
)
from shared.contracts.planner import WorkSample
from shared.errors import TransientError, reworded
from shared.hashing import rows_sha256, search_sha256
from shared.run_loading import run_exists
from shared.streams import RUNS, samples_of
from shared.subjects import POPULATION_CLOSED, RUN_STARTED, SAMPLE_FOUND, WORK_SAMPLE


async def created(plan: Plan, request: SubmitRun, deps: Deps) -> RunRecord:
    """The record of a new run, kept under the first free name."""
    now = deps.now()
    for run_id in run_ids(now):
        if await run_exists(
            deps.asks, run_id
        ):  # evidence outlives the bus: a name that is free here may be taken there
            continue
        record = RunRecord(
            run_id=run_id,
            spec=plan.spec,
            planner=plan.planner,
            concurrency=plan.concurrency,
            created_at=now,
            requested_by=request.requested_by,
            input_sha256=input_sha256(plan, request),
            discovery_spec=plan.discovery,
            discovery_row=plan.discovery_row,
            input_columns=plan.input_columns,
            replay_run_id=plan.replay_run_id,
            allow_effects=plan.allow_effects,
        )
        if await deps.records.create(RUNS, run_id, record):
            return record
    raise AssertionError("names never run out")


def input_sha256(plan: Plan, request: SubmitRun) -> str:
    """Empty where the samples are those of another run."""
    if request.input_file is not None:
        return request.input_file.sha256.lower()
    if request.samples is not None:
        return rows_sha256(request.samples)
    return search_sha256(plan.discovery, plan.discovery_row) if plan.discovery is not None else ""


async def started(record: RunRecord, plan: Plan, deps: Deps) -> RunAccepted:
    """Publishes all that a run, or a resumed round of it, begins with."""
    run_id, base = record.run_id, plan.attempt_base
    async with _named(run_id):
        if plan.replaces is not None:
            await deps.queues.close_queue(samples_of(run_id, plan.concurrency, plan.replaces))
        await deps.queues.open_queue(samples_of(run_id, plan.concurrency, base))
        more = plan.discovery is not None
        event = RunStarted(run_id=run_id, record=record, attempt_base=base, discovering=more)
        await deps.publishes.publish(RUN_STARTED, event)
        await (_search(record, plan, deps) if more else _population(run_id, plan, deps))
        if not lists_only(plan.spec):
            await map_concurrently(lambda sample: _work(run_id, sample, base, deps), plan.samples, PUBLISH_LIMIT)
    done = plan.population - len(plan.samples)
    return RunAccepted(run_id=run_id, samples=len(plan.samples), already_done=done, attempt_base=base, discovering=more)


async def _population(run_id: str, plan: Plan, deps: Deps) -> None:
    """All samples, and that they are all."""
    if plan.attempt_base == 0:
        await map_concurrently(lambda sample: _found(run_id, sample, deps), plan.samples, PUBLISH_LIMIT)
    closed = PopulationClosed(run_id=run_id, samples=plan.population, attempt_base=plan.attempt_base)
    await deps.publishes.publish(POPULATION_CLOSED, closed)


async def _search(record: RunRecord, plan: Plan, deps: Deps) -> None:
    """The work that finds the samples; it comes first in the queue."""
    await open_listing(record.run_id, plan.attempt_base, plan.known, deps)
    sample = discovery_sample(record)
    work = WorkSample(
        run_id=record.run_id,
        sample_id=sample.sample_id,
        sample=sample,
        attempt_base=plan.attempt_base,
        discover=True,
    )
    await deps.publishes.publish(WORK_SAMPLE, work)


async def _found(run_id: str, sample: Sample, deps: Deps) -> None:
    found = SampleFound(run_id=run_id, sample_id=sample.sample_id, sample=sample, found_at=deps.now())
    await deps.publishes.publish(SAMPLE_FOUND, found)


async def _work(run_id: str, sample: Sample, attempt_base: int, deps: Deps) -> None:
    work = WorkSample(run_id=run_id, sample_id=sample.sample_id, sample=sample, attempt_base=attempt_base)
    await deps.publishes.publish(WORK_SAMPLE, work)


@asynccontextmanager
async def _named(run_id: str) -> AsyncGenerator[None]:
    """A run that could not be started whole is not lost without a word: the error names it."""
    try:
        yield
    except TransientError as exc:
        told = f"the run {run_id} was only partly started: {exc}; resume it or, where that is refused, submit it again"
        raise reworded(exc, told) from exc
