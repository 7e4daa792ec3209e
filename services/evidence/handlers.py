"""The actor: files what happened, in the order in which it happened.

Every handler may run twice for one event (a crash between filing and acknowledging), so each leaves
the same files whether it runs once or again.
"""

from __future__ import annotations

import msgspec

from services.evidence import layout
from services.evidence.artifacts import file_artifact, let_go, not_filed
from services.evidence.deps import Deps
from services.evidence.filing import AttemptLog, as_json, log_entry, result_of, sample_file, samples_csv, with_lessons
from services.evidence.listed import listed
from services.evidence.recall import attempt_log, attempts_tried, ended_of, keep_run, run_state
from services.evidence.rounds import RunState, run_finished, sample_states
from services.evidence.steps import steps_reply
from shared.actor.actor import Actor
from shared.contracts.discovery import PopulationClosed, RunStarted, SampleFound
from shared.contracts.evidence import (
    ClaimPress,
    LoadReply,
    LoadRun,
    LoadSteps,
    PressHeld,
    RunFinished,
    RunLoaded,
    RunUnknown,
    StepsReply,
)
from shared.contracts.planner import Pressed, SampleFinished, StepTaken
from shared.errors import PermanentError
from shared.names import DISCOVERY
from shared.subjects import (
    CLAIM_PRESS,
    LOAD_RUN,
    LOAD_STEPS,
    POPULATION_CLOSED,
    RUN_FINISHED,
    RUN_STARTED,
    SAMPLE_FINISHED,
    SAMPLE_FOUND,
    STEP_TAKEN,
)

FOR_EVER = None
"""Evidence is never given up: a full disk is waited for."""
BIG_FILE_BOUND_S = 120.0

actor: Actor[Deps] = Actor("evidence")


@actor.handles(RUN_STARTED, max_attempts=FOR_EVER)
async def run_started(message: RunStarted, deps: Deps, attempt: int) -> None:
    """Opens the run's folder, or the next round of a run that is resumed."""
    state = await run_state(deps, message.run_id)
    if state is None:
        state = deps.runs[message.run_id] = RunState(record=message.record)
    base = max(message.attempt_base, state.attempt_base)  # an earlier start may be told again
    state.start_round(base, discovering=message.discovering)
    await keep_run(deps, state)


@actor.handles(SAMPLE_FOUND, max_attempts=FOR_EVER)
async def sample_found(message: SampleFound, deps: Deps, attempt: int) -> None:
    """Writes down what was asked for, before anything is done about it."""
    state = await known_run(deps, message.run_id)
    key = layout.sample_key(message.run_id, message.sample_id, layout.SAMPLE)
    await deps.store.write(key, as_json(sample_file(message)))
    if state.lists_only:
        result = as_json(result_of(listed(message, state), AttemptLog(1), ()))
        await deps.store.write(layout.sample_key(message.run_id, message.sample_id, layout.RESULT), result)
        state.end(message.sample_id, ended_of(result))
    state.found(message.sample, message.found_at)


@actor.handles(POPULATION_CLOSED, emits=RUN_FINISHED, max_attempts=FOR_EVER, deadline_s=BIG_FILE_BOUND_S)
async def population_closed(message: PopulationClosed, deps: Deps, attempt: int) -> RunFinished | None:
    """From now on it is known how many results there must be."""
    state = await known_run(deps, message.run_id)
    state.expected = message.samples
    state.population_complete, state.population_note = message.complete, message.note
    key = layout.run_key(message.run_id, layout.DISCOVERED if state.discovers else layout.SAMPLES)
    await deps.store.write(key, samples_csv(state.samples.values(), discovered=state.discovers))
    await keep_run(deps, state)
    return await finish_if_complete(deps, state)


@actor.handles(STEP_TAKEN, max_attempts=FOR_EVER, deadline_s=BIG_FILE_BOUND_S)
async def step_taken(message: StepTaken, deps: Deps, attempt: int) -> None:
    """Files a step and its artifacts, hashed again at rest."""
    log = await current_log(deps, message.run_id, message.sample_id, message.attempt)
    if log is not None and message.step not in log.steps:
        problems = [problem for filed in message.artifacts if (problem := await file_artifact(deps, message, filed))]
        log.entries.append(log_entry(message, problems))
        await deps.store.write(
            layout.sample_key(message.run_id, message.sample_id, layout.ACTION_LOG), as_json(log.entries)
        )
    await let_go(deps, message, log.problems if log is not None else [])


@actor.handles(SAMPLE_FINISHED, emits=RUN_FINISHED, max_attempts=FOR_EVER, deadline_s=BIG_FILE_BOUND_S)
async def sample_finished(message: SampleFinished, deps: Deps, attempt: int) -> RunFinished | None:
    """Writes the result; the last one of a run makes the table."""
    state = await known_run(deps, message.run_id)
    log = await current_log(deps, message.run_id, message.sample_id, message.attempt)
    if log is not None:
        missing = not_filed(message, log)
        result = as_json(result_of(message, log, missing))
        await deps.store.write(layout.sample_key(message.run_id, message.sample_id, layout.RESULT), result)
        await deps.store.secure(layout.sample_key(message.run_id, message.sample_id))
        await file_lessons(deps, message)
        state.end(message.sample_id, ended_of(result))
        deps.logs.pop((message.run_id, message.sample_id), None)
    return await finish_if_complete(deps, state)


