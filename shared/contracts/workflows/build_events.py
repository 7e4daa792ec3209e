"""What happens in a build session, in order: conversation.jsonl has one a line, and the state is their fold."""

from __future__ import annotations

from typing import Literal

import msgspec

from shared.contracts.base import Usage
from shared.contracts.questions import Question, QuestionAnswer
from shared.contracts.results import Box
from shared.contracts.workflows.build_outcomes import BuildOutcome

AGENT = "agent"
"""Who has acted or spoken, where that was a model."""
SCRATCH = "scratch"
"""Who has acted or read, where that was a file of scratch_work."""


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="event"):
    """Base of all events. ``at``: ISO 8601, UTC."""

    at: str


class SessionOpened(Event, frozen=True, kw_only=True, omit_defaults=True, tag="opened"):
    """``task_id``: of the spec that is built. ``by``: who works. ``spec``: marks of its fields and keys."""

    task_id: str
    by: str
    spec: dict[str, str] = {}


class TodoAdded(Event, frozen=True, kw_only=True, omit_defaults=True, tag="todo_added"):
    """``number``: from 1. ``fields``: output fields that it brings. ``route_step``: of the spec, from 1; 0: none."""

    number: int
    title: str
    fields: tuple[str, ...] = ()
    route_step: int = 0


class TodoRenamed(Event, frozen=True, kw_only=True, omit_defaults=True, tag="todo_renamed"):
    number: int
    title: str


class TodoMoved(Event, frozen=True, kw_only=True, omit_defaults=True, tag="todo_moved"):
    """``before``: the TODO that it comes right before; 0: it is the last."""

    number: int
    before: int = 0


class TodoDeleted(Event, frozen=True, kw_only=True, omit_defaults=True, tag="todo_deleted"):
    """Its acts on the current row are no part of the flow any more."""

    number: int


class TodoReopened(Event, frozen=True, kw_only=True, omit_defaults=True, tag="todo_reopened"):
    """It was done on the current row, and is worked on again. ``values_dropped``: without what was read for it."""

    number: int
    values_dropped: bool = False


class TodoChosen(Event, frozen=True, kw_only=True, omit_defaults=True, tag="todo_chosen"):
    """What is done next belongs to this TODO."""

    number: int


class RowBegun(Event, frozen=True, kw_only=True, omit_defaults=True, tag="row_begun"):
    """A row is worked out from its beginning; what was recorded of it before is dropped."""

    sample_id: str
    row: dict[str, str]


class ActionBegun(Event, frozen=True, kw_only=True, omit_defaults=True, tag="action_begun"):
    """Stored before an action that may change the site: where nothing is told of its end, it may have been done."""

    todo: int
    action: str


class ActionRecorded(Event, frozen=True, kw_only=True, omit_defaults=True, tag="action"):
    """``step``: its number in the recorded sample. ``by``: ``person``, or ``scratch``: a file of scratch_work did it.
    ``added``: a call that a person has written into that file. ``message``: what came of it; ``url`` and ``title``: of
    the page then. ``box``: of the element that was acted on. ``picture``: the file of the workspace that shows the page
    right before; empty: there is none."""

    todo: int
    step: int
    action: str
    by: str = "person"
    ok: bool = True
    added: bool = False
    message: str = ""
    url: str = ""
    title: str = ""
    box: Box | None = None
    picture: str = ""


class ActionMoved(Event, frozen=True, kw_only=True, omit_defaults=True, tag="action_moved"):
    """The recorded step belongs to another TODO."""

    step: int
    todo: int


class ActionDropped(Event, frozen=True, kw_only=True, omit_defaults=True, tag="action_dropped"):
    """The recorded step is no part of the flow."""

    todo: int
    step: int


class ValueRecorded(Event, frozen=True, kw_only=True, omit_defaults=True, tag="value"):
    """``absent``: the page says that there is none."""

    todo: int
    field: str
    shown: str
    by: str = "person"
    absent: bool = False


class TodoDone(Event, frozen=True, kw_only=True, omit_defaults=True, tag="todo_done"):
    number: int


class RowDone(Event, frozen=True, kw_only=True, omit_defaults=True, tag="row_done"):
    sample_id: str


class ModelDecided(Event, frozen=True, kw_only=True, omit_defaults=True, tag="decided"):
    """A model has decided what is done next, or could not be used. ``move``: its tag; empty: none."""

    model: str
    move: str = ""
    problem: str = ""
    usage: Usage = Usage()


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


class CompilerTold(Event, frozen=True, kw_only=True, omit_defaults=True, tag="compiler"):
    """A line of the compiler's log. ``version``: of flow.py."""

    kind: Literal["started", "took", "problem", "question", "written", "unchanged", "failed"]
    text: str
    version: str = ""
    elapsed_s: float = 0.0


class Told(Event, frozen=True, kw_only=True, omit_defaults=True, tag="told"):
    """What the session says to its users. ``refused``: something that was asked for was not done. ``outcome``: what
    came of it, by which each party is told it in its own words; ``text`` is that for people. ``to_model``: a model had
    asked for it."""

    text: str
    refused: bool = False
    outcome: BuildOutcome | None = None
    to_model: bool = False


class FlowWritten(Event, frozen=True, kw_only=True, omit_defaults=True, tag="compiled"):
    """A compile has ended. ``seen``: number of events that it took in. ``version``: of flow.py; empty: nothing could be
    compiled. ``problems``: why it is a draft. ``asks``: questions of the compiler that wait. ``diff``: of flow.py, as a
    unified diff; empty: it is as before, or the diff is long."""

    seen: int
    version: str = ""
    problems: tuple[str, ...] = ()
    asks: int = 0
    diff: str = ""


class FlowPublished(Event, frozen=True, kw_only=True, omit_defaults=True, tag="published"):
    """``name`` and ``hash``: of the version in the library. ``row``: that it was replayed on. ``held_back``: the replay
    ended before a press that may send something. ``given_up``: fields of which a person has accepted the loss.
    ``unvaried``: those of which all rows, this one too, have one value, which may stand elsewhere by chance."""

    name: str
    hash: str
    row: str
    held_back: bool = False
    given_up: tuple[str, ...] = ()
    unvaried: tuple[str, ...] = ()


class SessionClosed(Event, frozen=True, kw_only=True, omit_defaults=True, tag="closed"):
    """Everything was saved."""


BuildEvent = (
    SessionOpened
    | TodoAdded
    | TodoRenamed
    | TodoMoved
    | TodoDeleted
    | TodoReopened
    | TodoChosen
    | RowBegun
    | ActionBegun
    | ActionRecorded
    | ActionMoved
    | ActionDropped
    | ValueRecorded
    | TodoDone
    | RowDone
    | ModelDecided
    | MessageWritten
    | QuestionsAsked
    | QuestionsAnswered
    | CompileAsked
    | CompilerTold
    | Told
    | FlowWritten
    | FlowPublished
    | SessionClosed
)


def read_event(line: str | bytes) -> BuildEvent:
    """Raises ValueError for what is no event."""
    return msgspec.json.decode(line, type=BuildEvent)


def event_line(event: BuildEvent) -> bytes:
    return msgspec.json.encode(event) + b"\n"
