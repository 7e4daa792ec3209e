"""Owned by planner: the work on one sample, its step log and its result."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from shared.contracts.actions import (
    Action,
    ActionResult,
    Artifact,
    Box,
    BrowserAction,
    Locator,
    Target,
)
from shared.contracts.base import Message, Part
from shared.contracts.discovery import Problem, Sample
from shared.contracts.usage import Usage
from shared.contracts.usage import add_usage as add_usage
from shared.contracts.vision import VisionAnswered

# --- the actions that end in the planner, not in a browser


class SaveProgress(Action, frozen=True, kw_only=True, tag="save_progress"):
    """Keeps what has been found so far; the work goes on. ``refs`` maps a field to the element that shows it."""

    values: dict[str, Any]
    not_present: dict[str, str] = {}
    refs: dict[str, int] = {}


class ReportItems(Action, frozen=True, kw_only=True, tag="report_items"):
    """What this page of a list holds, one object an item; only in tasks that find samples. The work goes on."""

    items: tuple[dict[str, Any], ...]
    place: str = ""
    """Where on the page the list stands, as :class:`shared.contracts.browser_pool.Element` has it."""


class AskPicture(Action, frozen=True, kw_only=True, tag="ask_picture"):
    """One question about a picture of ``target``, or of what is in view: what an icon, a colour, a drawing says.

    ``field`` is the output field that the answer is for.
    """

    question: str
    target: Target | None = None
    field: str = ""


class JudgmentGiven(Part, frozen=True, kw_only=True):
    """A decider's answer to the task's question. ``evidence_refs`` are file names of artifacts of this sample."""

    answer: str
    confidence: float
    """From 0 to 1."""
    reasoning: str
    evidence_refs: tuple[str, ...] = ()


class Judgment(Part, frozen=True, kw_only=True):
    """As accepted, with the question it answers; kept apart from the data."""

    question: str
    answer: str
    confidence: float
    reasoning: str
    evidence_refs: tuple[str, ...] = ()
    decided_by: str = ""


class Done(Action, frozen=True, kw_only=True, tag="done"):
    """The sample is finished, if the gates agree.

    ``values`` holds what was read, as shown on the page. ``not_present`` names the fields of which
    the page itself says that there is nothing (an unassigned ticket), mapped to the words it uses;
    a field in neither was not found. ``refs`` maps a field to the element it was read from.
    """

    values: dict[str, Any]
    not_present: dict[str, str] = {}
    refs: dict[str, int] = {}
    judgment: JudgmentGiven | None = None


class Fail(Action, frozen=True, kw_only=True, tag="fail"):
    """The sample cannot be worked on.

    ``code``: not_found, auth_required, blocked or other; by rule also missing_column, identity_mismatch,
    ambiguous, http_error, unreachable, policy_denied, off_route, ambiguous_target, ambiguous_record, invalid_input,
    unknown_outcome, replay_differs, replay_withheld.
    """

    code: str = "other"
    note: str = ""


OwnAction = SaveProgress | ReportItems | AskPicture | Done | Fail
AnyAction = BrowserAction | OwnAction

# --- work


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


class Pressed(Part, frozen=True, kw_only=True):
    """Stored before a button is pressed that cannot be taken back: whose press it is. ``step`` counts from 1."""

    run_id: str
    sample_id: str
    step: int
    attempt: int


# --- what a step leaves behind


class ValueSource(Part, frozen=True, kw_only=True):
    """Where on which page a value stood."""

    snapshot_id: str
    observation_sha256: str
    url: str
    ref: int
    role: str
    label: str | None
    box: Box | None
    frame: str
    fingerprint: str = ""
    """As in :class:`shared.contracts.actions.TargetFound`."""
    locators: tuple[Locator, ...] = ()
    kept_ref: int = 0
    """Its ref in the stored observation, where the page was looked at once more to keep it; 0: none."""
    page_sha256: str = ""
    """Hash of the artifact with the stored page that shows it; empty where none was stored."""
    observation_file_sha256: str = ""
    """Hash of the artifact with the stored observation of that page."""
    screenshot_sha256: str = ""
    """Hash of the picture that shows it, where one was taken of the same state of the page."""
    title: str | None = None
    """What the element's markup says beside the shown text, such as the moment of "3 days ago"."""
    date_order: str | None = None
    """The order of day, month and year that the page settles for this value; None where nothing needed settling."""


