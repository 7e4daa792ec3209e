"""The state of one attempt at a sample, what a driver sees of it, and what a driver may answer. All types are frozen.

The functions that make a new state are in :mod:`services.planner.state.transitions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from shared.actions.table import changes_page
from shared.contracts.actions import AnyAction, AskPicture, Done, Fail, Goto, Judgment, Scroll
from shared.contracts.base import Usage
from shared.contracts.browser_pool import PageObserved
from shared.contracts.codes import REASONS, Fault, Reason, Status
from shared.contracts.discovery import Sample
from shared.contracts.error_codes import may_have_fired
from shared.contracts.explained import FieldExplained
from shared.contracts.results import ActionResult, Artifact
from shared.contracts.steps import (
    FieldValue,
    FiledArtifact,
    FlowPlace,
    ListPage,
    Note,
    Reflection,
    RouteMark,
    ShownCount,
    StepTaken,
    Summary,
    ValueSource,
    plain_note,
)
from shared.contracts.vision import VisionAnswered
from shared.contracts.workflows.heals import Heal
from shared.evidence_format.files.prompt import PromptFile
from shared.task.spec import TaskSpec
from shared.text.normal import quoted

OBSERVE_TOKENS, MAX_OBSERVE_TOKENS = 6000, 96_000
NO_USAGE = Usage()


@dataclass(frozen=True)
class Entry:
    """One step as drivers see it. `proven`: the page was proven to show the sample's record."""

    action: AnyAction | None
    """None: the reply held no usable call."""
    result: ActionResult | None
    message: str
    filed: tuple[FiledArtifact, ...] = ()
    """Pictures and files that a driver asked for."""
    proven: bool = False
    """The right record was shown, or a page that its page has led to."""
    on_other_record: bool = False
    """Another record was shown, or a page that its page has led to."""
    refused: bool = False
    """Not accepted: it could not be parsed, the gates rejected it, or only an ending was open."""
    remark: str = ""
    """What else the driver is told about its answer."""
    notices: tuple[str, ...] = ()
    """What the driver was told about its progress after this step."""
    url: str = ""
    """Address of the page that was decided on."""
    picture_answer: str = ""
    """The answer to a question about a picture."""
    picture_is_sure: bool = False
    """Whether the answer is confident enough to count as a value."""
    decided_by: str = ""
    picture_read_by: str = ""
    """Who read the picture."""
    picture_source: ValueSource | None = None
    """Where the picture was taken."""
    page_files: tuple[FiledArtifact, ...] = ()
    """Stored pages and observations. No driver sees them."""
    route: RouteMark | None = None
    """The step of the route that the action was taken for."""
    new_items: int = 0
    """Number of reported list items that were not known before."""
    workflow_value: Any = None
    """What a workflow has returned."""
    workflow_failed: bool = False
    flow: FlowPlace | None = None
    """The call of a flow that asked for it."""
    claimed: int = 0
    """The step of the claim that was stored before it: it cannot be taken back; 0: it can."""
    stood: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What the page showed for each field before such a press."""
    stood_under: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What it showed then under the labels of what was filled in."""
    reflection: Reflection | None = None

    @property
    def ok(self) -> bool:
        return (self.result is None or self.result.ok) and not self.workflow_failed

    @property
    def brought(self) -> tuple[Artifact, ...]:
        """Pictures and files of this step. A file that an earlier step has brought too is stored by that one."""
        filed = tuple(one.artifact for one in self.filed)
        files = () if self.result is None else self.result.artifacts
        return (*filed, *(one for one in files if one.kind == "download" and one not in filed))

    @property
    def may_have_fired(self) -> bool:
        """Return whether the action may have reached the page; True if that is not known."""
        return not self.refused and (self.ok or self.result is None or may_have_fired(self.result.code))


@dataclass(frozen=True)
class Progress:
    """Whether the work makes progress. Counted apart from notices, so that no notice resets it.

    `stalled`: steps in a row without a new page or a new fact. `repeats`: how often the same action was taken on the
    same target of the same page without effect. `counted_steps`: the step up to which all this is counted.
    """

    counted_steps: int = 0
    stalled: int = 0
    gained: bool = False
    """The last step brought a value, a file, a text or an item."""
    repeats: Mapping[str, int] = field(default_factory=dict[str, int])
    signatures: frozenset[str] = frozenset()
    warned: frozenset[int] = frozenset()
    """Shares of the step budget, in percent, that the driver was warned about."""
    levels: frozenset[int] = frozenset()
    """Levels of this stall that the driver was told about.

    A level that is reached between the calls of one answer is told before the next answer.
    """
    pending: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
    """Warnings and levels that count as told once the driver has decided on what it is shown now."""


