"""Pure: what is known of one sample while it is worked on, and how that changes. Frozen; no clock, no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from shared.contracts.actions import (
    Action,
    ActionResult,
    Artifact,
    Extract,
    Screenshot,
    Scroll,
)
from shared.contracts.browser_pool import PageObserved
from shared.contracts.discovery import Sample
from shared.contracts.planner import (
    AnyAction,
    Done,
    Fail,
    FieldValue,
    FiledArtifact,
    SaveProgress,
    Status,
    Usage,
    add_usage,
)
from shared.names import safe_label
from shared.task_spec import TaskSpec

OBSERVE_TOKENS = 6000
MAX_OBSERVE_TOKENS = 96_000
MAX_FAILURES = 5
MAX_BAD_REPLIES = 3
NO_USAGE = Usage()


@dataclass(frozen=True)
class Entry:
    """One step as deciders are told of it. ``proven``: the page shown was proven to be the sample's record."""

    action: AnyAction | None
    """None where the reply held no call that could be used."""
    result: ActionResult | None
    message: str
    filed: tuple[FiledArtifact, ...] = ()
    proven: bool = False
    refused: bool = False
    """Not accepted by us: it could not be understood, or the gates did not agree."""
    remark: str = ""
    """What else we tell the decider of its answer."""

    @property
    def ok(self) -> bool:
        return self.result is None or self.result.ok


@dataclass(frozen=True)
class SampleState:
    """``looks`` counts extra observations of the page as it is, since the last action that may change it.

    ``seen`` is the latest reading of each field, ``proven`` whether the record was shown to be the right one.
    """

    history: tuple[Entry, ...] = ()
    seen: Mapping[str, FieldValue] = field(default_factory=dict[str, FieldValue])
    unconfirmed: frozenset[str] = frozenset()
    """Fields in ``seen`` that a model saved, and that the page it saw did not show."""
    proven: bool = False
    steps: int = 0
    failures: int = 0
    bad_replies: int = 0
    looks: int = 0
    max_tokens: int = OBSERVE_TOKENS
    usage: Usage = NO_USAGE
    notes: tuple[str, ...] = ()

    @property
    def artifacts(self) -> tuple[FiledArtifact, ...]:
        return tuple(filed for entry in self.history for filed in entry.filed)

    @property
    def last(self) -> Entry | None:
        return self.history[-1] if self.history else None

    def refusals(self, kind: type[Done] | type[Fail]) -> int:
        """How often an ending of this kind was sent back."""
        return sum(entry.refused and isinstance(entry.action, kind) for entry in self.history)

    def proven_artifacts(self) -> tuple[Artifact, ...]:
        """What was captured while the right record was shown."""
        return tuple(filed.artifact for entry in self.history if entry.proven for filed in entry.filed)


@dataclass(frozen=True)
class View:
    """All a decider may know. ``page`` is None before the first navigation."""

    spec: TaskSpec
    sample: Sample
    state: SampleState
    page: PageObserved | None

    @property
    def last_step(self) -> bool:
        return self.state.steps + 1 >= self.spec.max_steps


# --- what a decider may answer


@dataclass(frozen=True)
class Act:
    """Take this action. ``seen``: fields as read from the page the decision was made on."""

    action: AnyAction
    decided_by: str
    usage: Usage = NO_USAGE
    seen: tuple[FieldValue, ...] = ()
    notes: tuple[str, ...] = ()
    remark: str = ""
    """What the decider is told of its answer, beside what comes of the action."""


@dataclass(frozen=True)
class Look:
    """Show me the page again after a pause, with this budget. No step: nothing is done to the page."""

    after_s: float
    max_tokens: int
    seen: tuple[FieldValue, ...] = ()


@dataclass(frozen=True)
class Unusable:
    """The decider's answer could not be understood; ``message`` is what it is told of that."""

    message: str
    decided_by: str
    usage: Usage = NO_USAGE
    notes: tuple[str, ...] = ()
    remark: str = ""


Decision = Act | Look | Unusable


@dataclass(frozen=True)
class Problem:
    """One reason why a sample is not done. ``reason`` is the code of the result if it stays so."""

    reason: str
    message: str


@dataclass(frozen=True)
class Ending:
    """How the work on a sample ends; the fields of SampleFinished of the same names."""

    status: Status
    reason: str
    message: str
    fault: Literal["", "record", "site", "us"]
    values: tuple[FieldValue, ...] = ()
    flagged: bool = False
    notes: tuple[str, ...] = ()