class FieldValue(Part, frozen=True, kw_only=True):
    """One field of the output.

    ``state`` tells three things apart: ``value`` (it is there), ``not_present`` (the page says that
    there is none; ``shown`` has its words) and ``not_found`` (we could not find it).
    """

    field: str
    state: Literal["value", "not_present", "not_found"]
    value: Any = None
    shown: str | None = None
    """The text on the page before normalisation."""
    source: ValueSource | None = None
    origin: Literal["page", "derived", "vision"] = "page"
    """Read off the page; or worked out by a model from what pages show; or read from a picture."""
    read_by: str = ""
    """Who read it: ``rules``, ``operator``, or the name of a model."""


class FiledArtifact(Part, frozen=True, kw_only=True):
    """An artifact under the name it bears in the sample's folder, such as ``01_ticket.png``."""

    filename: str
    artifact: Artifact


class ObservationRef(Part, frozen=True, kw_only=True):
    snapshot_id: str
    sha256: str
    url: str
    title: str
    http_status: int | None
    dom_confidence: float
    page_sha256: str | None = None
    """Hash of the stored page, where one was stored."""
    signature: str = ""
    """Equal for two looks at a page on which nothing has moved on: address, content, field values, scroll position."""
    proof: Literal["proven", "mismatch", "unproven"] = "unproven"
    """Whether it shows the record that the sample asks for."""
    triggers: tuple[str, ...] = ()


class Summary(Part, frozen=True, kw_only=True):
    """What the first ``steps`` steps of an attempt came to, for a decider that cannot be shown them all."""

    steps: int
    text: str
    by: str
    """The name of the model, or ``mechanical``."""


class StepTaken(Message, frozen=True, kw_only=True):
    """One turn of observe, decide, act. Steps count from 1 within an attempt.

    ``observation`` is None where nothing had been seen yet (the first step), ``action`` where the decider
    gave none that could be used; ``message`` then says why. The steps of an attempt are all that its state
    is made from (`services.planner.sample_state.replayed`).
    """

    run_id: str
    sample_id: str
    attempt: int
    step: int
    started_at: datetime
    ended_at: datetime
    observation: ObservationRef | None
    decided_by: str
    """``rules``, or the name of the model."""
    action: AnyAction | None
    result: ActionResult | None = None
    """None for the actions that end in the planner."""
    message: str = ""
    """What the decider is told came of it."""
    refused: bool = False
    """Not accepted by us: it could not be understood, the gates did not agree, or only an end was open to it."""
    remark: str = ""
    """What else the decider is told of its answer."""
    notices: tuple[str, ...] = ()
    """What the decider was told of its own progress before it decided."""
    call: int = 1
    """Which of the calls of one answer this was."""
    artifacts: tuple[FiledArtifact, ...] = ()
    values: tuple[FieldValue, ...] = ()
    """Of the fields in question: as saved, or as they go into the result."""
    seen: tuple[FieldValue, ...] = ()
    """Fields as read by rule from the page that was decided on."""
    unconfirmed: tuple[str, ...] = ()
    """Saved fields that no page was seen to show."""
    items: tuple[dict[str, Any], ...] = ()
    """Of a list: the ones that were not known before."""
    vision: VisionAnswered | None = None
    """What a picture was found to say."""
    summary: Summary | None = None
    """Made before this decision, of the steps before it."""
    notes: tuple[str, ...] = ()
    """What a reviewer should know of it."""
    looks: int = 0
    """Extra observations of the page since the last action that may have changed it."""
    observe_tokens: int = 0
    """The budget of the observation."""
    prompt_chars: int = 0
    """Length of what a model was sent."""
    prompt_weight: float = 0.0
    """What its tokens were reckoned to be by the kinds of its characters alone: what was counted beside it is the scale
    of the next prompt."""
    usage: Usage = Usage()
    browser_ms: float = 0.0
    decide_ms: float = 0.0
    total_ms: float = 0.0


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


DIFFERS = "differs: "
"""How the notes of a replay begin that say what is not as it was recorded."""

Status = Literal["done", "partial_success", "needs_review", "failed", "auth_required"]


