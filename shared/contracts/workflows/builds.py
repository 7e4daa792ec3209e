"""Build sessions: what a client asks of one, and what is told of it. What happens in it is in `build_events`."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from shared.contracts.actions import BrowserAction
from shared.contracts.base import Message, Part
from shared.contracts.questions import Question, QuestionAnswer
from shared.contracts.results import Box
from shared.contracts.workflows.build_events import BuildEvent

BuildRefusal = Literal["no_such_build", "not_valid", "at_work", "taken_over"]
"""Why a build session did not do what was asked. ``taken_over``: another process of the library has it now."""


class BuildRow(Part, frozen=True, kw_only=True):
    """A row of the task's input. ``number``: from 1."""

    sample_id: str
    number: int
    fields: dict[str, str]


class BuildStanding(Part, frozen=True, kw_only=True):
    """How far a session is. ``changed_at``: ISO 8601, UTC; empty: nothing was done. ``todos`` and ``done``: of the
    current row; ``rows``: that are finished. ``published``: the flow is in the library as it is."""

    changed_at: str = ""
    todos: int = 0
    done: int = 0
    rows: int = 0
    published: bool = False


class BuildRecord(Part, frozen=True, kw_only=True):
    """A build session as it is kept in the bucket BUILDS. ``owner``: the process that has it; ``batches``: of events
    so far. ``files``: SHA-256 of each file of its workspace by its path; the bytes are in BUILD_FILES.
    ``agent``: a model works in it. ``standing``: as it was when files of it were stored last; None: of a session of an
    earlier version.

    ``closed_at``: None: it is not closed. ``size_bytes``: of its files. ``dropping``: what is kept of it is being
    removed; ``first_batch``: number of its first batch of events: those before it are of a session that was dropped."""

    build_id: str
    owner: str
    spec: dict[str, Any]
    rows: tuple[BuildRow, ...]
    by: str
    files: dict[str, str] = {}
    agent: bool = False
    closed_at: datetime | None = None
    size_bytes: int = 0
    dropping: bool = False
    first_batch: int = 1
    standing: BuildStanding | None = None


class BuildBatch(Part, frozen=True, kw_only=True):
    """Events of a session that were stored together. ``first``: the number of the first, from 1."""

    first: int
    events: tuple[BuildEvent, ...]


class BuildCommand(Part, frozen=True, kw_only=True, tag_field="command", tag=True):
    """Base of what is asked of a build session. Commands are done one after the other."""


class BeginWork(BuildCommand, frozen=True, kw_only=True, tag="begin"):
    """Open the first row, or go on where the session was left."""


class ActOnRow(BuildCommand, frozen=True, kw_only=True, tag="act"):
    """Perform an action on the page of the row; it belongs to the current TODO."""

    action: BrowserAction


class ShowPage(BuildCommand, frozen=True, kw_only=True, tag="page"):
    """Look at the page again. ``words``: that the shown lines must have."""

    words: tuple[str, ...] = ()


class ReadValue(BuildCommand, frozen=True, kw_only=True, tag="read"):
    """Record a value. ``ref``: the number of the element that shows it, and ``part`` the part of its text that is the
    value; empty: all of it. ``where``, without a number: what a person has typed: the number of an element, alone or
    before a part of its text; ``beside`` and a label; or the text itself."""

    field: str
    where: tuple[str, ...] = ()
    ref: int = 0
    part: str = ""


class NoteAbsent(BuildCommand, frozen=True, kw_only=True, tag="absent"):
    """The page shows no value of a field that need not be there, and no element that says so."""

    field: str


class UndoStep(BuildCommand, frozen=True, kw_only=True, tag="undo"):
    """Leave the last step of the TODO out of the flow."""


class FinishTodo(BuildCommand, frozen=True, kw_only=True, tag="done"):
    """The current TODO is finished."""


class AddTodo(BuildCommand, frozen=True, kw_only=True, tag="todo_add"):
    title: str
    fields: tuple[str, ...] = ()


class RenameTodo(BuildCommand, frozen=True, kw_only=True, tag="todo_rename"):
    number: int
    title: str


class MoveTodo(BuildCommand, frozen=True, kw_only=True, tag="todo_move"):
    """``before``: a TODO; 0: to the end."""

    number: int
    before: int = 0


