"""Controls of a run at work: what a person asks of it, what is stored of that, and what is told to everybody."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from shared.contracts.base import Message, Part
from shared.contracts.outages import Outage
from shared.contracts.questions import Question, QuestionAnswer

RefusalCode = Literal[
    "no_such_run", "run_ended", "not_paused", "other_pause", "paused_already", "no_such_question", "not_valid"
]
"""Why a control was not applied."""


class Control(Part, frozen=True, kw_only=True, tag_field="control", tag=True):
    """Base of what is asked of a run."""


class PauseRun(Control, frozen=True, kw_only=True, tag="pause"):
    """Every sample waits before its next decision, and none begins. Such time does not count against limits.

    ``outage``: a planner pauses the run for it, and tries a sample from time to time; None: a person pauses it.
    """

    outage: Outage | None = None


class ResumePaused(Control, frozen=True, kw_only=True, tag="resume"):
    """End a pause. ``paused_key``: of the pause that is meant; empty: whichever there is."""

    paused_key: str = ""


class InterruptRun(Control, frozen=True, kw_only=True, tag="interrupt"):
    """Samples at work end before their next decision with what they have read, and none begins. The run can be
    resumed as a new round."""


class CloseRun(Control, frozen=True, kw_only=True, tag="close"):
    """No sample begins any more; those at work are finished. The run can be resumed as a new round."""


class SendText(Control, frozen=True, kw_only=True, tag="message"):
    """A message to whoever decides: a model or an operator is shown it once in each sample."""

    text: str


class AskUser(Control, frozen=True, kw_only=True, tag="ask"):
    """1 to 4 questions to the user. ``key``: names them in the answer."""

    key: str
    questions: tuple[Question, ...]


class AnswerUser(Control, frozen=True, kw_only=True, tag="answer"):
    """Answers to all questions of that key, in their order."""

    key: str
    answers: tuple[QuestionAnswer, ...]


AnyControl = PauseRun | ResumePaused | InterruptRun | CloseRun | SendText | AskUser | AnswerUser


class ControlRun(Message, frozen=True, kw_only=True):
    """Request to apply a control to a run. ``control_id``: made by the client, so that a request that is sent again
    counts once. ``by``: who asks."""

    run_id: str
    control_id: str
    control: AnyControl
    by: str = ""


class RunControlled(Message, frozen=True, kw_only=True):
    """A control was applied. ``number``: of this run's controls, from 1. ``paused_key``: of the pause that it began or
    ended; else empty."""

    run_id: str
    number: int
    control_id: str
    control: AnyControl
    by: str
    at: datetime
    paused_key: str = ""


class ControlRefused(Message, frozen=True, kw_only=True):
    """The control was not applied. ``code``: why."""

    run_id: str
    code: RefusalCode
    message: str


ControlReply = RunControlled | ControlRefused


class RunControl(Part, frozen=True, kw_only=True):
    """The controls of a round of a run as they stand, in the bucket RUN_CONTROL. Those of an earlier round are void.

    ``count``: controls applied so far, over all rounds. ``paused_key``: empty: it is not paused. ``messages``: to
    whoever decides. ``open_questions``: without an answer. ``last``: the last controls, to know a repetition.
    ``outage``: what it is paused for, or was when it was closed; None: a person has paused it, or nobody.
    """

    attempt_base: int
    count: int = 0
    paused_key: str = ""
    interrupted: bool = False
    closing: bool = False
    outage: Outage | None = None
    paused_at: datetime | None = None
    messages: tuple[str, ...] = ()
    open_questions: tuple[AskUser, ...] = ()
    last: tuple[RunControlled, ...] = ()


class OutageStreak(Part, frozen=True, kw_only=True):
    """The samples of a round that have failed in a row for one cause, in the bucket OUTAGES. Planners write it.

    ``kind`` and ``where``: as of an `Outage`. ``samples``: in a row. ``alone``: samples that failed so while others did
    not: their next failure is their own. ``paused_key``: the pause that samples were tried in, ``tries`` of them, the
    last at ``tried_at``.
    """

    attempt_base: int
    kind: str = ""
    where: str = ""
    samples: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    paused_key: str = ""
    tries: int = 0
    tried_at: datetime | None = None
