"""What happens in a build session, in order: conversation.jsonl has one a line, and the state is their fold."""

from __future__ import annotations

import msgspec

from shared.contracts.sessions.questions import Question, QuestionAnswer


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="event"):
    """Base of all events. ``at``: ISO 8601, UTC."""

    at: str


class SessionOpened(Event, frozen=True, kw_only=True, omit_defaults=True, tag="opened"):
    """``task_id``: of the spec that is built. ``by``: who works."""

    task_id: str
    by: str


class TodoAdded(Event, frozen=True, kw_only=True, omit_defaults=True, tag="todo_added"):
    """``number``: from 1. ``fields``: output fields that it brings. ``route_step``: of the spec, from 1; 0: none."""

    number: int
    title: str
    fields: tuple[str, ...] = ()
    route_step: int = 0


class RowBegun(Event, frozen=True, kw_only=True, omit_defaults=True, tag="row_begun"):
    """A row is worked out from its beginning; what was recorded of it before is dropped."""

    sample_id: str
    row: dict[str, str]


class ActionRecorded(Event, frozen=True, kw_only=True, omit_defaults=True, tag="action"):
    """``step``: its number in the recorded sample. ``by``: ``person``, or ``scratch``: a file of scratch_work did it.
    ``added``: a call that a person has written into that file."""

    todo: int
    step: int
    action: str
    by: str = "person"
    ok: bool = True
    added: bool = False


class ActionDropped(Event, frozen=True, kw_only=True, omit_defaults=True, tag="action_dropped"):
    """The recorded step is no part of the flow."""

    todo: int
    step: int


class ValueRecorded(Event, frozen=True, kw_only=True, omit_defaults=True, tag="value"):
    todo: int
    field: str
    shown: str
    by: str = "person"


class TodoDone(Event, frozen=True, kw_only=True, omit_defaults=True, tag="todo_done"):
    number: int


class RowDone(Event, frozen=True, kw_only=True, omit_defaults=True, tag="row_done"):
    sample_id: str


class MessageWritten(Event, frozen=True, kw_only=True, omit_defaults=True, tag="message"):
    by: str
    text: str


class QuestionsAsked(Event, frozen=True, kw_only=True, omit_defaults=True, tag="asked"):
    """1 to 4 questions at once."""

    questions: tuple[Question, ...]


class QuestionsAnswered(Event, frozen=True, kw_only=True, omit_defaults=True, tag="answered"):
    answers: tuple[QuestionAnswer, ...]


class CompileAsked(Event, frozen=True, kw_only=True, omit_defaults=True, tag="compile_asked"):
    """By hand, or on closing."""

    why: str


class FlowWritten(Event, frozen=True, kw_only=True, omit_defaults=True, tag="compiled"):
    """A compile has ended. ``seen``: number of events that it took in. ``version``: of flow.py; empty: nothing could be
    compiled. ``problems``: why it is a draft."""

    seen: int
    version: str = ""
    problems: tuple[str, ...] = ()


class SessionClosed(Event, frozen=True, kw_only=True, omit_defaults=True, tag="closed"):
    """Everything was saved."""


BuildEvent = (
    SessionOpened
    | TodoAdded
    | RowBegun
    | ActionRecorded
    | ActionDropped
    | ValueRecorded
    | TodoDone
    | RowDone
    | MessageWritten
    | QuestionsAsked
    | QuestionsAnswered
    | CompileAsked
    | FlowWritten
    | SessionClosed
)


def read_event(line: str | bytes) -> BuildEvent:
    """Raises ValueError for what is no event."""
    return msgspec.json.decode(line, type=BuildEvent)


def event_line(event: BuildEvent) -> bytes:
    return msgspec.json.encode(event) + b"\n"
