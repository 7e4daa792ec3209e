"""The actor: takes run requests, and starts a run or says everything that is wrong."""

from __future__ import annotations

import hashlib

import msgspec

from services.discovery.deps import Deps
from services.discovery.input_table import read_table
from services.discovery.planning.plan import (
    Plan,
    checked_spec,
    new_plan,
    option_problems,
    readable_spec,
    resumed_plan,
    round_record,
)
from services.discovery.planning.replay_plan import REPLAY, replayable
from services.discovery.planning.search_plan import discovers, discovery_plan
from services.discovery.population.samples import capped
from services.discovery.preflight import access_problems, planner_problems
from services.discovery.replay_logs import log_problems
from services.discovery.run_ids import rejected_id
from services.discovery.search import closed, take_in
from services.discovery.start_run import created, started
from shared.bus.actor import Actor
from shared.contracts.discovery import (
    PopulationClosed,
    Problem,
    RunAccepted,
    RunRecord,
    RunRejected,
    SubmissionRejected,
    SubmitReply,
    SubmitRun,
)
from shared.contracts.evidence import RunFinished, RunUnknown
from shared.contracts.planner import SampleFinished, SamplesListed
from shared.run_loading import load_run
from shared.streams import RUNS, samples_of
from shared.subjects import (
    POPULATION_CLOSED,
    RUN_FINISHED,
    RUN_REJECTED,
    SAMPLE_FINISHED,
    SAMPLES_LISTED,
    SUBMIT_RUN,
)
from shared.text.names import DISCOVERY

SUBMIT_DEADLINE_S = 110.0
LISTED_DEADLINE_S = 120.0
FOR_EVER = None
"""What was listed is never given up: it would be missing from the population."""

actor: Actor[Deps] = Actor("discovery")


@actor.answers(SUBMIT_RUN, deadline_s=SUBMIT_DEADLINE_S)
async def submit_run(request: SubmitRun, deps: Deps) -> SubmitReply:
    """Starts the run, or the resumed round of one, that was asked for; nothing at all where anything is wrong."""
    problems = option_problems(request, deps.planners)
    if request.resume_run_id is not None:
        return await _resume(request, request.resume_run_id, problems, deps)
    if request.replay_run_id is not None:
        return await _replay(request, request.replay_run_id, problems, deps)
    plan, more = await _plan(request, deps)
    more = (*more, *await access_problems(request.spec or {}, deps.asks))
    more = (*more, *await access_problems(request.discovery or {}, deps.asks, "discovery"))
    if not problems:
        more = (*more, *await planner_problems(request.planner, deps.asks))
    if plan is None or problems or more:
        return await _rejected(request, (*problems, *more), deps)
    return await started(await created(plan, request, deps), plan, deps)


@actor.handles(SAMPLES_LISTED, max_attempts=FOR_EVER, deadline_s=LISTED_DEADLINE_S)
async def samples_listed(message: SamplesListed, deps: Deps, attempt: int) -> None:
    """Samples, of what a page of a list shows; each is worked on from now."""
    await take_in(message, deps)


@actor.handles(SAMPLE_FINISHED, emits=POPULATION_CLOSED, max_attempts=FOR_EVER)
async def sample_finished(message: SampleFinished, deps: Deps, attempt: int) -> PopulationClosed | None:
    """The end of the sample that finds the others is the end of the population."""
    return await closed(message, deps) if message.sample_id == DISCOVERY else None


@actor.handles(RUN_FINISHED)
async def run_finished(message: RunFinished, deps: Deps, attempt: int) -> None:
    """The queue of that round is no longer needed; that of a later round has another name."""
    await deps.queues.close_queue(samples_of(message.run_id, 1, message.attempt_base))


async def _plan(request: SubmitRun, deps: Deps) -> tuple[Plan | None, tuple[Problem, ...]]:
    """The plan of a new run. A spec that is wrong is no reason to keep quiet about the file."""
    if discovers(request):
        return discovery_plan(request)
    spec, problems = checked_spec(request)
    if request.samples is None and request.input_file is None:
        return None, problems
    table, more = await read_table(request, deps)
    if spec is None:
        spec = readable_spec(request.spec or {}, problems)
    if spec is None or table is None:
        return None, (*problems, *more)
    plan, last = new_plan(request, spec, table)
    return plan, (*problems, *more, *last)


async def _resume(request: SubmitRun, run_id: str, problems: tuple[Problem, ...], deps: Deps) -> SubmitReply:
    loaded = await load_run(deps.asks, run_id)
    if isinstance(loaded, RunUnknown):
        return await _rejected(request, (*problems, Problem(where="resume_run_id", message=loaded.message)), deps)
    on_bus: RunRecord | None = await deps.records.read(RUNS, run_id, RunRecord)
    plan, more = resumed_plan(request, loaded, on_bus)
    more = (*more, *await access_problems(plan.spec, deps.asks))
    more = (*more, *await access_problems(plan.discovery or {}, deps.asks, "discovery"))
    if not problems:
        more = (*more, *await planner_problems(plan.planner, deps.asks))
    if problems or more:
        return await _rejected(request, (*problems, *more), deps)
    record = round_record(loaded.record, plan)
    # Where the bus has outlived the round before, the record is there already.
    await deps.records.create(RUNS, run_id, record)
    accepted: RunAccepted = await started(record, plan, deps)
    return accepted


async def _replay(request: SubmitRun, run_id: str, problems: tuple[Problem, ...], deps: Deps) -> SubmitReply:
    """A run of its own that takes the recorded steps of another one again."""
    loaded = await load_run(deps.asks, run_id)
    if isinstance(loaded, RunUnknown):
        return await _rejected(request, (*problems, Problem(where="replay_run_id", message=loaded.message)), deps)
    spec = loaded.record.spec
    samples, more = replayable(request, loaded, await log_problems(request, loaded, deps.asks))
    more = (*more, *await access_problems(spec, deps.asks))
    if problems or more:
        return await _rejected(request, (*problems, *more), deps)
    concurrency = request.concurrency or loaded.record.concurrency
    plan = Plan(
        spec,
        REPLAY,
        concurrency,
        samples,
        len(samples),
        input_columns=loaded.record.input_columns,
        replay_run_id=run_id,
        allow_effects=request.allow_effects,
    )
    return await started(await created(plan, request, deps), plan, deps)


async def _rejected(request: SubmitRun, problems: tuple[Problem, ...], deps: Deps) -> RunRejected:
    """Said in the reply, and as an event for clients that wait for none."""
    listed = capped(problems)
    digest = hashlib.sha256(msgspec.json.encode(request)).hexdigest()
    event = SubmissionRejected(run_id=rejected_id(deps.now(), digest), problems=listed)
    await deps.publishes.publish(RUN_REJECTED, event)
    return RunRejected(problems=listed)