class DeleteTodo(BuildCommand, frozen=True, kw_only=True, tag="todo_delete"):
    number: int


class ReopenTodo(BuildCommand, frozen=True, kw_only=True, tag="todo_reopen"):
    """Work on a TODO again that is done on this row."""

    number: int


class ChooseTodo(BuildCommand, frozen=True, kw_only=True, tag="todo_choose"):
    """What is done next belongs to this TODO."""

    number: int


class MoveStep(BuildCommand, frozen=True, kw_only=True, tag="step_move"):
    """A recorded step belongs to another TODO."""

    step: int
    todo: int


class NextRow(BuildCommand, frozen=True, kw_only=True, tag="next"):
    """Run what is in scratch_work on the next row."""


class RowAgain(BuildCommand, frozen=True, kw_only=True, tag="again"):
    """This row from its beginning, with what is in scratch_work."""


class CompileNow(BuildCommand, frozen=True, kw_only=True, tag="compile"):
    """Compile in the background."""


class AskCompiler(BuildCommand, frozen=True, kw_only=True, tag="questions"):
    """Ask what the compiler asks."""


class SayText(BuildCommand, frozen=True, kw_only=True, tag="say"):
    """A message of a person into the conversation. Where a model works in the session, it goes on with it until
    it hands over or another command comes."""

    text: str


class GiveAnswers(BuildCommand, frozen=True, kw_only=True, tag="answer"):
    """Answers to all questions that wait, in their order; none: they are left open, and what asked goes on so.
    ``asked``: the number under which they were asked, as `BuildFollowed` has it: answers to others are refused; 0:
    whichever wait."""

    answers: tuple[QuestionAnswer, ...]
    asked: int = 0


class PublishFlow(BuildCommand, frozen=True, kw_only=True, tag="publish"):
    """Replay the flow on a row that it was not built with, and put it into the library. ``name``: empty: the task's.
    ``accept_loss``: fields that may be lost."""

    name: str = ""
    author: str = ""
    accept_loss: tuple[str, ...] = ()


class CloseBuild(BuildCommand, frozen=True, kw_only=True, tag="close"):
    """Save, compile and end. The session can be opened again. ``offer``: ask first whether to publish the flow,
    where that can be done."""

    offer: bool = False


AnyBuildCommand = (
    BeginWork
    | ActOnRow
    | ShowPage
    | ReadValue
    | NoteAbsent
    | UndoStep
    | FinishTodo
    | AddTodo
    | RenameTodo
    | MoveTodo
    | DeleteTodo
    | ReopenTodo
    | ChooseTodo
    | MoveStep
    | NextRow
    | RowAgain
    | CompileNow
    | AskCompiler
    | SayText
    | GiveAnswers
    | PublishFlow
    | CloseBuild
)


class OpenBuild(Message, frozen=True, kw_only=True):
    """Request for a build session: a new one, or one that is kept under this id. ``rows``: replace those that it has,
    if there are any. ``by``: who works. ``agent``: a model does what people say in it."""

    build_id: str
    spec: dict[str, Any]
    rows: tuple[BuildRow, ...] = ()
    by: str = ""
    agent: bool = False


class BuildOpened(Message, frozen=True, kw_only=True):
    """``instance_id``: the process that has it. ``events``: so far. ``files``: SHA-256 of each file by its path."""

    build_id: str
    instance_id: str
    events: int
    files: dict[str, str]


class BuildRefused(Message, frozen=True, kw_only=True):
    """It was not done. ``code``: why."""

    build_id: str
    code: BuildRefusal
    message: str


class StoreBuildFile(Message, frozen=True, kw_only=True):
    """A part of a file of the workspace. A client sends what a person has written into scratch_work; before `BeginWork`
    every file of a workspace that goes on. ``removed``: the file is gone. ``last``: it is complete with this part."""

    build_id: str
    instance_id: str
    path: str
    data: bytes = b""
    offset: int = 0
    last: bool = True
    removed: bool = False


class BuildFileStored(Message, frozen=True, kw_only=True):
    build_id: str


class LoadBuildFile(Message, frozen=True, kw_only=True):
    """Request for a part of a file of the workspace."""

    build_id: str
    instance_id: str
    path: str
    offset: int = 0