@actor.answers(LOAD_RUN, deadline_s=60.0)
async def load_run(request: LoadRun, deps: Deps) -> LoadReply:
    """What is known of a run, for resuming it."""
    state = await run_state(deps, request.run_id) if layout.is_safe(request.run_id) else None
    if state is None:
        where = deps.store.location("")
        return RunUnknown(run_id=request.run_id, message=f"no run {request.run_id!r} in {where}")
    return RunLoaded(
        record=state.record,
        attempt_base=state.attempt_base,
        expected=state.expected,
        samples=sample_states(state, await attempts_tried(deps, state)),
        finished=state.finished,
        location=deps.store.location(layout.run_key(request.run_id)),
        population_complete=state.population_complete,
        discovery_attempt=(await attempt_log(deps, request.run_id, DISCOVERY)).attempt if state.discovers else 0,
    )


@actor.answers(LOAD_STEPS, deadline_s=60.0)
async def load_steps(request: LoadSteps, deps: Deps) -> StepsReply:
    """The step log of one attempt, a page at a time, for playing it back."""
    state = await run_state(deps, request.run_id) if layout.is_safe(request.run_id) else None
    return await steps_reply(deps, state, request)


@actor.answers(CLAIM_PRESS)
async def claim_press(request: ClaimPress, deps: Deps) -> PressHeld:
    """Whose press it is, on disk before the answer goes out. Two that claim at once are one after the other: between
    reading and writing there is a lock, or both would be told that it is theirs."""
    pressed = request.pressed
    key = layout.sample_key(pressed.run_id, pressed.sample_id, layout.pressed_file(pressed.step))
    async with deps.claiming:
        kept = await deps.store.read(key)
        if kept is not None:
            return PressHeld(pressed=msgspec.json.decode(kept, type=Pressed))
        if not request.claim:
            return PressHeld(pressed=None)
        await deps.store.write(key, as_json(pressed))
        await deps.store.secure(layout.sample_key(pressed.run_id, pressed.sample_id))
        return PressHeld(pressed=pressed)


# --- what the handlers share


async def known_run(deps: Deps, run_id: str) -> RunState:
    """Events come in order, so a run that has not started here is not ours to file: its folder was taken away, say."""
    state = await run_state(deps, run_id)
    if state is None:
        raise PermanentError(f"{run_id} was never started here", code="unknown_run")
    return state


async def current_log(deps: Deps, run_id: str, sample_id: str, attempt: int) -> AttemptLog | None:
    """The log that this attempt writes to; None for an attempt that a later one has overtaken.

    What an earlier attempt left behind is put aside first: evidence is added to, never overwritten.
    """
    log = await attempt_log(deps, run_id, sample_id)
    if attempt < log.attempt:
        return None
    if attempt > log.attempt:
        await put_aside(deps, run_id, sample_id, log.attempt)
        log = deps.logs[run_id, sample_id] = AttemptLog(attempt)
    return log


async def file_lessons(deps: Deps, message: SampleFinished) -> None:
    """What the samples of a run have taught, each with the sample that did; told twice, it is written once."""
    if message.lessons is None:
        return
    for name in ("patterns", "failures"):
        key = layout.run_key(message.run_id, f"{layout.MEMORY}/{name}.json")
        kept = await deps.store.read(key)
        lessons = with_lessons(kept, message, getattr(message.lessons, name))
        if lessons != kept:
            await deps.store.write(key, lessons)


async def put_aside(deps: Deps, run_id: str, sample_id: str, attempt: int) -> None:
    folder = layout.sample_key(run_id, sample_id)
    for name in await deps.store.names(folder):
        if not layout.stays(name):
            await deps.store.move(f"{folder}/{name}", f"{folder}/{layout.attempt_folder(attempt)}/{name}")


async def finish_if_complete(deps: Deps, state: RunState) -> RunFinished | None:
    """The table and the summary, once every sample is accounted for."""
    if not state.complete:
        return None
    if state.said is not None:  # told again: whether it was published we cannot know
        return state.said
    run_id = state.record.run_id
    results = [deps.store.location(layout.sample_key(run_id, s, layout.RESULT)) for s in state.samples]
    spec = state.record.spec
    judged = bool(spec.get("judgment_required"))
    table = await deps.tables.combined(results, list(spec["output_schema"]), judged=judged)
    key = layout.run_key(run_id, layout.COMBINED)
    await deps.store.write(key, table)
    await deps.store.secure(layout.run_key(run_id))
    finished = run_finished(state, deps.store.location(layout.run_key(run_id)), deps.store.location(key), deps.now())
    state.finished = finished
    await keep_run(deps, state)
    return finished
