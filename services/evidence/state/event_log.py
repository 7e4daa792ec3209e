"""The entries of the event log that an event of a run stands for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from msgspec.structs import replace

from services.evidence.state.status_record import final_message, is_success
from shared.contracts.discovery import PopulationClosed, RunStarted, SampleFound, SubmissionRejected
from shared.contracts.evidence import EvidenceBlocked, RunFinished
from shared.contracts.outages import outage_text
from shared.contracts.planner import SampleFinished, SamplesListed
from shared.contracts.sessions.control import (
    AnswerUser,
    AskUser,
    CloseRun,
    InterruptRun,
    PauseRun,
    ResumePaused,
    RunControlled,
    SendText,
)
from shared.contracts.sessions.events import LoggedEvent
from shared.contracts.sessions.reviewing import ReviewSignedOff
from shared.contracts.sessions.settling import SampleSettled
from shared.contracts.steps import StepTaken
from shared.subjects import EVENTS, SAMPLE_FOUND, RunEvent

SLOTS = 4
"""Indexes of one event: no event has more entries."""
LOGGED = tuple(subject for subject in EVENTS if subject is not SAMPLE_FOUND)
"""What is in the log. The rows of an input are not: `PopulationClosed` has their number."""
MAX_TEXT = 2000


def log_entries(event: RunEvent, sequence: int, at: datetime) -> list[LoggedEvent]:
    """Return the entries of an event, with their indexes."""
    return [
        replace(entry, index=sequence * SLOTS + place, text=entry.text[:MAX_TEXT])
        for place, entry in enumerate(_entries(event, at))
    ]


def unreadable(sequence: int, at: datetime) -> LoggedEvent:
    """Return the entry of bytes that are no event of a run. Nobody has acted on them."""
    return LoggedEvent(index=sequence * SLOTS, event="RunContent", at=at, text="a message that is no event of a run")


def unsigned(sequence: int, at: datetime) -> LoggedEvent:
    """Return the entry of an event that is not signed by who may send it. Nobody has acted on it."""
    told = "an event that is not signed by a service that may send it"
    return LoggedEvent(index=sequence * SLOTS, event="RunContent", at=at, text=told)


def first_sequence(since: int) -> int:
    """Return the sequence of the first event that may have entries from this index on."""
    return max(since, 0) // SLOTS


def _entries(event: RunEvent, at: datetime) -> Iterator[LoggedEvent]:
    match event:
        case RunStarted():
            yield LoggedEvent(index=0, event="RunStarted", at=at, by=event.record.requested_by)
        case SubmissionRejected():
            told = "; ".join(f"{problem.where}: {problem.message}" for problem in event.problems)
            yield LoggedEvent(index=0, event="RunError", at=at, text=told, success=False)
        case PopulationClosed():
            words = "" if event.complete else f", and it was not proven that these are all ({event.reason})"
            yield LoggedEvent(index=0, event="RunContent", at=at, text=f"{event.samples} samples{words}")
        case SamplesListed():
            yield LoggedEvent(
                index=0, event="RunContent", at=at, text=f"{len(event.items)} items are listed on {event.url}",
                sample_id=event.sample_id, attempt=event.attempt,
            )  # fmt: skip
        case StepTaken():
            yield from _step_entries(event)
        case SampleFinished():
            yield LoggedEvent(
                index=0, event="RunContent", at=at, text=event.message, sample_id=event.sample_id,
                attempt=event.attempt, step=event.steps, status=event.status, reason=event.reason, by=event.decided_by,
            )  # fmt: skip
        case RunFinished():
            yield _end(event, at)
        case SampleSettled():
            told = event.settlement
            yield LoggedEvent(
                index=0, event="RunContent", at=told.at, text=f"settled as {told.verdict}: {told.reason}",
                sample_id=event.sample_id, attempt=told.attempt, by=told.by,
            )  # fmt: skip
        case ReviewSignedOff():
            yield LoggedEvent(index=0, event="RunContent", at=at, text=f"the review is signed off, round {event.round}")
        case EvidenceBlocked():
            yield LoggedEvent(index=0, event="RunContent", at=at, text=event.message, sample_id=event.sample_id)
        case RunControlled():
            yield _control_entry(event)
        case SampleFound():
            return


def _step_entries(step: StepTaken) -> Iterator[LoggedEvent]:
    tool = "" if step.action is None else str(type(step.action).__struct_config__.tag)
    begun = LoggedEvent(
        index=0, event="ToolCallStarted", at=step.started_at, text="" if step.action is None else step.action.reason,
        sample_id=step.sample_id, attempt=step.attempt, step=step.step, tool=tool, by=step.decided_by,
    )  # fmt: skip
    yield begun
    if step.refused or step.action is None:
        yield replace(begun, event="ToolCallRejected", at=step.ended_at, text=step.message)
    else:
        ok = step.result is None or step.result.ok
        yield replace(begun, event="ToolCallCompleted", at=step.ended_at, text=step.message, ok=ok)


def _end(finished: RunFinished, at: datetime) -> LoggedEvent:
    """A run in which no sample is done has failed; an empty list that was proven to be empty is a success."""
    success, any_done = is_success(finished), any(count.status == "done" for count in finished.outcomes)
    event = "RunCompleted" if success or any_done else "RunError"
    return LoggedEvent(index=0, event=event, at=at, text=final_message(finished), success=success)


def _control_entry(told: RunControlled) -> LoggedEvent:
    entry = LoggedEvent(index=0, event="RunContent", at=told.at, key=told.paused_key, by=told.by)
    match told.control:
        case PauseRun():
            outage = told.control.outage
            if outage is None:
                return replace(entry, event="FlowPaused")
            return replace(entry, event="FlowPaused", reason=outage.code, text=outage_text(outage))
        case ResumePaused():
            return replace(entry, event="FlowResumed")
        case InterruptRun():
            return replace(entry, text="the run was interrupted")
        case CloseRun():
            return replace(entry, text="the run was closed: no sample begins any more")
        case SendText():
            return replace(entry, text=told.control.text)
        case AskUser():
            return replace(entry, event="AskUserQuestion", questions=told.control.questions)
        case AnswerUser():
            return replace(entry, text="the questions were answered", answers=told.control.answers)