@dataclass(frozen=True)
class AttemptState:
    """All that is known of one attempt. `looks` counts extra observations since the last action that may change the
    page. `seen` is the latest reading of each field, `proven` whether the right record was shown."""

    history: tuple[Entry, ...] = ()
    seen: Mapping[str, FieldValue] = field(default_factory=dict[str, FieldValue])
    doubts: Mapping[str, FieldValue] = field(default_factory=dict[str, FieldValue])
    """Fields whose latest reading leaves several values open, each with these as its candidates."""
    unconfirmed: frozenset[str] = frozenset()
    """Fields in `seen` that a model has saved and that its page did not show."""
    proven: bool = False
    on_other_record: bool = False
    """The last page that showed any identity showed another record."""
    proven_at: frozenset[str] = frozenset()
    """Addresses of pages that showed the right record themselves."""
    mismatched_at: frozenset[str] = frozenset()
    """Addresses of pages that showed another record themselves."""
    steps: int = 0
    granted: int = 0
    """Steps added to those of the task, for pages of a list that had new items."""
    failures: int = 0
    bad_replies: int = 0
    network_failures: int = 0
    looks: int = 0
    max_tokens: int = OBSERVE_TOKENS
    progress: Progress = Progress()
    """As of the current observation."""
    settled_progress: Progress = Progress()
    """As of the last step."""
    notices: tuple[str, ...] = ()
    """What the driver is told about its progress now."""
    listed: frozenset[str] = frozenset()
    """Keys of the reported items of a list."""
    listed_pages: int = 0
    counts: tuple[ShownCount, ...] = ()
    """What the last page of reported items that shows a count says about the length of the list."""
    list_pages: tuple[ListPage, ...] = ()
    """What the pages say of which items of a list were saved, the last one of each field and address."""
    kept_rows: Mapping[str, FieldValue] = field(default_factory=dict[str, FieldValue])
    """Fields of rows as the rules have kept them last, before they left a page."""
    vision_asked: Mapping[str, int] = field(default_factory=dict[str, int])
    """How often a picture was asked about, by the signature of the page."""
    summaries: tuple[Summary, ...] = ()
    token_scale: float = 0.0
    """Counted tokens per estimated token, from the usage of the last answer; 0: not known yet."""
    usage: Usage = NO_USAGE
    notes: tuple[Note, ...] = ()
    from_api: Mapping[str, FieldValue] = field(default_factory=dict[str, FieldValue])
    """What the API of the task has given of the record. No driver sees it, so that a page is read without it."""
    api_files: tuple[FiledArtifact, ...] = ()
    """The stored response."""

    @property
    def artifacts(self) -> tuple[FiledArtifact, ...]:
        """Pictures and files that a driver asked for."""
        return tuple(filed for entry in self.history for filed in entry.filed)

    @property
    def stored(self) -> tuple[FiledArtifact, ...]:
        """All stored files, pages too."""
        filed = (one for entry in self.history for one in (*entry.filed, *entry.page_files))
        return (*self.api_files, *filed)

    @property
    def last(self) -> Entry | None:
        return self.history[-1] if self.history else None

    @property
    def is_unreached(self) -> bool:
        """Whether no page has been reached yet, so that there is nothing to observe."""
        last = self.last
        only_goto = all(isinstance(entry.action, Goto) for entry in self.history)
        no_answer = last is not None and last.result is not None and last.result.change.http_status is None
        return only_goto and no_answer and last is not None and not last.ok

    def refusals(self, kind: type[Done] | type[Fail]) -> int:
        """Return how often an ending of this kind was sent back."""
        return sum(entry.refused and isinstance(entry.action, kind) for entry in self.history)

    def proven_artifacts(self) -> tuple[Artifact, ...]:
        """Return what was captured while the right record was shown, without pictures taken for a question.

        What was captured before counts once the record is proven at the same address, if nothing was pressed or typed
        in between: the page was the same, and had not shown yet whose it is.
        """
        counted = (
            (at, entry)
            for at, entry in enumerate(self.history)
            if (entry.proven or self._proven_later(at, entry)) and not isinstance(entry.action, AskPicture)
        )
        return tuple(artifact for _, entry in counted for artifact in entry.brought)

    def _proven_later(self, at: int, entry: Entry) -> bool:
        if entry.on_other_record or entry.url not in self.proven_at - self.mismatched_at:
            return False
        for later in self.history[at + 1 :]:
            if later.proven:
                return later.url == entry.url
            if later.url != entry.url or later.on_other_record:
                return False
            moved = later.action is not None and not isinstance(later.action, Scroll) and changes_page(later.action)
            if moved and not later.refused:
                return False
        return self.proven


@dataclass(frozen=True)
class SampleView:
    """All that a driver may know. `page` is None before the first navigation."""

    spec: TaskSpec
    sample: Sample
    state: AttemptState
    page: PageObserved | None
    hints: tuple[str, ...] = ()
    """Lessons of earlier samples; the same for the whole sample."""
    log: tuple[StepTaken, ...] = ()
    """Steps of an earlier run, to be repeated."""
    run_id: str = ""
    attempt: int = 1
    allow_effects: bool = False
    """Whether steps of `log` that may change something on the site are repeated."""
    on_flow: bool = False
    """A flow of the library does the work, or began it."""


