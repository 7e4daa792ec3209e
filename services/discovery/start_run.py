"""Start a run: its record, its queue and its samples, in an order that survives a crash at any point.

The whole population is published before any sample is queued. After a crash, whoever takes the request up again
(`submissions.py`) goes on with the same run: what is published twice counts once. When the samples are found by
navigating, only the search is queued here (see `search.py`).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from services.discovery.deps import PUBLISH_LIMIT, DiscoveryDeps
from services.discovery.planning.plan import RunPlan, run_ids
from services.discovery.planning.search_plan import discovery_sample
from services.discovery.search import open_search, publish_work
from services.discovery.submissions import Submission, decide_once
from shared.aio import map_concurrently
from shared.client import LOAD_BOUND_S, run_exists
from shared.contracts.discovery import (
    PopulationClosed,
    RunAccepted,
    RunRecord,
    RunStarted,
    Sample,
    SampleFound,
    SubmitRun,
)
from shared.contracts.evidence import LoadReply, LoadRun, RunUnknown
from shared.contracts.planner import WorkSample
from shared.errors import PermanentError, TransientError, as_unavailable
from shared.hashing import rows_sha256, search_sha256
from shared.streams import RUNS, samples_of
from shared.subjects import LOAD_RUN, POPULATION_CLOSED, RUN_STARTED, SAMPLE_FOUND
from shared.submission.search import is_list_only


async def create_run(plan: RunPlan, request: SubmitRun, begun: Submission, deps: DiscoveryDeps) -> RunRecord:
    """Create the record of a new run under the first free run id, or return that of the run which was begun."""
    if not begun.run_id:
        made = await _create_record(plan, request, deps)
        begun = await decide_once(request, Submission(request=request, run_id=made.run_id), deps)
        if begun.run_id == made.run_id:
            return made
    record: RunRecord | None = await deps.records.read(RUNS, begun.run_id, RunRecord)
    if record is None:
        raise PermanentError(f"there is no record of run {begun.run_id!r}", code="unknown_run")
    return record


async def _create_record(plan: RunPlan, request: SubmitRun, deps: DiscoveryDeps) -> RunRecord:
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
            register=plan.register,
            input_reading=plan.input_reading,
            register_reading=plan.register_reading,
            schedule=request.schedule,
            follows=request.follows,
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


async def start_round(record: RunRecord, plan: RunPlan, deps: DiscoveryDeps, *, again: bool = False) -> RunAccepted:
    """Open the queue of a run or of a resumed round, publish its start and its population, and queue its samples.

    ``again``: another process may have done a part of it, or all.
    """
    run_id, base = record.run_id, plan.attempt_base
    if again and await _has_ended(run_id, base, deps):
        return _accepted(record, plan)
    async with _run_named_in_errors(run_id):
        if plan.replaces is not None:
            await deps.queues.close_queue(samples_of(run_id, plan.concurrency, plan.replaces))
        await deps.queues.open_queue(samples_of(run_id, plan.concurrency, base))
        searches = plan.discovery is not None
        event = RunStarted(run_id=run_id, record=record, attempt_base=base, discovering=searches)
        await deps.publishes.publish(RUN_STARTED, event)
        if searches:
            await _publish_search(record, plan, deps, again=again)
        else:
            await _publish_population(run_id, plan, deps)
        if not is_list_only(plan.spec):
            await map_concurrently(
                lambda sample: _publish_work(run_id, sample, base, deps, again=again), plan.samples, PUBLISH_LIMIT
            )
    return _accepted(record, plan)


def _accepted(record: RunRecord, plan: RunPlan) -> RunAccepted:
    return RunAccepted(
        run_id=record.run_id,
        samples=len(plan.samples),
        already_done=plan.population - len(plan.samples),
        attempt_base=plan.attempt_base,
        discovering=plan.discovery is not None,
    )


async def _has_ended(run_id: str, attempt_base: int, deps: DiscoveryDeps) -> bool:
    """Whether the round is over, so that all of it was published."""
    loaded: LoadReply = await deps.asks.ask(LOAD_RUN, LoadRun(run_id=run_id, count_only=True), timeout_s=LOAD_BOUND_S)
    if isinstance(loaded, RunUnknown) or loaded.finished is None:
        return False
    return loaded.finished.attempt_base >= attempt_base


async def _publish_population(run_id: str, plan: RunPlan, deps: DiscoveryDeps) -> None:
    """Publish all samples (in the first round), then that the population is closed."""
    if plan.attempt_base == 0:
        await map_concurrently(lambda sample: _publish_found(run_id, sample, deps), plan.samples, PUBLISH_LIMIT)
    closed = PopulationClosed(run_id=run_id, samples=plan.population, attempt_base=plan.attempt_base)
    await deps.publishes.publish(POPULATION_CLOSED, closed)


async def _publish_search(record: RunRecord, plan: RunPlan, deps: DiscoveryDeps, *, again: bool) -> None:
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
    await publish_work(work, deps, again=again)


async def _publish_found(run_id: str, sample: Sample, deps: DiscoveryDeps) -> None:
    found = SampleFound(run_id=run_id, sample_id=sample.sample_id, sample=sample, found_at=deps.now())
    await deps.publishes.publish(SAMPLE_FOUND, found)


async def _publish_work(run_id: str, sample: Sample, attempt_base: int, deps: DiscoveryDeps, *, again: bool) -> None:
    work = WorkSample(run_id=run_id, sample_id=sample.sample_id, sample=sample, attempt_base=attempt_base)
    await publish_work(work, deps, again=again)


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