# --- transitions


def acted(
    state: SampleState, action: AnyAction, result: ActionResult | None, message: str, remark: str = ""
) -> SampleState:
    """One more step. An action that may have changed the page makes earlier looks at it worthless."""
    ok = result is None or result.ok
    entry = Entry(action, result, message, _file(state, result), state.proven, remark=remark)
    kept = not changes_page(action) or isinstance(action, Scroll)
    return replace(
        state,
        history=(*state.history, entry),
        steps=state.steps + 1,
        failures=0 if ok else state.failures + 1,
        bad_replies=0,
        looks=state.looks if kept else 0,
        max_tokens=state.max_tokens if kept else OBSERVE_TOKENS,
    )


def accepted(state: SampleState, action: AnyAction, message: str, remark: str = "") -> SampleState:
    """The Done or Fail that ends the work."""
    return acted(state, action, None, message, remark)


def misunderstood(state: SampleState, message: str, remark: str = "") -> SampleState:
    """A step whose decision could not be used."""
    entry = Entry(None, None, message, refused=True, remark=remark)
    return replace(state, history=(*state.history, entry), steps=state.steps + 1, bad_replies=state.bad_replies + 1)


def bounced(state: SampleState, action: AnyAction, message: str, remark: str = "") -> SampleState:
    """A Done or Fail the gates sent back."""
    entry = Entry(action, None, message, refused=True, remark=remark)
    return replace(state, history=(*state.history, entry), steps=state.steps + 1, bad_replies=0)


def looked(state: SampleState, look: Look) -> SampleState:
    return replace(state, looks=state.looks + 1, max_tokens=min(look.max_tokens, MAX_OBSERVE_TOKENS))


def read(state: SampleState, seen: tuple[FieldValue, ...]) -> SampleState:
    """Keeps a reading; a field that was seen earlier is not forgotten because it is out of sight now."""
    fresh = {value.field: value for value in seen if value.state != "not_found"}
    return replace(state, seen={**state.seen, **fresh}, unconfirmed=state.unconfirmed - set(fresh))


def kept(state: SampleState, values: tuple[FieldValue, ...], unconfirmed: frozenset[str]) -> SampleState:
    """What a model saved; of the ``unconfirmed`` it is remembered that no page showed them."""
    state = read(state, values)
    return replace(state, unconfirmed=state.unconfirmed | unconfirmed)


def shown_record(state: SampleState, proof: Literal["proven", "mismatch", "unproven"]) -> SampleState:
    """What the page at hand says of whose record it is; a page that says nothing changes nothing."""
    return state if proof == "unproven" else replace(state, proven=proof == "proven")


def spent(state: SampleState, usage: Usage) -> SampleState:
    return replace(state, usage=add_usage(state.usage, usage))


def noted(state: SampleState, notes: tuple[str, ...]) -> SampleState:
    """A remark is kept once."""
    fresh = tuple(dict.fromkeys(note for note in notes if note not in state.notes))
    return replace(state, notes=(*state.notes, *fresh))


# --- small facts


def changes_page(action: Action) -> bool:
    """False for what only looks, and for what ends in the planner."""
    return not isinstance(action, Screenshot | Extract) and is_browser_action(action)


def is_browser_action(action: Action) -> bool:
    return not isinstance(action, SaveProgress | Done | Fail)


def filename(number: int, artifact: Artifact) -> str:
    """``01_ticket.png``, or ``02_ticket_2of3.png`` where there are several parts."""
    # A download's suffix comes from the site.
    suffix = "".join(c for c in artifact.suffix.lower() if c.isascii() and c.isalnum())[:10]
    part = f"_{artifact.part}of{artifact.parts}" if artifact.parts > 1 else ""
    return f"{number:02d}_{safe_label(artifact.label)}{part}" + (f".{suffix}" if suffix else "")


def _file(state: SampleState, result: ActionResult | None) -> tuple[FiledArtifact, ...]:
    artifacts = result.artifacts if result is not None else ()
    first = len(state.artifacts) + 1
    return tuple(
        FiledArtifact(filename=filename(number, artifact), artifact=artifact)
        for number, artifact in enumerate(artifacts, start=first)
    )
