"""The actor: files what happened, in the order in which it happened.

Every handler may run twice for one event (a crash between filing and acknowledging), so each leaves
the same files whether it runs once or again.
"""

from __future__ import annotations

import msgspec

from services.evidence.attempts import current_log, must_be_open
from services.evidence.closing_run import finish_if_complete
from services.evidence.deps import Deps
from services.evidence.ingest.artifacts import file_artifact, not_filed, remove_filed
from services.evidence.ingest.lessons import file_lessons
from services.evidence.ingest.step_files import add_step, put_together
from services.evidence.read_api.artifact_access import lent, result_reply
from services.evidence.read_api.find_runs import find_known_runs
from services.evidence.read_api.step_pages import steps_reply
from services.evidence.recovery.read_run import ended_of
from services.evidence.seal.run_seal import open_round, remark_if_unsealed
from services.evidence.seal.sample_seal import seal_sample
from services.evidence.state.file_contents import AttemptLog, result_of, sample_file, samples_csv
from services.evidence.state.listed import listed
from services.evidence.state.paging import fitting
from services.evidence.state.run_state import sample_states
from shared.bus.actor import Actor
from shared.contracts.discovery import PopulationClosed, RunStarted, SampleFound
from shared.contracts.evidence import (
    AskSql,
    ClaimPress,
    FindRuns,
    LendArtifact,
    LendReply,
    LoadReply,
    LoadResult,
    LoadRun,
    LoadSteps,
    PressHeld,
    ResultReply,
    RunFinished,
    RunLoaded,
    RunsFound,
    RunUnknown,
    SqlReply,
    StepsReply,
)
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import StepTaken
from shared.errors import Unsupported
from shared.evidence_format import layout
from shared.evidence_format.files.base import encode_file
from shared.evidence_format.files.sample import PressFile
from shared.evidence_format.log_codec import chain_entry, entry_of
from shared.subjects import (
    ASK_SQL,
    CLAIM_PRESS,
    FIND_RUNS,
    LEND_ARTIFACT,
    LOAD_RESULT,
    LOAD_RUN,
    LOAD_STEPS,
    POPULATION_CLOSED,
    RUN_FINISHED,
    RUN_STARTED,
    SAMPLE_FINISHED,
    SAMPLE_FOUND,
    STEP_TAKEN,
)
from shared.text.names import DISCOVERY

FOR_EVER = None
"""Evidence is never given up: a full disk is waited for."""
BIG_FILE_BOUND_S = 120.0
CLOSING_BOUND_S = 1800.0
"""Of what may end a run: its tables, its report and its seal are of all samples, and 10,000 have as many pictures."""
SQL_BOUND_S = 600.0
"""Of a query itself it is 120 s; before it the files of a run that is not finished may have to be read."""

actor: Actor[Deps] = Actor("evidence")


@actor.handles(RUN_STARTED, max_attempts=FOR_EVER)
async def run_started(message: RunStarted, deps: Deps, attempt: int) -> None:
    """Opens the run's folder, or the next round of a run that is resumed."""
    state = await deps.ledger.open(message.record)
    base = max(message.attempt_base, state.attempt_base)  # an earlier start may be told again
    if base > state.attempt_base:
        await remark_if_unsealed(deps, state)
        await open_round(deps, state)
    state.start_round(base, discovering=message.discovering)
    await deps.ledger.save(state)
    deps.ledger.forget_finished(but=message.run_id)
    await deps.ledger.release_if_finished(message.run_id)


@actor.handles(SAMPLE_FOUND, max_attempts=FOR_EVER)
async def sample_found(message: SampleFound, deps: Deps, attempt: int) -> None:
    """Writes down what was asked for, before anything is done about it."""
    state = await deps.ledger.held(message.run_id)
    key = layout.sample_key(message.run_id, message.sample_id, layout.SAMPLE)
    await deps.store.write(key, encode_file(sample_file(message)))
    if state.lists_only:
        result = encode_file(result_of(listed(message, state.record.spec.get("output_schema", {})), AttemptLog(1), ()))
        await deps.store.write(layout.sample_key(message.run_id, message.sample_id, layout.RESULT), result)
        await seal_sample(deps, message.run_id, message.sample_id, AttemptLog(1), result)
        await deps.store.secure(layout.sample_key(message.run_id, message.sample_id))
        state.end(message.sample_id, ended_of(result))
    state.found(message.sample, message.found_at)
    await deps.ledger.release_if_finished(message.run_id)


@actor.handles(POPULATION_CLOSED, emits=RUN_FINISHED, max_attempts=FOR_EVER, deadline_s=CLOSING_BOUND_S)
async def population_closed(message: PopulationClosed, deps: Deps, attempt: int) -> RunFinished | None:
    """From now on it is known how many results there must be."""
    state = await deps.ledger.held(message.run_id)
    state.expected = message.samples
    state.population_complete, state.population_note = message.complete, message.note
    key = layout.run_key(message.run_id, layout.DISCOVERED if state.discovers else layout.SAMPLES)
    await deps.store.write(key, samples_csv(state.samples.values(), discovered=state.discovers))
    await deps.ledger.save(state)
    # Who is in the population is known from here on, whatever becomes of the machine.
    await deps.store.secure(layout.run_key(message.run_id))
    return await finish_if_complete(deps, state)


