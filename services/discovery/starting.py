"""Starting a run: its record, its queue, its samples, in an order that survives being cut off anywhere.

The population is published whole before any sample is put to work. Cut off before it is closed, nothing
has been worked on and the run cannot be resumed; cut off after, a resumed round finds what is left.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from services.discovery.deps import Deps
from services.discovery.plan import Plan
from services.discovery.run_ids import run_ids
from shared.contracts.discovery import PopulationClosed, RunAccepted, RunRecord, RunStarted, Sample, SampleFound
from shared.contracts.evidence import LoadRun, RunLoaded
from shared.contracts.planner import WorkSample
from shared.errors import TransientError, Unavailable
from shared.streams import RUNS, samples_of
from shared.subjects import LOAD_RUN, POPULATION_CLOSED, RUN_STARTED, SAMPLE_FOUND, WORK_SAMPLE

LOAD_BOUND_S = 60.0
AT_ONCE = 100
"""Publishes under way at a time: enough to hide the server's round trip, few enough to bound what is held."""


async def created(plan: Plan, requested_by: str, deps: Deps) -> RunRecord:
    """The record of a new run, kept under the first free name."""
    now = deps.now()
    for run_id in run_ids(now):
        if await _known(run_id, deps):
            continue
        record = RunRecord(
            run_id=run_id,
            spec=plan.spec,
            planner=plan.planner,
            concurrency=plan.concurrency,
            created_at=now,
            requested_by=requested_by,
        )
        if await deps.records.create(RUNS, run_id, record):
            return record
    raise AssertionError("names never run out")


async def _known(run_id: str, deps: Deps) -> bool:
    """Evidence outlives the bus: a name that is free here may be taken there."""
    return isinstance(await deps.asks.ask(LOAD_RUN, LoadRun(run_id=run_id), timeout_s=LOAD_BOUND_S), RunLoaded)


async def started(record: RunRecord, plan: Plan, deps: Deps) -> RunAccepted:
    """Publishes all that a run, or a resumed round of it, begins with."""
    run_id, base = record.run_id, plan.attempt_base
    async with _named(run_id):
        if plan.replaces is not None:
            await deps.queues.close_queue(samples_of(run_id, plan.concurrency, plan.replaces))
        await deps.queues.open_queue(samples_of(run_id, plan.concurrency, base))
        await deps.publishes.publish(RUN_STARTED, RunStarted(run_id=run_id, record=record, attempt_base=base))
        if base == 0:
            await _each(plan.samples, lambda sample: _found(run_id, sample, deps))
        closed = PopulationClosed(run_id=run_id, samples=plan.population, attempt_base=base)
        await deps.publishes.publish(POPULATION_CLOSED, closed)
        await _each(plan.samples, lambda sample: _work(run_id, sample, base, deps))
    done = plan.population - len(plan.samples)
    return RunAccepted(run_id=run_id, samples=len(plan.samples), already_done=done, attempt_base=base)


async def _found(run_id: str, sample: Sample, deps: Deps) -> None:
    found = SampleFound(run_id=run_id, sample_id=sample.sample_id, sample=sample, found_at=deps.now())
    await deps.publishes.publish(SAMPLE_FOUND, found)


async def _work(run_id: str, sample: Sample, attempt_base: int, deps: Deps) -> None:
    work = WorkSample(run_id=run_id, sample_id=sample.sample_id, sample=sample, attempt_base=attempt_base)
    await deps.publishes.publish(WORK_SAMPLE, work)


async def _each(samples: Sequence[Sample], act: Callable[[Sample], Awaitable[None]]) -> None:
    """``act`` on every sample, in order, some at a time; the first error ends it."""
    for start in range(0, len(samples), AT_ONCE):
        outcomes = await asyncio.gather(*map(act, samples[start : start + AT_ONCE]), return_exceptions=True)
        for error in filter(None, outcomes):
            raise error


@asynccontextmanager
async def _named(run_id: str) -> AsyncGenerator[None]:
    """A run that could not be started whole is not lost without a word: the error names it."""
    try:
        yield
    except TransientError as exc:
        told = f"the run {run_id} was only partly started: {exc}; resume it or, where that is refused, submit it again"
        raise Unavailable(told, code=exc.code) from exc