class BuildFilePart(Message, frozen=True, kw_only=True):
    """``size``: of the whole file in bytes."""

    data: bytes
    size: int


class DoInBuild(Message, frozen=True, kw_only=True):
    """Request to do something. It is answered once that has begun; what comes of it is told by `FollowBuild`.
    ``command_id``: made by the client, so that a request that is sent again counts once. ``by``: who asks; empty: who
    has opened the session."""

    build_id: str
    instance_id: str
    command_id: str
    command: AnyBuildCommand
    by: str = ""


class BuildAccepted(Message, frozen=True, kw_only=True):
    build_id: str


class FollowBuild(Message, frozen=True, kw_only=True):
    """Request for what has happened. ``since``: events that are known. ``change``: as told last; it is answered when
    there is something else, or after ``wait_s``."""

    build_id: str
    instance_id: str
    since: int = 0
    change: int = -1
    wait_s: float = 0.0


class ElementInView(Part, frozen=True, kw_only=True):
    """An element of a page, to be pointed at. ``name``: what it shows, shortened; ``box``: in CSS px of the page."""

    ref: int
    role: str
    name: str
    box: Box


class ShownPage(Part, frozen=True, kw_only=True):
    """The page as `ShowPage` has found it. ``lines``: one for each element, the first ones; ``more``: how many are left
    out. ``number``: grows with each look. ``snapshot_id``: the look that numbers of elements are of, and ``at`` when it
    was taken (ISO 8601). ``elements``: those that were in view, the first ones. The last two are empty in a session of
    an earlier version."""

    url: str
    title: str
    lines: tuple[str, ...]
    more: int
    number: int
    snapshot_id: str = ""
    elements: tuple[ElementInView, ...] = ()
    at: str = ""


class WatchedRow(Part, frozen=True, kw_only=True):
    """By what the browser of a row is seen (`shared.contracts.browser.live.WatchSample`)."""

    run_id: str
    sample_id: str


class BuildFollowed(Message, frozen=True, kw_only=True):
    """``events``: the next ones after those that are known. ``next``: how many are known then. ``stored``: how many
    there are. ``change``: grows with everything that happens. ``done``: ids of the last commands that have ended.
    ``questions``: that wait for an answer; ``asked``: their number, which grows each time something is asked.
    ``snapshot_id``: of the last look at the page, which numbers of elements refer to. ``page``: the last one that was
    shown. ``watched``: by what its browser is seen; None: it has none open."""

    events: tuple[BuildEvent, ...]
    next: int
    stored: int
    change: int
    done: tuple[str, ...]
    questions: tuple[Question, ...]
    files: dict[str, str]
    snapshot_id: str = ""
    page: ShownPage | None = None
    watched: WatchedRow | None = None
    closed: bool = False
    asked: int = 0


class ListBuilds(Message, frozen=True, kw_only=True):
    """Request for the build sessions that are kept, also those that no process has open."""


class ListedBuild(Part, frozen=True, kw_only=True):
    """A build session in a list. ``rows``: of its task's input."""

    build_id: str
    task_id: str
    by: str
    agent: bool
    rows: int
    standing: BuildStanding


class BuildsListed(Message, frozen=True, kw_only=True):
    """``builds``: those in which something was done last come first. ``more``: how many are left out."""

    builds: tuple[ListedBuild, ...]
    more: int = 0


class ReadBuild(Message, frozen=True, kw_only=True):
    """Request for what is kept of a build session, which is not opened by it. ``since``: events that are known; below
    0: its record is asked for instead."""

    build_id: str
    since: int = -1


class BuildRead(Message, frozen=True, kw_only=True):
    """``record``: None where events were asked for. ``events``: the next ones, as many as fit into a message; none:
    there are no more."""

    record: BuildRecord | None = None
    events: tuple[BuildEvent, ...] = ()


class ReadBuildFile(Message, frozen=True, kw_only=True):
    """Request for a part of a file of a build session as it is kept. ``sha256``: of a file that its record names."""

    build_id: str
    sha256: str
    offset: int = 0


OpenReply = BuildOpened | BuildRefused
DoReply = BuildAccepted | BuildRefused
FollowReply = BuildFollowed | BuildRefused
StoreReply = BuildFileStored | BuildRefused
LoadFileReply = BuildFilePart | BuildRefused
ReadReply = BuildRead | BuildRefused
