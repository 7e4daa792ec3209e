"""Pure: what is known of one sample while it is worked on; what a decider sees, and may answer. Frozen.

How the state moves on stands in :mod:`services.planner.state.transitions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from shared.contracts.actions import (
    Action,
    AnyAction,
    AskPicture,
    Done,
    Extract,
    Fail,
    Judgment,
    ReportItems,
    SaveProgress,
    Screenshot,
    ScreenshotElement,
)
from shared.contracts.actions import ScreenshotViews as Views
from shared.contracts.base import Usage
from shared.contracts.browser_pool import PageObserved
from shared.contracts.codes import REASONS, Fault, Reason, Status, may_have_fired
from shared.contracts.discovery import Sample
from shared.contracts.results import ActionResult, Artifact
from shared.contracts.steps import (
    FieldValue,
    FiledArtifact,
    Note,
    RouteMark,
    StepTaken,
    Summary,
    ValueSource,
    plain_note,
)
from shared.task.spec import TaskSpec

OBSERVE_TOKENS = 6000
MAX_OBSERVE_TOKENS = 96_000
NO_USAGE = Usage()


@dataclass(frozen=True)
class Entry:
    """One step as deciders are told of it. ``proven``: the page shown was proven to be the sample's record."""

    action: AnyAction | None
    """None where the reply held no call that could be used."""
    result: ActionResult | None
    message: str
    filed: tuple[FiledArtifact, ...] = ()
    """Pictures and files: what a decider asked for."""
    proven: bool = False
    """The right record is shown, or a page on the trail of it."""
    on_other_record: bool = False
    """Another one is, or a page on the trail of that."""
    refused: bool = False
    """Not accepted by us: it could not be understood, the gates did not agree, or only an end was open to it."""
    remark: str = ""
    """What else we tell the decider of its answer."""
    notices: tuple[str, ...] = ()
    """What we told the decider of its progress after this step."""
    url: str = ""
    """Of the page that was decided on."""
    picture_answer: str = ""
    """What a picture was found to say."""
    picture_is_sure: bool = False
    """Whether the picture said it surely enough to count."""
    decided_by: str = ""
    picture_read_by: str = ""
    """Who read the picture."""
    picture_source: ValueSource | None = None
    """Where it was taken."""
    page_files: tuple[FiledArtifact, ...] = ()
    """Pages and what was observed of them: nobody asked for them, and no decider is told."""
    route: RouteMark | None = None
    """The step of the route that the action was taken for."""
    new_items: int = 0
    """Of a list: how many were reported that were not known before."""

    @property
    def ok(self) -> bool:
        return self.result is None or self.result.ok

    @property
    def may_have_fired(self) -> bool:
        """Whether the action may have reached the page; True where that is not known."""
        return not self.refused and (self.ok or self.result is None or may_have_fired(self.result.code))


@dataclass(frozen=True)
class Progress:
    """Whether the work moves on: counted apart from what deciders are told, so that no notice resets it.

    ``stalled``: steps in a row that showed no page that was new and brought nothing. ``repeats``: how often the same
    was done to the same on the same page, to no effect. ``weighed``: the step up to which all this is counted.
    """

    counted_steps: int = 0
    stalled: int = 0
    gained: bool = False
    """The last step brought something: a value, a file, a text, an item."""
    repeats: Mapping[str, int] = field(default_factory=dict[str, int])
    signatures: frozenset[str] = frozenset()
    warned: frozenset[int] = frozenset()
    """Shares of the step budget, in percent, that the decider has been warned of."""
    levels: frozenset[int] = frozenset()
    """Levels of this stall that the decider has been told of: what comes up between the calls of one answer is told
    before the next."""
    pending: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
    """Warnings and levels that the decider has been told of once it has decided on what it is shown now."""


@dataclass(frozen=True)
class AttemptState:
    """``looks`` counts extra observations of the page as it is, since the last action that may change it.

    ``seen`` is the latest reading of each field, ``proven`` whether the record was shown to be the right one.
    """

    history: tuple[Entry, ...] = ()
    seen: Mapping[str, FieldValue] = field(default_factory=dict[str, FieldValue])
    unconfirmed: frozenset[str] = frozenset()
    """Fields in ``seen`` that a model saved, and that the page it saw did not show."""
    proven: bool = False
    on_other_record: bool = False
    """The last page that said whose record it shows showed another one."""
    steps: int = 0
    granted: int = 0
    """Steps added to those of the task, for pages of a list that brought something."""
    failures: int = 0
    bad_replies: int = 0
    network_failures: int = 0
    looks: int = 0
    max_tokens: int = OBSERVE_TOKENS
    progress: Progress = Progress()
    """As the page that is looked at now shows it."""
    settled_progress: Progress = Progress()
    """As it was with the last step."""
    notices: tuple[str, ...] = ()
    """What the decider is to be told of its progress now."""
    listed: frozenset[str] = frozenset()
    """Keys of the items of a list that were reported."""
    listed_pages: int = 0
    vision_asked: Mapping[str, int] = field(default_factory=dict[str, int])
    """How often a picture was asked about, by the signature of the page."""
    summaries: tuple[Summary, ...] = ()
    token_scale: float = 0.0
    """Tokens that were counted for each that was reckoned, as the last answer's usage showed; 0: not known yet."""
    usage: Usage = NO_USAGE
    notes: tuple[Note, ...] = ()

    @property
    def artifacts(self) -> tuple[FiledArtifact, ...]:
        """Pictures and files."""
        return tuple(filed for entry in self.history for filed in entry.filed)

    @property
    def stored(self) -> tuple[FiledArtifact, ...]:
        """All that lies with the evidence, pages too."""
        return tuple(filed for entry in self.history for filed in (*entry.filed, *entry.page_files))

    @property
    def last(self) -> Entry | None:
        return self.history[-1] if self.history else None

    def refusals(self, kind: type[Done] | type[Fail]) -> int:
        """How often an ending of this kind was sent back."""
        return sum(entry.refused and isinstance(entry.action, kind) for entry in self.history)

    def proven_artifacts(self) -> tuple[Artifact, ...]:
        """What was captured while the right record was shown; a picture taken for a question is no evidence of it."""
        counted = (entry for entry in self.history if entry.proven and not isinstance(entry.action, AskPicture))
        return tuple(filed.artifact for entry in counted for filed in entry.filed)


