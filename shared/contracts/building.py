"""What a model decides in a build session: asked by the library, which performs it, answered by the planner."""

from __future__ import annotations

from typing import Any, Literal

from shared.contracts.actions import BrowserAction
from shared.contracts.base import Message, Part, Usage
from shared.contracts.questions import Question
from shared.contracts.workflows.build_events import BuildEvent


class TodoTold(Part, frozen=True, kw_only=True):
    """A TODO as it is now. ``fields``: that it brings."""

    number: int
    title: str
    state: Literal["open", "doing", "done"]
    fields: tuple[str, ...] = ()


class BuilderPage(Part, frozen=True, kw_only=True):
    """The page that the session shows. ``text``: a line for each element, with its number; it may be cut off."""

    url: str
    title: str
    text: str
    snapshot_id: str


class DecideBuild(Message, frozen=True, kw_only=True):
    """Request for the next moves of a build session. ``row``: its current row. ``current``: the TODO that is worked on;
    0: none. ``history``: all that people have said and the last events beside it, oldest first; ``left_out``: how many
    events are not in it. ``page``: None: no page is open. ``problem``: why the last answer could not be used; empty: it
    could. ``still_open``: fields of the task that have neither a value on this row nor a note that they are absent."""

    spec: dict[str, Any]
    row: dict[str, str]
    todos: tuple[TodoTold, ...]
    current: int
    history: tuple[BuildEvent, ...]
    page: BuilderPage | None = None
    problem: str = ""
    left_out: int = 0
    still_open: tuple[str, ...] = ()


class BuildMove(Part, frozen=True, kw_only=True, tag_field="move", tag=True):
    """Base of what a model decides."""


class PlanTodos(BuildMove, frozen=True, kw_only=True, tag="plan"):
    """Replace the TODOs that nobody has worked on. ``fields``: of each, in the same order."""

    titles: tuple[str, ...]
    fields: tuple[tuple[str, ...], ...] = ()


class OpenStart(BuildMove, frozen=True, kw_only=True, tag="open_start"):
    """Open the start address of the row."""


class TakeAction(BuildMove, frozen=True, kw_only=True, tag="act"):
    action: BrowserAction


class ReadElement(BuildMove, frozen=True, kw_only=True, tag="read"):
    """The element with this number shows the value of the field. ``text``: the part of its text that is the value;
    empty: all of it."""

    field: str
    ref: int
    text: str = ""


class FieldAbsent(BuildMove, frozen=True, kw_only=True, tag="absent"):
    """The page shows no value of the field, and no element that says so."""

    field: str


class LeaveOut(BuildMove, frozen=True, kw_only=True, tag="leave_out"):
    """A step of the current TODO is no part of the flow."""

    step: int


class TodoFinished(BuildMove, frozen=True, kw_only=True, tag="finish_todo"):
    """The current TODO is done."""


class WorkAgain(BuildMove, frozen=True, kw_only=True, tag="reopen_todo"):
    """A TODO that is done on this row is worked on again."""

    number: int


class AskPerson(BuildMove, frozen=True, kw_only=True, tag="ask"):
    """1 to 4 questions."""

    questions: tuple[Question, ...]


class HandOver(BuildMove, frozen=True, kw_only=True, tag="hand_over"):
    """Say something to the person, who is to go on: all is done, or something only a person can do."""

    text: str


AnyBuildMove = (
    PlanTodos
    | OpenStart
    | TakeAction
    | ReadElement
    | FieldAbsent
    | LeaveOut
    | TodoFinished
    | WorkAgain
    | AskPerson
    | HandOver
)


class BuildDecided(Message, frozen=True, kw_only=True):
    """``move``: what to do next; None: the answer could not be used, and ``problem`` says why. ``model``: its name."""

    model: str
    move: AnyBuildMove | None = None
    problem: str = ""
    usage: Usage = Usage()
