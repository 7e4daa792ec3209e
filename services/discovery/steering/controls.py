"""What a control does to the record of a run's controls, or why it is refused. Pure."""

from __future__ import annotations

from datetime import datetime

from msgspec.structs import replace

from shared.contracts.questions import MAX_TEXT, answers_problem, questions_problem
from shared.contracts.sessions.control import (
    AnswerUser,
    AskUser,
    CloseRun,
    ControlRefused,
    ControlRun,
    InterruptRun,
    PauseRun,
    RefusalCode,
    ResumePaused,
    RunControl,
    RunControlled,
    SendText,
)

MAX_MESSAGES, MAX_OPEN, MAX_LAST = 20, 20, 50


def control_of_round(stored: RunControl | None, attempt_base: int) -> RunControl:
    """Return the record of this round: that of an earlier round leaves only its count."""
    if stored is None or stored.attempt_base < attempt_base:
        return RunControl(attempt_base=attempt_base, count=0 if stored is None else stored.count)
    return stored


def known_control(record: RunControl, control_id: str) -> RunControlled | None:
    """Return the control of that id, if it was applied already."""
    return next((one for one in record.last if one.control_id == control_id), None)


def applied(record: RunControl, request: ControlRun, at: datetime) -> RunControl | ControlRefused:
    """Return the record after the control; the last of ``last`` tells of it."""
    changed = _changed(record, request, at)
    if isinstance(changed, ControlRefused):
        return changed
    number = record.count + 1
    told = RunControlled(
        run_id=request.run_id,
        number=number,
        control_id=request.control_id,
        control=request.control,
        by=request.by[:MAX_TEXT],
        at=at,
        paused_key=_paused_key(record, changed, request),
    )
    return replace(changed, count=number, last=(*record.last, told)[-MAX_LAST:])


def _changed(record: RunControl, request: ControlRun, at: datetime) -> RunControl | ControlRefused:
    control = request.control
    match control:
        case PauseRun():
            return _paused(record, control, request, at)
        case ResumePaused():
            return _resumed(record, control, request.run_id)
        case InterruptRun():
            return replace(record, interrupted=True, paused_key="")
        case CloseRun():
            return replace(record, closing=True, paused_key="")
        case SendText():
            if not control.text.strip() or len(control.text) > MAX_TEXT:
                return _refused(request.run_id, "not_valid", f"a message has 1 to {MAX_TEXT} characters")
            return replace(record, messages=(*record.messages, control.text.strip())[-MAX_MESSAGES:])
        case AskUser():
            return _asked(record, control, request.run_id)
        case AnswerUser():
            return _answered(record, control, request.run_id)


def _paused(record: RunControl, control: PauseRun, request: ControlRun, at: datetime) -> RunControl | ControlRefused:
    """A pause for an outage is told once. It adds its cause to a pause of a person, whose key stays."""
    if control.outage is not None and ((record.paused_key and record.outage) or record.interrupted or record.closing):
        return _refused(request.run_id, "paused_already", f"{request.run_id} is paused already, or is to end")
    outage = control.outage or (record.outage if record.paused_key else None)
    since = record.paused_at if record.paused_key and control.outage is None else at
    return replace(record, paused_key=record.paused_key or request.control_id, outage=outage, paused_at=since)


def _resumed(record: RunControl, control: ResumePaused, run_id: str) -> RunControl | ControlRefused:
    if not record.paused_key:
        return _refused(run_id, "not_paused", f"{run_id} is not paused")
    if control.paused_key not in ("", record.paused_key):
        return _refused(run_id, "other_pause", f"{run_id} is paused by another pause, {record.paused_key}")
    return replace(record, paused_key="", outage=None, paused_at=None)


def _asked(record: RunControl, control: AskUser, run_id: str) -> RunControl | ControlRefused:
    problem = questions_problem(control.questions)
    if not control.key or any(asked.key == control.key for asked in record.open_questions):
        problem = problem or "questions need a key that no open question has"
    if len(record.open_questions) >= MAX_OPEN:
        problem = problem or f"{MAX_OPEN} questions wait for their answers already"
    if problem:
        return _refused(run_id, "not_valid", problem)
    return replace(record, open_questions=(*record.open_questions, control))


def _answered(record: RunControl, control: AnswerUser, run_id: str) -> RunControl | ControlRefused:
    asked = next((one for one in record.open_questions if one.key == control.key), None)
    if asked is None:
        return _refused(run_id, "no_such_question", f"{run_id} has no open question {control.key!r}")
    if problem := answers_problem(asked.questions, control.answers):
        return _refused(run_id, "not_valid", problem)
    return replace(record, open_questions=tuple(one for one in record.open_questions if one is not asked))


def _paused_key(before: RunControl, after: RunControl, request: ControlRun) -> str:
    if isinstance(request.control, AskUser | AnswerUser):
        return request.control.key
    return after.paused_key or before.paused_key if isinstance(request.control, PauseRun | ResumePaused) else ""


def _refused(run_id: str, code: RefusalCode, message: str) -> ControlRefused:
    return ControlRefused(run_id=run_id, code=code, message=message)
