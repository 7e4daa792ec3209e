"""Messages of planner: the work on one sample, its result, and the drafting of tasks."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from shared.contracts.actions import Judgment
from shared.contracts.base import Message, Part, Usage
from shared.contracts.codes import Fault, OpenCode, Status
from shared.contracts.discovery import Problem, RunMode, Sample
from shared.contracts.error_codes import EndCode
from shared.contracts.explained import FieldExplained
from shared.contracts.steps import FieldValue, FiledArtifact, Note

BY_RULE, BY_REPLAY, BY_OPERATOR = "rules", "replay", "operator"
"""Planners without a model, as named in ``decided_by`` of a step; ``operator`` is followed by the operator's name."""
BY_PERSON = "person"
"""In ``decided_by`` of a step, followed by a name: a person did it who had taken the sample over."""
BY_WORKFLOW = "workflow"
"""In ``decided_by`` of a step: what a workflow of the library returned was reported. It is checked like a model's."""
BY_FLOW = "flow"
"""In ``decided_by`` of a step: a flow of the library asked for it. What it reports is checked like a model's values."""
BY_API = "api"
"""In ``decided_by`` of a step, of a value and of a result: the API of the task's ``integration`` was asked."""
DriverName = Literal["flow", "workflow", "rules", "model", "person", "recording"]
"""Who works on a sample: a flow or another workflow of the library, the rules, a model, a person, or a recorded log."""
DRIVERS: tuple[DriverName, ...] = ("flow", "workflow", "rules", "model", "person", "recording")
LONG_WAY_STEPS = 5
"""A sample that a model did in more steps than this is worth a workflow."""
PLANNERS = (BY_RULE, "anthropic", BY_OPERATOR, BY_REPLAY)
"""Names of planners that a run request may use."""
WITHOUT_MODEL = frozenset({BY_RULE, BY_REPLAY})
"""Planners that report only values they read from the page."""


class WorkSample(Message, frozen=True, kw_only=True):
    """Command to work on one sample. ``attempt_base``: attempts made in earlier rounds. ``again``: how many times the
    sample was queued anew in this round, because it had failed for what may be no fault of its own."""

    run_id: str
    sample_id: str
    sample: Sample
    attempt_base: int = 0
    again: int = 0
    discover: bool = False
    """True: the work is to find the run's samples, with the run's discovery spec as the task."""


class DraftTask(Message, frozen=True, kw_only=True):
    """Request to draft a task from a sentence. ``check_only``: the answer only says whether a model would."""

    request: str
    check_only: bool = False


class CheckPlanner(Message, frozen=True, kw_only=True):
    """Request to check, before a run starts, that a planner can decide. None: the default planner.

    ``mode``, ``spec``: of the run. With the mode ``flow`` it is checked that the task has a flow, and no planner. Where
    the spec has a planner heal the flow, a model must be asked."""

    planner: str | None = None
    mode: RunMode = "auto"
    spec: dict[str, Any] | None = None


class PlannerChecked(Message, frozen=True, kw_only=True):
    """``problem``: why the planner cannot decide, and what to do about it; empty: it can. ``asks_model``: its decisions
    cost money."""

    problem: str = ""
    asks_model: bool = False


class TaskDrafted(Message, frozen=True, kw_only=True):
    """A valid draft of a task. It does not run until a person has accepted it.

    ``spec``: a task spec. ``discovery``: a task spec that lists the samples of ``spec``; ``discovery_row`` fills its
    start URL. ``samples``: rows that the sentence itself names.
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
    """No valid task could be drafted. ``problems``: those of the request, or of the last draft."""

    problems: tuple[Problem, ...]
    usage: Usage = Usage()


class DraftPossible(Message, frozen=True, kw_only=True):
    """A task would be drafted. ``model``: by which model."""

    model: str


DraftReply = TaskDrafted | DraftRefused | DraftPossible


class Lessons(Part, frozen=True, kw_only=True):
    """Lessons about the site from one sample: what worked, and what failed. They are data, never instructions."""

    patterns: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


class SamplesListed(Message, frozen=True, kw_only=True):
    """New items of a list, from one of its pages. Each becomes a sample of the run."""

    run_id: str
    sample_id: str
    attempt: int
    step: int
    url: str
    items: tuple[dict[str, Any], ...]
    addresses: tuple[str, ...] = ()
    """The own address of each item, where it is certain and none of the item's own fields; else an empty text."""


class SampleFinished(Message, frozen=True, kw_only=True):
    """The result of a sample. Of the attempts of a round the first result counts.

    ``reason``: empty for done; else one of `shared.contracts.codes.REASONS`, or the code of the error that ended the
    last attempt.
    """

    run_id: str
    sample_id: str
    attempt: int
    planner_id: str = ""
    """As in :class:`shared.contracts.steps.StepTaken`; empty where evidence gave the sample up."""
    session_id: str = ""
    """As in :class:`shared.contracts.steps.StepTaken`; empty where no session was leased, or it is not known."""
    status: Status
    reason: OpenCode[EndCode] = ""
    message: str = ""
    fault: Fault = ""
    sample: Sample
    values: tuple[FieldValue, ...] = ()
    judgment: Judgment | None = None
    hints: tuple[str, ...] = ()
    """Lessons of earlier samples that the driver was shown."""
    lessons: Lessons | None = None
    """Lessons of this sample, for the drivers of later samples."""
    artifacts: tuple[FiledArtifact, ...] = ()
    steps: int = 0
    usage: Usage = Usage()
    decided_by: str = ""
    drivers: tuple[OpenCode[DriverName], ...] = ()
    """Who has worked on the sample, in order; empty where nobody has, as where an API gave the record."""
    no_flow: str = ""
    """Why no flow was used, where one could have been."""
    counted: int | None = None
    """Of a search for samples: how many the list has by the page's own count; None if no page shows one."""
    listed_pages: int = 0
    """Of a search for samples: how many :class:`SamplesListed` this attempt has published."""
    taken_over_by: tuple[str, ...] = ()
    """The people who have done steps of it by hand, having taken it over."""
    flagged: bool = False
    notes: tuple[Note, ...] = ()
    explained: tuple[FieldExplained, ...] = ()
    """Of fields that are not certain: what nearly matched, and which keys of the spec would settle them."""
    started_at: datetime
    finished_at: datetime