# --- what a driver may answer


@dataclass(frozen=True)
class Act:
    """Take this action, and then those of `then` as long as the page stays the one that they were chosen on.

    `seen`: fields as read from that page.
    """

    action: AnyAction
    decided_by: str
    usage: Usage = NO_USAGE
    seen: tuple[FieldValue, ...] = ()
    notes: tuple[Note, ...] = ()
    remark: str = ""
    """What the driver is told about its answer, apart from the outcome of the action."""
    then: tuple[AnyAction, ...] = ()
    route: RouteMark | None = None
    """The step of the route that `action` is taken for."""
    flow: FlowPlace | None = None
    """The call of a flow that asks for `action`."""
    heals: tuple[Heal, ...] = ()
    """What a flow has found in another way than it was recorded, up to this action."""
    claimed: int = 0
    """The step of the claim that is stored for `action`; 0: it needs none."""
    proves_record: bool = False
    """The rules of a flow have read the record's own identity on this page, so that it is proven unless the page shows
    another record."""
    summary: Summary | None = None
    prompt_chars: int = 0
    prompt_weight: float = 0.0
    decided_in: int = 0
    """The earlier attempt whose decision it is, with its ``usage``; 0: it is a new one."""
    answered: VisionAnswered | None = None
    """Of such a decision to ask about a picture: the answer."""
    reflection: Reflection | None = None
    """What a model has said beside its call."""
    asked: PromptFile | None = None
    """What a model was asked for it, where that is kept."""
    taken_over: bool = False
    """A person does it who has taken the sample over."""


@dataclass(frozen=True)
class ObserveAgain:
    """Observe the page again after a pause, with this token budget. It is no step: the page is not touched."""

    after_s: float
    max_tokens: int
    seen: tuple[FieldValue, ...] = ()


@dataclass(frozen=True)
class UnusableAnswer:
    """The driver's answer could not be parsed. `message` tells the driver why."""

    message: str
    decided_by: str
    usage: Usage = NO_USAGE
    notes: tuple[Note, ...] = ()
    remark: str = ""
    summary: Summary | None = None
    prompt_chars: int = 0
    prompt_weight: float = 0.0
    decided_in: int = 0
    asked: PromptFile | None = None


Decision = Act | ObserveAgain | UnusableAnswer


@dataclass(frozen=True)
class SampleProblem:
    """One reason why a sample is not done. `reason` is that of the result if the problem stays."""

    reason: Reason
    text: str
    field: str = ""
    """The output field that it is about; empty: none."""
    lacking: bool = False
    """Something that a report of the whole sample has to have is missing."""

    @property
    def message(self) -> str:
        return f"{self.field}: {self.text}" if self.field else self.text

    @property
    def told_to_model(self) -> str:
        """The message for a model that has called done, which is not for people: they have called nothing."""
        return f"You called done but {self.message}" if self.lacking else self.message

    @property
    def note(self) -> Note:
        return plain_note(self.text, self.field)


@dataclass(frozen=True)
class Ending:
    """How the work on a sample ends, with the fields of `SampleFinished` of the same names."""

    status: Status
    reason: Reason | Literal[""]
    message: str
    fault: Fault
    values: tuple[FieldValue, ...] = ()
    flagged: bool = False
    notes: tuple[Note, ...] = ()
    judgment: Judgment | None = None
    explained: tuple[FieldExplained, ...] = ()


def ending_of(reason: Reason, message: str = "") -> Ending:
    """Return the ending for a reason. The default message is the one of the reason."""
    facts = REASONS[reason]
    return Ending(facts.status, reason, message or facts.words, facts.fault)


# --- small facts


def combined_notes(known: tuple[Note, ...], fresh: Iterable[Note]) -> tuple[Note, ...]:
    """Return the known notes and those of the fresh ones that are not among them. Each note is kept once."""
    return tuple(dict.fromkeys((*known, *fresh)))


def is_invalid(artifact: Artifact) -> bool:
    """Return whether a file is certainly not what was to come."""
    return artifact.content is not None and artifact.content.is_invalid


def invalid_words(artifact: Artifact) -> str:
    """Return what is wrong with a file: `the file "report.pdf" is not what it is called: it has no bytes`."""
    told = artifact.content.told if artifact.content is not None else ""
    name = quoted(artifact.original_name or artifact.label)
    return f"the file {name} is not what it is called: {told}" if is_invalid(artifact) else f"the file {name}: {told}"


def is_unasked(artifact: Artifact) -> bool:
    """Return whether the artifact is kept without being asked for: a stored page or its observation, the picture of a
    step or of values, the flow that was used, the response of an API, a prompt."""
    return artifact.of_values or artifact.kind in ("page", "observation", "step", "flow", "response", "prompt")