@actor.handles(STEP_TAKEN, max_attempts=FOR_EVER, deadline_s=BIG_FILE_BOUND_S)
async def step_taken(message: StepTaken, deps: Deps, attempt: int) -> None:
    """Files a step and its artifacts, hashed again at rest."""
    await deps.ledger.hold(message.run_id)
    log = await current_log(deps, message.run_id, message.sample_id, message.attempt)
    if log is not None and message.step not in log.steps:
        if log.ended:  # its result is written: nothing is added to what it tells of
            await deps.ledger.release_if_finished(message.run_id)
            return
        tried = [await file_artifact(deps.store, deps.blobs, message, filed) for filed in message.artifacts]
        problems = [problem for problem in tried if problem is not None]
        entry = chain_entry(entry_of(message, problems), message.run_id, message.sample_id, log.head_sha256)
        await add_step(deps.store, layout.sample_key(message.run_id, message.sample_id), entry)
        log.add(entry)
    await remove_filed(deps.blobs, message, log.problems if log is not None else [])
    await deps.ledger.release_if_finished(message.run_id)


@actor.handles(SAMPLE_FINISHED, emits=RUN_FINISHED, max_attempts=FOR_EVER, deadline_s=CLOSING_BOUND_S)
async def sample_finished(message: SampleFinished, deps: Deps, attempt: int) -> RunFinished | None:
    """Writes the result; the last one of a run makes the table."""
    state = await deps.ledger.held(message.run_id)
    log = await current_log(deps, message.run_id, message.sample_id, message.attempt)
    if log is not None:
        missing = not_filed(message, log)
        await put_together(deps.store, layout.sample_key(message.run_id, message.sample_id))
        result = encode_file(result_of(message, log, missing))
        await deps.store.write(layout.sample_key(message.run_id, message.sample_id, layout.RESULT), result)
        await seal_sample(deps, message.run_id, message.sample_id, log, result)
        await deps.store.secure(layout.sample_key(message.run_id, message.sample_id))
        await file_lessons(deps.store, message)
        state.end(message.sample_id, ended_of(result))
    deps.ledger.forget_log(message.run_id, message.sample_id)
    return await finish_if_complete(deps, state)


@actor.answers(LOAD_RUN, deadline_s=60.0)
async def load_run(request: LoadRun, deps: Deps) -> LoadReply:
    """What is known of a run, for resuming it; of its samples one page."""
    state = await deps.ledger.find(request.run_id)
    if state is None:
        return RunUnknown(run_id=request.run_id, message=layout.no_run(request.run_id, deps.store.location("")))
    page = () if request.count_only else fitting(sample_states(state)[max(request.skip, 0) :])
    return RunLoaded(
        record=state.record,
        attempt_base=state.attempt_base,
        expected=state.expected,
        samples=await deps.ledger.with_attempts(request.run_id, page),
        total=len(state.samples),
        finished=state.finished,
        location=deps.store.location(layout.run_key(request.run_id)),
        population_complete=state.population_complete,
        discovery_attempt=await deps.ledger.latest_attempt(request.run_id, DISCOVERY) if state.discovers else 0,
    )


@actor.answers(FIND_RUNS, deadline_s=60.0)
async def find_runs(request: FindRuns, deps: Deps) -> RunsFound:
    """Which runs there are of a task and an input, so that one that was cut off is gone on with."""
    return await find_known_runs(deps.store, request)


@actor.answers(LOAD_STEPS, deadline_s=60.0)
async def load_steps(request: LoadSteps, deps: Deps) -> StepsReply:
    """The step log of one attempt, a page at a time, for playing it back."""
    state = await deps.ledger.find(request.run_id)
    return await steps_reply(deps, state, request)


@actor.answers(LOAD_RESULT)
async def load_result(request: LoadResult, deps: Deps) -> ResultReply:
    """What a sample's result says, for extracting its values again."""
    state = await deps.ledger.find(request.run_id)
    return await result_reply(deps, state, request)


@actor.answers(LEND_ARTIFACT, deadline_s=BIG_FILE_BOUND_S)
async def lend_artifact(request: LendArtifact, deps: Deps) -> LendReply:
    """An artifact as it lies here now, for whoever reads it again."""
    return await lent(deps, request)


@actor.answers(CLAIM_PRESS)
async def claim_press(request: ClaimPress, deps: Deps) -> PressHeld:
    """Whose press it is, on disk before the answer goes out. Two that claim at once are one after the other: between
    reading and writing there is a lock, or both would be told that it is theirs."""
    pressed = request.pressed
    key = layout.sample_key(pressed.run_id, pressed.sample_id, layout.pressed_file(pressed.step))
    async with deps.ledger.claiming:
        kept = await deps.store.read(key)
        if kept is not None:
            return PressHeld(pressed=msgspec.json.decode(kept, type=PressFile).to_pressed())
        if not request.claim:
            return PressHeld(pressed=None)
        await must_be_open(deps, pressed)
        await deps.ledger.hold(pressed.run_id)
        await deps.store.write(key, encode_file(PressFile.of(pressed)))
        await deps.store.secure(layout.sample_key(pressed.run_id, pressed.sample_id))
        return PressHeld(pressed=pressed)


@actor.answers(ASK_SQL, deadline_s=SQL_BOUND_S)
async def ask_sql(request: AskSql, deps: Deps) -> SqlReply:
    """A query over the evidence, which changes nothing."""
    if deps.questions is None:
        raise Unsupported("nobody answers in SQL here")
    return await deps.questions.answer(request)
