"""The step log: what a step of a sample leaves behind. Written by planner, kept by evidence, read by replay."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from shared.contracts.actions import AnyAction
from shared.contracts.base import Message, Part, Usage
from shared.contracts.results import ActionResult, Artifact, Box, Locator
from shared.contracts.vision import VisionAnswered


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
    """As in :class:`shared.contracts.results.TargetFound`."""
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
    date_language: str | None = None
    """The language that the page settles for the name of this value's month; None where nothing needed settling."""


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


NoteKind = Literal["remark", "differs", "not_as_read", "not_kept"]


class Note(Part, frozen=True, kw_only=True, omit_defaults=True):
    """Something that a reviewer should know of a step or of a sample.

    ``remark``: anything that no code asks about. ``differs``: a replay found something that is not as it was recorded.
    ``not_as_read``: the page had changed before it was stored, and the stored page does not show the value.
    ``not_kept``: the page could not be stored.
    """

    kind: NoteKind
    text: str
    """Without the kind, the field and the step; see :func:`note_text`."""
    field: str = ""
    """The output field that it is about; empty: none."""
    step: int = 0
    """The recorded step that a replay compared with, from 1; 0: none."""
    action: str = ""
    """Tag of that step's action, where the step as a whole differs."""


_NOTE_LEADS: dict[NoteKind, str] = {
    "remark": "",
    "differs": "differs: ",
    "not_as_read": "not as it was read: ",
    "not_kept": "the page was not kept: ",
}


def plain_note(text: str, field: str = "") -> Note:
    return Note(kind="remark", text=text, field=field)


def note_text(note: Note) -> str:
    """Return the sentence that people read, such as ``differs: step 3: address: then /a, now /b``."""
    return _NOTE_LEADS[note.kind] + note_detail(note)


def note_detail(note: Note) -> str:
    """Return the sentence without its kind, for places that show the kind in another way."""
    step = f"step {note.step}" if note.step else ""
    step += f" ({note.action})" if note.action else ""
    return ": ".join(filter(None, (step, note.field, note.text)))


class RouteMark(Part, frozen=True, kw_only=True, omit_defaults=True):
    """Which step of the task's route an action was taken for. Only the rules set it; a replay takes it over."""

    step: int
    """Of the route, from 1."""
    part: str = ""
    """Of the step, such as ``press`` of a search; empty: the step has one part."""
    found: int = 0
    """Where a list was turned: how many records matched on the pages before."""
    at: str = ""
    """Where a list was turned: the address of the one that matched, else what tells it from the others."""


class StepTaken(Message, frozen=True, kw_only=True):
    """One turn of observe, decide, act. Steps count from 1 within an attempt.

    ``observation`` is None where nothing had been seen yet (the first step), ``action`` where the decider
    gave none that could be used; ``message`` then says why. The steps of an attempt are all that its state
    is made from (`services.planner.state.transitions.replayed_state`).
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
    route: RouteMark | None = None
    """The step of the route that the action was taken for; None: there is no route, or it was taken for none."""
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
    notes: tuple[Note, ...] = ()
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


class PressClaim(Part, frozen=True, kw_only=True):
    """Stored before a button is pressed that cannot be taken back: whose press it is. ``step`` counts from 1."""

    run_id: str
    sample_id: str
    step: int
    attempt: int