@dataclass(frozen=True)
class SampleView:
    """All a decider may know. ``page`` is None before the first navigation."""

    spec: TaskSpec
    sample: Sample
    state: AttemptState
    page: PageObserved | None
    hints: tuple[str, ...] = ()
    """What earlier samples have taught; the same for the whole sample."""
    log: tuple[StepTaken, ...] = ()
    """Steps of an earlier run that are to be taken again."""
    run_id: str = ""
    attempt: int = 1
    allow_effects: bool = False
    """Whether steps of ``log`` that may change something on the site are taken again."""


# --- what a decider may answer


@dataclass(frozen=True)
class Act:
    """Take this action, and ``then`` these, for as long as the page stays what it was when they were chosen.

    ``seen``: fields as read from the page the decision was made on.
    """

    action: AnyAction
    decided_by: str
    usage: Usage = NO_USAGE
    seen: tuple[FieldValue, ...] = ()
    notes: tuple[Note, ...] = ()
    remark: str = ""
    """What the decider is told of its answer, beside what comes of the action."""
    then: tuple[AnyAction, ...] = ()
    route: RouteMark | None = None
    """The step of the route that ``action`` is taken for."""
    summary: Summary | None = None
    prompt_chars: int = 0
    prompt_weight: float = 0.0


@dataclass(frozen=True)
class ObserveAgain:
    """Show me the page again after a pause, with this budget. No step: nothing is done to the page."""

    after_s: float
    max_tokens: int
    seen: tuple[FieldValue, ...] = ()


@dataclass(frozen=True)
class UnusableAnswer:
    """The decider's answer could not be understood; ``message`` is what it is told of that."""

    message: str
    decided_by: str
    usage: Usage = NO_USAGE
    notes: tuple[Note, ...] = ()
    remark: str = ""
    summary: Summary | None = None
    prompt_chars: int = 0
    prompt_weight: float = 0.0


Decision = Act | ObserveAgain | UnusableAnswer


@dataclass(frozen=True)
class SampleProblem:
    """One reason why a sample is not done. ``reason`` is that of the result if it stays so."""

    reason: Reason
    text: str
    field: str = ""
    """The output field that it is about; empty: none."""

    @property
    def message(self) -> str:
        return f"{self.field}: {self.text}" if self.field else self.text

    @property
    def note(self) -> Note:
        return plain_note(self.text, self.field)


@dataclass(frozen=True)
class Ending:
    """How the work on a sample ends; the fields of SampleFinished of the same names."""

    status: Status
    reason: Reason | Literal[""]
    message: str
    fault: Fault
    values: tuple[FieldValue, ...] = ()
    flagged: bool = False
    notes: tuple[Note, ...] = ()
    judgment: Judgment | None = None


def ending_of(reason: Reason, message: str = "") -> Ending:
    """The ending that a reason stands for; without a message it says what the reason means."""
    facts = REASONS[reason]
    return Ending(facts.status, reason, message or facts.words, facts.fault)


# --- small facts


def combined_notes(known: tuple[Note, ...], fresh: Iterable[Note]) -> tuple[Note, ...]:
    """Return the known notes and those of the fresh ones that are not among them. Each note is kept once."""
    return tuple(dict.fromkeys((*known, *fresh)))


def changes_page(action: Action) -> bool:
    """False for what only looks, and for what ends in the planner."""
    return not isinstance(action, Screenshot | ScreenshotElement | Views | Extract) and is_browser_action(action)


def is_page(artifact: Artifact) -> bool:
    """Whether it was kept of a page beside what was asked for: the page itself, or what was observed of it."""
    return artifact.kind in ("page", "observation")


def is_browser_action(action: Action) -> bool:
    return not isinstance(action, SaveProgress | ReportItems | AskPicture | Done | Fail)
