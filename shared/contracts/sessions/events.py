"""The event log of a run, for those who poll it: in order, with an index that grows."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode, Status
from shared.contracts.error_codes import EndCode
from shared.contracts.evidence import RunUnknown
from shared.contracts.questions import Question, QuestionAnswer

EventName = Literal[
    "RunStarted",
    "RunContent",
    "ToolCallStarted",
    "ToolCallCompleted",
    "ToolCallRejected",
    "FlowPaused",
    "FlowResumed",
    "AskUserQuestion",
    "RunCompleted",
    "RunError",
]
MAX_EVENTS = 1000


class LoggedEvent(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One entry of the log.

    ``index``: grows, with gaps. ``text``: for people. ``tool``: the action of a tool call; ``ok``: whether it did what
    it should. ``status`` and ``reason``: of a sample that ended. ``success``: of a run that ended. ``key``: of a pause
    or of questions. ``by``: who requested, decided, paused, wrote, asked or answered.
    """

    index: int
    event: EventName
    at: datetime
    text: str = ""
    sample_id: str = ""
    attempt: int = 0
    step: int = 0
    tool: str = ""
    ok: bool | None = None
    status: OpenCode[Status] | Literal[""] = ""
    reason: OpenCode[EndCode] = ""
    success: bool | None = None
    key: str = ""
    by: str = ""
    questions: tuple[Question, ...] = ()
    answers: tuple[QuestionAnswer, ...] = ()


class LoadEvents(Message, frozen=True, kw_only=True):
    """Request for the entries of a run's log from the index ``since`` on: at most ``limit``, 1 to 1000."""

    run_id: str
    since: int = 0
    limit: int = 100


class EventsLoaded(Message, frozen=True, kw_only=True):
    """A page of the log. ``next_index``: the ``since`` of the next request. ``more``: there are further entries now.
    ``from_beginning``: False if the bus does not hold the beginning of the run any more; its steps are in the
    evidence."""

    run_id: str
    events: tuple[LoggedEvent, ...]
    next_index: int
    more: bool
    from_beginning: bool = True


EventsReply = EventsLoaded | RunUnknown


class FollowRun(Message, frozen=True, kw_only=True):
    """Request for the events of a run, as they are stored, after the one with the sequence ``after``; 0: from its
    beginning. At most ``limit``, 1 to 1000. ``ends_only``: only those that say that a round has ended."""

    run_id: str
    after: int = 0
    limit: int = 500
    ends_only: bool = False


class FollowedEvent(Part, frozen=True, kw_only=True):
    """``sequence``: grows with every event of any run. ``data``: the message as JSON, as it travelled on ``subject``
    with ``signature``, by which whoever knows the services checks who sent it; empty: it was not signed."""

    sequence: int
    subject: str
    data: str
    signature: str = ""


class RunFollowed(Message, frozen=True, kw_only=True):
    """Events of a run in order. ``more``: there are further ones now."""

    events: tuple[FollowedEvent, ...]
    more: bool = False
