"""Owned by planner: the work on one sample, and its result."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from shared.contracts.actions import Judgment
from shared.contracts.base import Message, Part, Usage
from shared.contracts.codes import Fault, OpenCode, Status
from shared.contracts.discovery import Problem, Sample
from shared.contracts.error_codes import EndCode
from shared.contracts.steps import FieldValue, FiledArtifact, Note

BY_RULE, BY_REPLAY, BY_OPERATOR = "rules", "replay", "operator"
"""Planners without a model; a step names them in ``decided_by``, with the operator's own name behind the last."""
PLANNERS = (BY_RULE, "anthropic", BY_OPERATOR, BY_REPLAY)
"""The names by which a run asks for a planner."""
WITHOUT_MODEL = frozenset({BY_RULE, BY_REPLAY})
"""Planners that report only what they have read off the page themselves."""


class WorkSample(Message, frozen=True, kw_only=True):
    run_id: str
    sample_id: str
    sample: Sample
    attempt_base: int = 0
    discover: bool = False
    """The sample is the discovery of the run's other samples: the task is the run's discovery spec."""


class DraftTask(Message, frozen=True, kw_only=True):
    """Please make a task of this sentence."""

    request: str


class CheckPlanner(Message, frozen=True, kw_only=True):
    """Before a run starts: can this planner decide at all? None: the one that is used where none is named."""

    planner: str | None = None


class PlannerChecked(Message, frozen=True, kw_only=True):
    """``problem``: why it cannot, in words that say what to do; empty: it can."""

    problem: str = ""


class TaskDrafted(Message, frozen=True, kw_only=True):
    """A task that validates; nothing runs until a person has seen it.

    ``spec`` is a task spec; where ``discovery`` is given, it lists the samples of ``spec``, its start URL filled from
    ``discovery_row``. ``samples`` are rows that the sentence itself named.
    """

    spec: dict[str, Any]
    discovery: dict[str, Any] | None = None
    discovery_row: dict[str, str] = {}
    samples: tuple[dict[str, str], ...] = ()
    explanation: str = ""
    open_questions: tuple[str, ...] = ()
    drafted_by: str
    usage: Usage = Usage()


class DraftRefused(Message, frozen=True, kw_only=True):
    """No task could be made of it; ``problems`` says what was wrong, with the request or with the last draft."""

    problems: tuple[Problem, ...]
    usage: Usage = Usage()


DraftReply = TaskDrafted | DraftRefused


class Lessons(Part, frozen=True, kw_only=True):
    """What a sample has taught about the site: what worked, and what did not. Data, never orders."""

    patterns: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


class SamplesListed(Message, frozen=True, kw_only=True):
    """Items of a list that were not known before, as one page of it showed them: each becomes a sample of the run."""

    run_id: str
    sample_id: str
    attempt: int
    step: int
    url: str
    items: tuple[dict[str, Any], ...]


class SampleFinished(Message, frozen=True, kw_only=True):
    """The end of a sample: exactly one counts, that of the highest attempt.

    ``reason`` is empty for done, else one of `shared.contracts.codes.REASONS`, or the code of the error that ended the
    last try.
    """

    run_id: str
    sample_id: str
    attempt: int
    status: Status
    reason: OpenCode[EndCode] = ""
    message: str = ""
    fault: Fault = ""
    sample: Sample
    values: tuple[FieldValue, ...] = ()
    judgment: Judgment | None = None
    hints: tuple[str, ...] = ()
    """What earlier samples had taught, as it was shown while this one was worked on."""
    lessons: Lessons | None = None
    """What this one has taught; later samples may be shown it."""
    artifacts: tuple[FiledArtifact, ...] = ()
    steps: int = 0
    usage: Usage = Usage()
    decided_by: str = ""
    flagged: bool = False
    notes: tuple[Note, ...] = ()
    started_at: datetime
    finished_at: datetime
