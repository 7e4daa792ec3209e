"""The actor: takes samples from the work queue and answers how each ended."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from services.planner.deps import CheckedRun, PlannerDeps, lease_request
from services.planner.driver_choice import choose_drivers, planner_name
from services.planner.drivers.registry import load_recorded_steps
from services.planner.judge.gates import is_tried_again, login_wall, to_finished
from services.planner.lessons import load_hints, save_lessons
from services.planner.model_tasks.drafting import request_problem
from services.planner.reperform_sample import reperform_values
from services.planner.resuming import load_earlier_decisions
from services.planner.sample_loop import Attempt, SampleWork
from services.planner.state.attempt_state import ending_of
from services.planner.steering.causes import outage_of_end, outage_of_error, outage_of_login
from services.planner.steering.controls import SampleControls, interrupted_limit
from services.planner.steering.outages import note_other_end, requeue
from services.planner.taking_over.person_at_work import PersonAtWork
from services.planner.taking_over.sample_hold import SampleHold
from services.planner.try_list import try_list
from services.planner.try_sample import try_sample
from services.planner.workflow_use.choosing import flow_problem
from services.planner.workflow_use.healed_flow import ending_with_flow, report_flow
from services.planner.workflow_use.saving import save_workflow
from shared.bus.actor import Actor
from shared.contracts.actions import AskApi
from shared.contracts.base import add_usage
from shared.contracts.browser_pool import ProfilePaused
from shared.contracts.building import BuildDecided, DecideBuild
from shared.contracts.codes import fault_of
from shared.contracts.discovery import Problem, RunRecord
from shared.contracts.error_codes import PermanentCode
from shared.contracts.outages import Outage
from shared.contracts.planner import (
    BY_API,
    CheckPlanner,
    DraftPossible,
    DraftRefused,
    DraftReply,
    DraftTask,
    PlannerChecked,
    SampleFinished,
    TaskDrafted,
    WorkSample,
)
from shared.contracts.reperform import Reperform, SampleReperformed
from shared.contracts.sessions.taking_over import FollowSample, SampleAtWork, SteerReply, SteerSample
from shared.contracts.tried import TryList, TryListReply, TryReply, TrySample
from shared.errors import ExhibitError, PermanentError, Unavailable
from shared.streams import RUNS, SAMPLE_QUEUES
from shared.subjects import (
    CHECK_PLANNER,
    DECIDE_BUILD,
    DRAFT_TASK,
    FOLLOW_SAMPLE,
    REPERFORM,
    SAMPLE_FINISHED,
    STEER_SAMPLE,
    TRY_LIST,
    TRY_SAMPLE,
    WORK_SAMPLE,
)
from shared.task.spec import TaskSpec, check_spec

DEADLINE_S = 6 * 3600.0
"""A last resort. The limits of one attempt are `max_steps` and `max_time_s` of the task."""
DRAFT_DEADLINE_S = 300.0
REPERFORM_DEADLINE_S = 600.0
TRY_DEADLINE_S = 900.0
STEER_DEADLINE_S = 180.0
"""As long as an act may take."""
IS_REPLAY = "a replay repeats what was recorded, and is not taken over"
KEPT_RUNS = 64
MAX_ATTEMPTS = 4
"""Deliveries of one message. One that is queued anew has as many again."""
LOADING_ATTEMPTS, LOADING_PAUSE_S = 2, 3.0
"""How often a page that goes on loading is tried, and the time between."""
NO_DRAFTER = (
    "a task is drafted from a sentence by a model, and there is no key for one: set ANTHROPIC_API_KEY (or "
    "ANTHROPIC_BASE_URL with a key of that server), or write the spec yourself from task_specs/_template.json"
)
NO_BUILDER = (
    "the moves of a build session are decided by a model, and there is no key for one: set ANTHROPIC_API_KEY (or "
    "ANTHROPIC_BASE_URL with a key of that server), or act by hand"
)
NO_MODEL_TO_HEAL = (
    "the task says heal: planner, which asks a model, and this planner asks none: use the planner 'anthropic', or "
    "heal: recorded"
)

actor: Actor[PlannerDeps] = Actor("planner")


def give_up(message: WorkSample, deps: PlannerDeps, attempt: int, error: ExhibitError) -> SampleFinished:
    """Return the result of a sample that will not be tried again."""
    if error.code == "page_loading":
        loading, now = ending_of("still_loading", str(error)), deps.now()
        return to_finished(message, attempt_number(message, attempt), deps.planner_id, loading, now, now)
    final = isinstance(error, PermanentError) or error.code == "retries_exhausted"
    tried = "" if final else f"given up after {attempt} attempts; the last one: "
    reason = cast("PermanentCode", error.code) if isinstance(error, PermanentError) else "retries_exhausted"
    ending, now = ending_of("retries_exhausted", f"{tried}{error}"), deps.now()
    finished = to_finished(message, attempt_number(message, attempt), deps.planner_id, ending, now, now)
    return msgspec.structs.replace(finished, reason=reason, fault=fault_of(error.code))


def attempt_number(message: WorkSample, attempt: int) -> int:
    """Return the number of this attempt in the evidence: above every other one of the sample."""
    return message.attempt_base + message.again * MAX_ATTEMPTS + attempt


@actor.handles(
    WORK_SAMPLE,
    queues=SAMPLE_QUEUES,
    emits=SAMPLE_FINISHED,
    deadline_s=DEADLINE_S,
    max_attempts=MAX_ATTEMPTS,
    give_up=give_up,
)
async def work_sample(message: WorkSample, deps: PlannerDeps, attempt: int) -> SampleFinished | None:
    """Work on one sample, or queue it anew where it fails for what others fail for too; then None is returned."""
    run = await load_run(message.run_id, deps)
    spec = run.spec_of(message)
    steering = SampleControls(message, deps)
    await steering.wait_to_begin(spec.outage.wait_s)
    if steering.interrupted or steering.closing:
        limit, now = interrupted_limit(steering.outage), deps.now()
        ending = ending_of(limit.reason, limit.message)
        return to_finished(message, attempt_number(message, attempt), deps.planner_id, ending, now, now)
    try:
        finished, outage = await attempt_sample(message, run, deps, attempt, steering.tried_in)
    except ExhibitError as exc:
        outage = outage_of_error(
            exc, planner_name(run, deps), is_last=attempt >= MAX_ATTEMPTS or bool(steering.tried_in)
        )
        if outage is not None and await requeue(message, outage, spec, steering, deps):
            return None
        raise
    if outage is not None:
        return None if await requeue(message, outage, spec, steering, deps) else finished
    await note_other_end(finished, steering, deps)
    return finished


async def attempt_sample(
    message: WorkSample, run: CheckedRun, deps: PlannerDeps, attempt: int, tried_in: str
) -> tuple[SampleFinished, Outage | None]:
    """Work on one sample in a browser session of its own. No session is leased if the driver cannot work.

    Returns how it ended, and what it failed for if others may fail for it too.
    """
    spec = run.spec_of(message)
    driver = deps.driver(planner_name(run, deps))
    driver.check()
    hints = await load_hints(spec, message.sample, message.run_id, deps) if driver.asks_model else ()
    recorded = await load_recorded_steps(run.record, driver.name, message.sample_id, deps.asks)
    log = tuple(step for step in recorded if not isinstance(step.action, AskApi))  # the API is asked anew
    drivers, number = await choose_drivers(run, message, driver, deps), attempt_number(message, attempt)
    flow = drivers if drivers.flow is not None else None
    earlier = () if flow is not None else await load_earlier_decisions(message, number, drivers, deps.asks)
    task = Attempt(message, number, spec, drivers, hints, log, run.record.allow_effects, flow, tried_in, earlier)
    async with deps.lease(lease_request(spec, message)) as lease:
        if isinstance(lease, ProfilePaused):
            finished = login_required(message, task.attempt, lease, deps)
            return finished, outage_of_login(finished, spec)
        hold = SampleHold(deps.elapsed_s, number, driver.name, IS_REPLAY if log else "")
        hold.tell(secrets=tuple(spec.secrets))
        work = SampleWork(task, lease.session, deps, PersonAtWork(hold, drivers.note_person))
        try:
            with deps.work_on(message, hold):
                finished = await work.run()
        finally:
            await drivers.aclose()
        if attempt < LOADING_ATTEMPTS and is_tried_again(finished, work.view):
            raise Unavailable(finished.message, code="page_loading", retry_after_s=LOADING_PAUSE_S)
        lease.login_wall = login_wall(finished, work.page)
    usage = add_usage(finished.usage, drivers.usage)
    if finished.decided_by == BY_API:  # no driver has done anything
        return msgspec.structs.replace(finished, usage=usage), None
    worked = drivers.worked(finished.usage)
    finished = msgspec.structs.replace(finished, usage=usage, drivers=worked, no_flow=drivers.why_no_flow)
    if drivers.flow is not None and (ending := ending_with_flow(finished)) is not None:
        await report_flow(finished, ending, drivers.flow.use.choice, drivers.flow.healed, deps.asks)
    outage = outage_of_end(finished, work.view)
    if outage is not None or not drivers.asks_model or finished.taken_over_by:
        return finished, outage
    finished = await save_lessons(spec, finished, work.state, deps)
    return await save_workflow(spec, finished, work.state, deps), None


@actor.answers(FOLLOW_SAMPLE, paced=1)
async def follow_sample(request: FollowSample, deps: PlannerDeps) -> SampleAtWork:
    """Return what is done at a sample now."""
    return await _hold_of(request, deps).follow(request)


@actor.answers(STEER_SAMPLE, deadline_s=STEER_DEADLINE_S)
async def steer_sample(request: SteerSample, deps: PlannerDeps) -> SteerReply:
    """Take a sample over, hand it back, or have an act done in it."""
    return await _hold_of(request, deps).steer(request)


def _hold_of(request: FollowSample | SteerSample, deps: PlannerDeps) -> SampleHold:
    hold = deps.at_work.get((request.run_id, request.sample_id))
    if hold is None:
        raise Unavailable("nobody works on this sample any more", code="no_responders")
    return hold


@actor.answers(CHECK_PLANNER)
async def check_planner(request: CheckPlanner, deps: PlannerDeps) -> PlannerChecked:
    """Return the problem that would end every sample of a run, before the run starts."""
    spec, _ = check_spec(request.spec or {})
    if request.mode == "flow":
        return PlannerChecked(problem="" if spec is None else await flow_problem(spec, deps))
    try:
        driver = deps.driver(request.planner or deps.default_planner)
        driver.check()
    except PermanentError as exc:
        return PlannerChecked(problem=str(exc))
    heals_by_planner = spec is not None and spec.heal == "planner"
    return PlannerChecked(
        problem=NO_MODEL_TO_HEAL if heals_by_planner and not driver.asks_model else "", asks_model=driver.asks_model
    )


@actor.answers(REPERFORM, deadline_s=REPERFORM_DEADLINE_S)
async def reperform_sample(request: Reperform, deps: PlannerDeps) -> SampleReperformed:
    """Extract every value of a sample again from its stored pages."""
    return await reperform_values(request, deps)


@actor.answers(TRY_SAMPLE, deadline_s=TRY_DEADLINE_S)
async def try_row(request: TrySample, deps: PlannerDeps) -> TryReply:
    """Work on one sample outside of any run, and say of each field what it matched."""
    return await try_sample(request, deps)


@actor.answers(TRY_LIST, deadline_s=TRY_DEADLINE_S)
async def try_to_list(request: TryList, deps: PlannerDeps) -> TryListReply:
    """Read the list of a discovery task outside of any run, and say whether it is proven complete."""
    return await try_list(request, deps)


@actor.answers(DRAFT_TASK, deadline_s=DRAFT_DEADLINE_S)
async def draft_task(request: DraftTask, deps: PlannerDeps) -> DraftReply:
    """Draft a task from a sentence and check it, or say whether a model would. Nothing is run."""
    problem = "" if request.check_only else request_problem(request.request)
    if problem:
        return DraftRefused(problems=(Problem(where="request", message=problem),))
    if deps.drafter is None:
        raise PermanentError(NO_DRAFTER, code="model_key_missing")
    if request.check_only:
        return DraftPossible(model=deps.drafter.name)
    draft, problems, usage = await deps.drafter.draft(request.request)
    if draft is None:
        return DraftRefused(problems=problems, usage=usage)
    return TaskDrafted(
        spec=draft.spec,
        discovery=draft.discovery,
        discovery_row=draft.discovery_row,
        samples=draft.samples,
        explanation=draft.explanation,
        open_questions=draft.open_questions,
        drafted_by=deps.drafter.name,
        usage=usage,
    )


@actor.answers(DECIDE_BUILD, deadline_s=DRAFT_DEADLINE_S)
async def decide_build(request: DecideBuild, deps: PlannerDeps) -> BuildDecided:
    """Ask a model for the next move of a build session. Nothing is done."""
    spec, problems = check_spec(request.spec)
    if spec is None:
        raise PermanentError("; ".join(f"{one.where}: {one.message}" for one in problems), code="invalid_spec")
    if deps.builder is None:
        raise PermanentError(NO_BUILDER, code="model_key_missing")
    return await deps.builder.decide_build(request, spec)


def login_required(message: WorkSample, attempt: int, paused: ProfilePaused, deps: PlannerDeps) -> SampleFinished:
    """Return the result of a sample whose login state is paused after a login wall. No browser is opened for it."""
    now = deps.now()
    return to_finished(message, attempt, deps.planner_id, ending_of("login_required", paused.reason), now, now)


async def load_run(run_id: str, deps: PlannerDeps) -> CheckedRun:
    """Return the run's record and checked specs, read from RUNS once per process.

    Concurrent reads of one run are idempotent. Raises Unavailable if the record is not there yet.
    """
    if run_id not in deps.runs:
        record: RunRecord | None = await deps.records.read(RUNS, run_id, RunRecord)
        if record is None:
            raise Unavailable(f"there is no record of run {run_id!r} yet", code="run_unknown", retry_after_s=1.0)
        search = None if record.discovery_spec is None else _to_task_spec(record.discovery_spec, run_id)
        deps.runs[run_id] = CheckedRun(record, _to_task_spec(record.spec, run_id), search)
        if len(deps.runs) > KEPT_RUNS:
            oldest = next(iter(deps.runs))
            del deps.runs[oldest]
            deps.choices.pop(oldest, None)
            deps.compiled.pop(oldest, None)
            deps.choosing.pop(oldest, None)
    return deps.runs[run_id]


def _to_task_spec(written: dict[str, Any], run_id: str) -> TaskSpec:
    spec, problems = check_spec(written)
    if spec is None:
        message = "; ".join(f"{problem.where}: {problem.message}" for problem in problems)
        raise PermanentError(f"the task spec of run {run_id!r} is not valid: {message}", code="invalid_spec")
    return spec
