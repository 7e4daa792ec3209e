"""Admits events into a run: compares each with what is filed, and puts what does not fit into quarantine.

An event that is delivered again is recognised by its content: it changes nothing and is no suspect. Which events
fit is decided in `state/admission.py`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from services.evidence.deps import EvidenceDeps
from services.evidence.refused_results import REFUSED
from services.evidence.state.admission import (
    Refusal,
    check_membership,
    find_other_planner,
    find_population_refusal,
    find_result_refusal,
    find_sample_refusal,
    find_start_refusal,
    find_step_refusal,
    find_unsupported,
    is_closed_so,
)
from services.evidence.state.file_contents import AttemptLog, result_file
from services.evidence.state.run_state import RunState
from services.evidence.step_files import read_log
from shared.contracts.base import Message
from shared.contracts.discovery import PopulationClosed, RunStarted, SampleFound
from shared.contracts.evidence import RunFinished
from shared.contracts.planner import SampleFinished
from shared.contracts.sessions.control import RunControlled
from shared.contracts.sessions.reviewing import ReviewSignedOff
from shared.contracts.sessions.settling import SampleSettled
from shared.contracts.steps import StepTaken
from shared.errors import NotSigned
from shared.evidence_format import chain, layout
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.sample import ResultFile, SampleFile, parse_result
from shared.evidence_format.log_codec import step_of

Admission = Literal["new", "filed", "overtaken", "refused"]
"""How an event stands to its run. ``new``: it is to be filed. ``filed``: it was, in the same words; filing it again
changes nothing, and completes what a crash has cut off. ``overtaken``: a later attempt, or a later round, has begun.
``refused``: it does not fit, and is in quarantine."""


RunMessage = (
    RunStarted
    | RunControlled
    | SampleFound
    | PopulationClosed
    | StepTaken
    | SampleFinished
    | SampleSettled
    | ReviewSignedOff
    | RunFinished
)


async def refuse(message: RunMessage, deps: EvidenceDeps, error: NotSigned) -> None:
    """Keep an event out of its run that is not signed by who may send it. Raises the error if there is no such run."""
    state = await deps.ledger.find(message.run_id)
    if state is None:
        raise error
    await _refuse(deps, state, message, Refusal(error.why, str(error)))


async def admit_start(deps: EvidenceDeps, state: RunState, message: RunStarted) -> Admission:
    """Return how a start of a run or of a resumed round stands."""
    refusal = find_start_refusal(state, message)
    if refusal is not None:
        return await _refuse(deps, state, message, refusal)
    if message.attempt_base == state.attempt_base and state.current_summary is not None:
        return "filed"
    return "overtaken" if message.attempt_base < state.attempt_base else "new"


async def admit_sample(deps: EvidenceDeps, state: RunState, message: SampleFound) -> Admission:
    """Return how a sample stands that was found."""
    filed = await deps.store.read(layout.sample_key(message.run_id, message.sample_id, layout.SAMPLE))
    if filed is None or message.sample.sample_id != message.sample_id:
        return await _admit_unless(deps, state, message, find_sample_refusal(state, message))
    try:
        same = msgspec.json.decode(filed, type=SampleFile).to_sample() == message.sample
    except chain.NOT_JSON:
        return "new" if state.current_summary is None else "filed"  # whoever knows what was asked for says so
    told = Refusal("other_content", "the sample is filed already, and says something else")
    return "filed" if same else await _refuse(deps, state, message, told)


async def admit_population(deps: EvidenceDeps, state: RunState, message: PopulationClosed) -> Admission:
    """Return how the end of a population stands."""
    if message.attempt_base < state.attempt_base:
        return "overtaken"
    if message.attempt_base == state.attempt_base and is_closed_so(state, message):
        return "filed"
    return await _admit_unless(deps, state, message, find_population_refusal(state, message))


async def admit_step(deps: EvidenceDeps, state: RunState, step: StepTaken) -> Admission:
    """Return how a step stands."""
    stranger = check_membership(state, step.sample_id)
    if stranger is not None:
        return await _refuse(deps, state, step, stranger)
    log = await deps.ledger.log(step.run_id, step.sample_id)
    if step.attempt == log.attempt and step.step in log.steps:
        told = Refusal("other_content", f"step {step.step} is filed already, and says something else")
        told = find_other_planner(log, step) or told
        return "filed" if await _is_filed(deps, step) else await _refuse(deps, state, step, told)
    if 0 < step.attempt < log.attempt and state.current_summary is None:
        return "overtaken"
    return await _admit_unless(deps, state, step, find_step_refusal(state, log, step))


async def admit_result(deps: EvidenceDeps, state: RunState, message: SampleFinished) -> Admission:
    """Return how a result stands. A result.json that cannot be read is written again by the result that it was."""
    stranger = check_membership(state, message.sample_id)
    if stranger is not None:
        return await _refuse(deps, state, message, stranger)
    if message.reason == REFUSED and (state.current_summary is not None or state.has_ended(message.sample_id)):
        return "overtaken"  # the result was only late
    log = await deps.ledger.log(message.run_id, message.sample_id)
    if message.attempt == log.attempt and log.ended:
        return await _compare_result(deps, state, log, message)
    if 0 < message.attempt < log.attempt and state.current_summary is None:
        return "overtaken"
    return await _admit_unless(deps, state, message, find_result_refusal(state, log, message))


async def _is_filed(deps: EvidenceDeps, step: StepTaken) -> bool:
    """Whether the step log has this step in these words."""
    entries = await read_log(deps.store, layout.sample_key(step.run_id, step.sample_id)) or []
    found = [one for one in entries if (one.step.step, one.step.attempt) == (step.step, step.attempt)]
    try:
        return any(step_of(entry, step.run_id, step.sample_id) == step for entry in found)
    except msgspec.ValidationError:  # of an earlier version
        return True


async def _compare_result(deps: EvidenceDeps, state: RunState, log: AttemptLog, message: SampleFinished) -> Admission:
    folder = layout.sample_key(message.run_id, message.sample_id)
    stored = await deps.store.read(f"{folder}/{layout.RESULT}")
    try:
        result = parse_result(stored or b"")
    except chain.NOT_JSON:
        unsupported = find_unsupported(state, log, message) if state.current_summary is None else None
        sealed = find_result_refusal(state, log, message) if state.current_summary is not None else None
        return await _admit_unless(deps, state, message, unsupported or sealed)
    told = parse_result(encode_file(result_file(message, log)))
    if result == told:
        return "filed"
    if result.settlement and told == await _before_settlements(deps, folder):
        return "overtaken"  # a person has settled it since
    if result.refuted and told == await _before_doubts(deps, folder, result.attempt):
        return "overtaken"  # other samples have refuted it since
    other = Refusal("other_content", f"attempt {message.attempt} has another result already")
    return await _refuse(deps, state, message, find_result_refusal(state, log, message) or other)


async def _before_settlements(deps: EvidenceDeps, folder: str) -> ResultFile | None:
    numbers = layout.settlements_in(await deps.store.names(folder))
    return await _read_result(deps, f"{folder}/{layout.settlement_folder(min(numbers, default=1))}")


async def _before_doubts(deps: EvidenceDeps, folder: str, attempt: int) -> ResultFile | None:
    return await _read_result(deps, f"{folder}/{layout.doubt_folder(attempt)}")


async def _read_result(deps: EvidenceDeps, folder: str) -> ResultFile | None:
    try:
        return parse_result(await deps.store.read(f"{folder}/{layout.RESULT}") or b"")
    except chain.NOT_JSON:
        return None


async def _admit_unless(deps: EvidenceDeps, state: RunState, message: Message, refusal: Refusal | None) -> Admission:
    return "new" if refusal is None else await _refuse(deps, state, message, refusal)


async def _refuse(deps: EvidenceDeps, state: RunState, message: Message, refusal: Refusal) -> Admission:
    await deps.quarantine.keep(state.record.run_id, message, refusal.code, refusal.text)
    if isinstance(message, StepTaken | SampleFinished) and state.has_sample(message.sample_id):
        deps.refused_results.note_attempt(state, message.attempt)
    if isinstance(message, SampleFinished):
        deps.refused_results.note(state.record.run_id, message.sample_id, refusal.text)
    return "refused"
