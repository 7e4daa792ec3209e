"""The actor: accepts run requests, and starts a run or rejects the request with every problem."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import msgspec

from services.discovery.deps import DiscoveryDeps
from services.discovery.input_table import read_register, read_table
from services.discovery.planning.plan import (
    RunPlan,
    is_compiled,
    mode_of,
    new_plan,
    rejected_run_id,
    resumed_plan,
    round_record,
    select_replayable,
)
from services.discovery.planning.search_plan import discovery_plan
from services.discovery.preflight import check_access, check_logs, check_planner
from services.discovery.scheduling.schedules import add_schedule, change_schedule, list_schedules
from services.discovery.search import add_listed_samples, close_search
from services.discovery.start_run import create_run, start_round
from services.discovery.steering.apply import apply_control
from services.discovery.stored_inputs import store_input_part
from services.discovery.submissions import Submission, decide_once, submit_once
from shared.bus.actor import Actor
from shared.client import load_run
from shared.contracts.discovery import (
    FileReading,
    InputStored,
    PopulationClosed,
    Problem,
    Register,
    RunAccepted,
    RunRecord,
    RunRejected,
    StoreInput,
    SubmissionRejected,
    SubmitReply,
    SubmitRun,
)
from shared.contracts.evidence import RunFinished, RunUnknown
from shared.contracts.planner import SampleFinished, SamplesListed
from shared.contracts.scheduling import AddSchedule, ChangeSchedule, ListSchedules, ScheduleReply, SchedulesListed
from shared.contracts.sessions.control import ControlReply, ControlRun
from shared.streams import RUNS, samples_of
from shared.subjects import (
    ADD_SCHEDULE,
    CHANGE_SCHEDULE,
    CONTROL_RUN,
    LIST_SCHEDULES,
    POPULATION_CLOSED,
    RUN_FINISHED,
    RUN_REJECTED,
    SAMPLE_FINISHED,
    SAMPLES_LISTED,
    STORE_INPUT,
    SUBMIT_RUN,
)
from shared.submission.register import check_register
from shared.submission.request import REPLAY, check_population, find_option_problems
from shared.submission.samples import first_problems
from shared.submission.search import is_discovery_request
from shared.text.names import DISCOVERY

SUBMIT_DEADLINE_S = 110.0
LISTED_DEADLINE_S = 120.0
NO_ATTEMPT_LIMIT = None
"""Retry without limit: an item that was given up would be missing from the population."""

actor: Actor[DiscoveryDeps] = Actor("discovery")


@actor.answers(SUBMIT_RUN, deadline_s=SUBMIT_DEADLINE_S, paced=10)
async def submit_run(request: SubmitRun, deps: DiscoveryDeps) -> SubmitReply:
    """Start a run, a resumed round or a replay. On any problem nothing is started, and the reply names all problems."""
    return await submit_once(request, start_submission, deps)


async def start_submission(request: SubmitRun, begun: Submission, deps: DiscoveryDeps) -> SubmitReply:
    """Start what is requested, or go on with the run or round that was begun for this request."""
    problems = find_option_problems(request, deps.planners)
    if request.resume_run_id is not None:
        return await _resume(request, request.resume_run_id, problems, begun, deps)
    if request.replay_run_id is not None:
        return await _replay(request, request.replay_run_id, problems, begun, deps)
    plan, found = await _plan_checked(request, problems, deps)
    if plan is None or (not begun.run_id and found):
        return await _reject(request, found, deps)
    record = await create_run(plan, request, begun, deps)
    return await start_round(record, plan, deps, again=bool(begun.run_id))


@actor.answers(STORE_INPUT, paced=1)
async def store_input(request: StoreInput, deps: DiscoveryDeps) -> InputStored:
    """Store a part of an input file."""
    return await store_input_part(request, deps.blobs)


@actor.answers(CONTROL_RUN, paced=1)
async def control_run(request: ControlRun, deps: DiscoveryDeps) -> ControlReply:
    """Pause, resume, interrupt or close a run at work, or pass on a message, questions or answers."""
    return await apply_control(request, deps)


@actor.answers(ADD_SCHEDULE, deadline_s=SUBMIT_DEADLINE_S, paced=10)
async def keep_schedule(request: AddSchedule, deps: DiscoveryDeps) -> ScheduleReply:
    """Keep a request for a run that is made at the times of a schedule. Nothing is started now."""

    async def check(run: SubmitRun) -> tuple[Problem, ...]:
        _, problems = await _plan_checked(run, find_option_problems(run, deps.planners), deps)
        return problems

    return await add_schedule(request, check, deps)


@actor.answers(LIST_SCHEDULES, paced=1)
async def show_schedules(request: ListSchedules, deps: DiscoveryDeps) -> SchedulesListed:
    """Return the schedules, with what became of their last times."""
    return await list_schedules(request, deps)


@actor.answers(CHANGE_SCHEDULE, deadline_s=SUBMIT_DEADLINE_S, paced=1)
async def alter_schedule(request: ChangeSchedule, deps: DiscoveryDeps) -> ScheduleReply:
    """Pause, resume or remove a schedule, or request its run now."""
    return await change_schedule(request, lambda run: submit_once(run, start_submission, deps), deps)


@actor.handles(SAMPLES_LISTED, max_attempts=NO_ATTEMPT_LIMIT, deadline_s=LISTED_DEADLINE_S)
async def add_samples(message: SamplesListed, deps: DiscoveryDeps, attempt: int) -> None:
    """Add the items of one listed page to the population and queue them."""
    await add_listed_samples(message, deps)


@actor.handles(SAMPLE_FINISHED, emits=POPULATION_CLOSED, max_attempts=NO_ATTEMPT_LIMIT)
async def close_population(message: SampleFinished, deps: DiscoveryDeps, attempt: int) -> PopulationClosed | None:
    """Close the population when the search for its samples has ended."""
    return await close_search(message, deps) if message.sample_id == DISCOVERY else None


@actor.handles(RUN_FINISHED)
async def close_queue(message: RunFinished, deps: DiscoveryDeps, attempt: int) -> None:
    """Delete the queue of the finished round; a later round has a queue of its own."""
    await deps.queues.close_queue(samples_of(message.run_id, 1, message.attempt_base))


async def _plan_checked(
    request: SubmitRun, problems: tuple[Problem, ...], deps: DiscoveryDeps
) -> tuple[RunPlan | None, tuple[Problem, ...]]:
    """Return the whole plan of a new run, and all problems with those of its options."""
    plan, more = await _plan_run(request, deps)
    more = (*more, *await check_access(request.spec or {}, deps.asks))
    more = (*more, *await check_access(request.discovery or {}, deps.asks, "discovery"))
    register_reading, found = await _check_register(request.register, request.spec, deps)
    more = (*more, *found)
    mode, asks_model = mode_of(request), False
    if not problems:
        found, asks_model = await check_planner(request.planner, deps.asks, mode=mode, spec=request.spec)
        more = (*more, *found)
    if plan is None:
        return None, (*problems, *more)
    compiles = is_compiled(request, plan, asks_model=asks_model)
    plan = replace(plan, mode=mode, compiles=compiles, register=request.register, register_reading=register_reading)
    return plan, (*problems, *more)


async def _plan_run(request: SubmitRun, deps: DiscoveryDeps) -> tuple[RunPlan | None, tuple[Problem, ...]]:
    """Return the plan of a new run, and all problems: the file is checked even when the spec is invalid."""
    if is_discovery_request(request):
        return discovery_plan(request)
    has_table = request.samples is not None or request.input_file is not None
    checked, problems = check_population(request, await read_table(request, deps) if has_table else None)
    return None if checked is None else new_plan(request, checked), problems


async def _check_register(
    register: Register | None, spec: dict[str, Any] | None, deps: DiscoveryDeps
) -> tuple[FileReading | None, tuple[Problem, ...]]:
    return (None, ()) if register is None else check_register(register, spec, await read_register(register, deps))


async def _resume(
    request: SubmitRun, run_id: str, problems: tuple[Problem, ...], begun: Submission, deps: DiscoveryDeps
) -> SubmitReply:
    loaded = await load_run(deps.asks, run_id)
    if isinstance(loaded, RunUnknown):
        return await _reject(request, (*problems, Problem(where="resume_run_id", message=loaded.message)), deps)
    on_bus: RunRecord | None = await deps.records.read(RUNS, run_id, RunRecord)
    plan, more = resumed_plan(request, loaded, on_bus)
    more = (*more, *await check_access(plan.spec, deps.asks))
    more = (*more, *await check_access(plan.discovery or {}, deps.asks, "discovery"))
    register_reading, found = await _check_register(request.register, plan.spec, deps)
    more = (*more, *found)
    if not problems:
        found, _ = await check_planner(plan.planner, deps.asks, mode=loaded.record.mode, spec=plan.spec)
        more = (*more, *found)
    if not begun.run_id and (problems or more):
        return await _reject(request, (*problems, *more), deps)
    now = Submission(request=request, run_id=run_id, attempt_base=plan.attempt_base, replaces=plan.replaces)
    decided = begun if begun.run_id else await decide_once(request, now, deps)
    plan = replace(
        plan, attempt_base=decided.attempt_base, replaces=decided.replaces, register_reading=register_reading
    )
    record = round_record(loaded.record, plan)
    # The record exists already when the bus still runs since the round before.
    await deps.records.create(RUNS, run_id, record)
    accepted: RunAccepted = await start_round(record, plan, deps, again=bool(begun.run_id))
    return accepted


async def _replay(
    request: SubmitRun, run_id: str, problems: tuple[Problem, ...], begun: Submission, deps: DiscoveryDeps
) -> SubmitReply:
    """Start a new run that repeats the recorded steps of another one."""
    loaded = await load_run(deps.asks, run_id)
    if isinstance(loaded, RunUnknown):
        return await _reject(request, (*problems, Problem(where="replay_run_id", message=loaded.message)), deps)
    spec = loaded.record.spec
    samples, more = select_replayable(request, loaded, await check_logs(request, loaded, deps.asks))
    more = (*more, *await check_access(spec, deps.asks))
    register_reading, found = await _check_register(request.register, spec, deps)
    more = (*more, *found)
    if not begun.run_id and (problems or more):
        return await _reject(request, (*problems, *more), deps)
    concurrency = request.concurrency or loaded.record.concurrency
    plan = RunPlan(
        spec,
        REPLAY,
        concurrency,
        samples,
        len(samples),
        input_columns=loaded.record.input_columns,
        input_reading=loaded.record.input_reading,
        replay_run_id=run_id,
        allow_effects=request.allow_effects,
        register=request.register,
        register_reading=register_reading,
    )
    record = await create_run(plan, request, begun, deps)
    return await start_round(record, plan, deps, again=bool(begun.run_id))


async def _reject(request: SubmitRun, problems: tuple[Problem, ...], deps: DiscoveryDeps) -> RunRejected:
    """Publish the rejection, for clients that do not wait for the reply, and return it."""
    listed = first_problems(problems)
    digest = hashlib.sha256(msgspec.json.encode(request)).hexdigest()
    event = SubmissionRejected(run_id=rejected_run_id(deps.now(), digest), problems=listed)
    await deps.publishes.publish(RUN_REJECTED, event)
    return RunRejected(problems=listed)
