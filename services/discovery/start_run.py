"""Start a run: its record, its queue and its samples, in an order that survives a crash at any point.

The whole population is published before any sample is queued. After a crash before it is closed, no sample was worked
on and the run cannot be resumed; after a later one, a resumed round finds what is left. When the samples are found by
navigating, only the search is queued here (see `search.py`).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from services.discovery.deps import PUBLISH_LIMIT, DiscoveryDeps
from services.discovery.planning.plan import RunPlan, run_ids
from services.discovery.planning.search_plan import discovery_sample, is_list_only
from services.discovery.search import open_search
from shared.aio import map_concurrently
from shared.client import run_exists
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
from shared.errors import TransientError, as_unavailable
from shared.hashing import rows_sha256, search_sha256
from shared.streams import RUNS, samples_of
from shared.subjects import POPULATION_CLOSED, RUN_STARTED, SAMPLE_FOUND, WORK_SAMPLE


async def create_run(plan: RunPlan, request: SubmitRun, deps: DiscoveryDeps) -> RunRecord:
    """Create the record of a new run under the first free run id."""
    now = deps.now()
    for run_id in run_ids(now):
        if await run_exists(deps.asks, run_id):  # evidence outlives the bus, so check its runs too
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
            mode=plan.mode,
            compiles=plan.compiles,
        )
        if await deps.records.create(RUNS, run_id, record):
            return record
    raise AssertionError("run_ids() is infinite")


def input_sha256(plan: RunPlan, request: SubmitRun) -> str:
    """Return the hash of what the samples come from; empty for a replay."""
    if request.input_file is not None:
        return request.input_file.sha256.lower()
    if request.samples is not None:
        return rows_sha256(request.samples)
    return search_sha256(plan.discovery, plan.discovery_row) if plan.discovery is not None else ""


async def start_round(record: RunRecord, plan: RunPlan, deps: DiscoveryDeps) -> RunAccepted:
    """Open the queue of a run or of a resumed round, publish its start and its population, and queue its samples."""
    run_id, base = record.run_id, plan.attempt_base
    async with _run_named_in_errors(run_id):
        if plan.replaces is not None:
            await deps.queues.close_queue(samples_of(run_id, plan.concurrency, plan.replaces))
        await deps.queues.open_queue(samples_of(run_id, plan.concurrency, base))
        searches = plan.discovery is not None
        event = RunStarted(run_id=run_id, record=record, attempt_base=base, discovering=searches)
        await deps.publishes.publish(RUN_STARTED, event)
        await (_publish_search(record, plan, deps) if searches else _publish_population(run_id, plan, deps))
        if not is_list_only(plan.spec):
            await map_concurrently(
                lambda sample: _publish_work(run_id, sample, base, deps), plan.samples, PUBLISH_LIMIT
            )
    done = plan.population - len(plan.samples)
    return RunAccepted(
        run_id=run_id, samples=len(plan.samples), already_done=done, attempt_base=base, discovering=searches
    )


async def _publish_population(run_id: str, plan: RunPlan, deps: DiscoveryDeps) -> None:
    """Publish all samples (in the first round), then that the population is closed."""
    if plan.attempt_base == 0:
        await map_concurrently(lambda sample: _publish_found(run_id, sample, deps), plan.samples, PUBLISH_LIMIT)
    closed = PopulationClosed(run_id=run_id, samples=plan.population, attempt_base=plan.attempt_base)
    await deps.publishes.publish(POPULATION_CLOSED, closed)


async def _publish_search(record: RunRecord, plan: RunPlan, deps: DiscoveryDeps) -> None:
    """Queue the pseudo sample that finds the others, before any of them."""
    await open_search(record.run_id, plan.attempt_base, plan.known, deps)
    sample = discovery_sample(record)
    work = WorkSample(
        run_id=record.run_id,
        sample_id=sample.sample_id,
        sample=sample,
        attempt_base=plan.attempt_base,
        discover=True,
    )
    await deps.publishes.publish(WORK_SAMPLE, work)


async def _publish_found(run_id: str, sample: Sample, deps: DiscoveryDeps) -> None:
    found = SampleFound(run_id=run_id, sample_id=sample.sample_id, sample=sample, found_at=deps.now())
    await deps.publishes.publish(SAMPLE_FOUND, found)


async def _publish_work(run_id: str, sample: Sample, attempt_base: int, deps: DiscoveryDeps) -> None:
    work = WorkSample(run_id=run_id, sample_id=sample.sample_id, sample=sample, attempt_base=attempt_base)
    await deps.publishes.publish(WORK_SAMPLE, work)


@asynccontextmanager
async def _run_named_in_errors(run_id: str) -> AsyncGenerator[None]:
    """Add the run id to a TransientError, so that a partly started run can be resumed."""
    try:
        yield
    except TransientError as exc:
        message = (
            f"the run {run_id} was only partly started: {exc}; resume it or, where that is refused, submit it again"
        )
        raise as_unavailable(exc, message) from exc