class SampleFinished(Message, frozen=True, kw_only=True):
    """The end of a sample: exactly one counts, that of the highest attempt.

    ``reason`` is empty for done, else a stable code: not_found, identity_mismatch, ambiguous_value,
    missing_fields, invalid_values, missing_artifacts, unconfirmed_values, contradicted_values, invalid_judgment,
    disputed_not_found, replay_differs, replay_withheld, missing_column, http_error, unreachable, policy_denied,
    login_required, blocked, gave_up, bad_replies, too_many_failures, stagnated, max_steps_exceeded,
    time_exceeded, budget_exceeded, run_budget_exceeded, retries_exhausted, artifact_mismatch, artifact_missing, or the
    code of the error that ended the last try.
    ``fault``: ``record`` when the sample itself is the reason, ``site``, or ``us``.
    """

    run_id: str
    sample_id: str
    attempt: int
    status: Status
    reason: str = ""
    message: str = ""
    fault: Literal["", "record", "site", "us"] = ""
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
    notes: tuple[str, ...] = ()
    started_at: datetime
    finished_at: datetime


# --- extracting again


class Reperform(Message, frozen=True, kw_only=True):
    """Extract every value of a sample again from its stored pages, without any network."""

    run_id: str
    sample_id: str


Verdict = Literal[
    "same",
    "same_in_observation",
    "differs",
    "not_found",
    "ambiguous",
    "altered",
    "unreadable",
    "not_stored",
    "not_bound",
    "read_by_model",
    "nothing_recorded",
]
"""Of one value:

- ``same``: the element stands in the stored page, shows the recorded text, and that reads as the recorded value.
- ``same_in_observation``: so says the stored observation alone; the page is not stored, or is none that could show it
  (what is typed into a form is not in it).
- ``differs``: the element is there and shows something else, or what it shows does not read as the recorded value.
- ``not_found``, ``ambiguous``: none, or several, may be the recorded element.
- ``altered``: the stored page, or the observation beside it, is not there or not what its recorded hash says.
- ``unreadable``: the stored page is as recorded and cannot be opened.
- ``not_stored``: nothing is kept of the page it was read from.
- ``not_bound``: it is bound to no element: it follows from another value, or a model named no element that shows it.
- ``read_by_model``: worked out, or read from a picture; there is no element to read again.
- ``nothing_recorded``: the field was not found then, so there is nothing to find again.
"""
FAULTS: frozenset[Verdict] = frozenset({"differs", "not_found", "ambiguous", "altered", "unreadable"})
"""What stands against a value."""


class ValueReperformed(Part, frozen=True, kw_only=True):
    """``recorded`` and ``found`` are texts as shown; the values are what they read as. ``found`` is None where nothing
    was read again. ``found_by``: what led to the element: fingerprint, label, box, and kinds of locators."""

    field: str
    verdict: Verdict
    state: Literal["value", "not_present", "not_found"]
    recorded: str | None = None
    recorded_value: Any = None
    found: str | None = None
    found_value: Any = None
    found_by: tuple[str, ...] = ()
    page: str = ""
    """File name of the stored page."""
    page_sha256: str = ""
    observation: str = ""
    """What the stored observation says of it: a verdict as well; empty where it was not asked."""
    read_by: str = ""
    message: str = ""


class PageReperformed(Part, frozen=True, kw_only=True):
    """A stored page that values come from. ``proof``: whether it still shows the record that the sample asks for;
    ``observed``: whether its observation does. ``unread`` where it was not opened, with the reason."""

    filename: str
    sha256: str
    url: str = ""
    proof: Literal["proven", "mismatch", "unproven", "unread"] = "unread"
    observed: Literal["proven", "mismatch", "unproven", "unread"] = "unread"
    message: str = ""


Identity = Literal["proven", "proven_in_observation", "mismatch", "unproven", "not_stored", "not_asked"]


class SampleReperformed(Message, frozen=True, kw_only=True):
    """``status`` and ``reason``: how the sample had ended. ``identity``: whether its stored pages prove the record:
    ``proven``, ``proven_in_observation``, ``mismatch``, ``unproven``, ``not_stored``, or ``not_asked``. ``problem``:
    why nothing of it could be done."""

    run_id: str
    sample_id: str
    status: str = ""
    reason: str = ""
    identity: Identity = "not_asked"
    values: tuple[ValueReperformed, ...] = ()
    pages: tuple[PageReperformed, ...] = ()
    problem: str = ""
