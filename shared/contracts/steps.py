"""The step log: the record of each step of a sample. Written by planner, stored by evidence, read by replay."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from shared.contracts.actions import AnyAction
from shared.contracts.base import Message, Part, Usage
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import ActionResult, Artifact, Origin, ResponseSource, ValueCandidate, ValueSource
from shared.contracts.vision import VisionAnswered
from shared.contracts.workflows.heals import Heal
from shared.contracts.workflows.invocations import WorkflowRan


class CellValue(Part, frozen=True, kw_only=True):
    """One value with its evidence: a field of the output, or a cell of a field that has rows.

    ``state``: ``value`` (a value was read), ``not_present`` (the page says that there is none; ``shown`` has its
    words) or ``not_found`` (the field could not be found).
    """

    field: str
    """Of a cell: the name of its column."""
    state: Literal["value", "not_present", "not_found"]
    value: Any = None
    shown: str | None = None
    """The text on the page, before normalisation."""
    source: ValueSource | None = None
    origin: Origin = "page"
    read_by: str = ""
    """The reader: ``rules``, ``operator``, the name of a model, or of the person who gave the value."""
    cut_chars: int = 0
    """Number of characters that ``shown`` lacks at its end, because the observation cut the element's text."""
    candidates: tuple[ValueCandidate, ...] = ()
    """Of a field that was not found because the page shows several values: these. Of a cell: what pages say of it that
    contradict each other."""
    response: ResponseSource | None = None
    """Where an API gave it; None for other origins."""


class RowValue(Part, frozen=True, kw_only=True):
    """One row of a field of rows: a cell for each column of the task, in their order, each with its own source.

    The ``value`` of a cell is typed already; it is None where the text is none of its type.
    """

    cells: tuple[CellValue, ...]


class FieldValue(CellValue, frozen=True, kw_only=True):
    """One field of the output.

    ``rows``: of a field of rows, each with its cells; ``value`` has the same rows as objects, and ``source`` is None.
    """

    rows: tuple[RowValue, ...] = ()
    lacking: str = ""
    """Of a field of rows: why they may not be all, by the page of them that was read last; or, without rows, why none
    were read. Of another field that was not found: why the page may show it all the same. Empty: nothing speaks for
    more."""


class FiledArtifact(Part, frozen=True, kw_only=True):
    """An artifact with its file name in the sample's folder, such as ``01_ticket.png``."""

    filename: str
    artifact: Artifact


class ObservationRef(Part, frozen=True, kw_only=True):
    """The observation that a step was decided on, without its elements."""

    snapshot_id: str
    sha256: str
    url: str
    title: str
    http_status: int | None
    dom_confidence: float
    plain_confidence: float | None = None
    page_sha256: str | None = None
    """SHA-256 of the stored page; None if none was stored."""
    signature: str = ""
    """Hash of address, content, field values and scroll position. Equal signatures mean that there was no progress."""
    proof: Literal["proven", "mismatch", "unproven"] = "unproven"
    """Whether the page shows the sample's record; ``mismatch``: it shows another one."""
    triggers: tuple[str, ...] = ()

    @classmethod
    def of(cls, page: PageObserved) -> ObservationRef:
        """Return the reference to an observation, of which signature and proof are not known."""
        return cls(
            snapshot_id=page.snapshot_id,
            sha256=page.sha256,
            url=page.url,
            title=page.title,
            http_status=page.http_status,
            dom_confidence=page.dom_confidence,
            plain_confidence=page.plain_confidence,
            triggers=page.triggers,
        )


class Summary(Part, frozen=True, kw_only=True):
    """Summary of the first ``steps`` steps of an attempt, for a driver that cannot be shown all of them."""

    steps: int
    text: str
    by: str
    """The name of the model, or ``mechanical``."""


NoteKind = Literal["remark", "differs", "not_as_read", "not_as_sent", "not_kept", "api_failed", "api_differs"]


class Note(Part, frozen=True, kw_only=True, omit_defaults=True):
    """A note for reviewers about a step or a sample.

    ``remark``: free text. ``differs``: a replay found a difference from the recording. ``not_as_read``: the page
    changed before it was stored, so the stored page does not show the value. ``not_as_sent``: a page after a press that
    cannot be undone shows other values than were filled in. ``not_kept``: the page could not be stored. ``api_failed``:
    the API of the task gave nothing that could be used, of ``field`` or, without one, at all. ``api_differs``: the API
    and the page give different values.
    """

    kind: NoteKind
    text: str
    """Without the kind, the field and the step; see :func:`note_text`."""
    field: str = ""
    """The output field that the note is about; empty: none."""
    step: int = 0
    """Number of the recorded step that a replay compared with, from 1; 0: none."""
    action: str = ""
    """Tag of that step's action, if the step as a whole differs; else empty."""


_NOTE_LEADS: dict[NoteKind, str] = {
    "remark": "",
    "differs": "differs: ",
    "not_as_read": "not as it was read: ",
    "not_as_sent": "not as it was sent: ",
    "not_kept": "the page was not kept: ",
    "api_failed": "not read from the API: ",
    "api_differs": "the API and the page differ: ",
}


def plain_note(text: str, field: str = "") -> Note:
    return Note(kind="remark", text=text, field=field)


def note_text(note: Note) -> str:
    """Return the note for people, such as ``differs: step 3: address: then /a, now /b``."""
    return _NOTE_LEADS[note.kind] + note_detail(note)


def note_detail(note: Note) -> str:
    """Return the note without its kind, for places that show the kind in another way."""
    step = f"step {note.step}" if note.step else ""
    step += f" ({note.action})" if note.action else ""
    return ": ".join(filter(None, (step, note.field, note.text)))


class RouteMark(Part, frozen=True, kw_only=True, omit_defaults=True):
    """The step of the task's route that an action belongs to. Only the rules set it; a replay copies it."""

    step: int
    """Number of the step in the route, from 1."""
    part: str = ""
    """Part of the step, such as ``press`` of a search; empty: the step has one part."""
    found: int = 0
    """For a step to the next page of a list: number of matching records on the pages before."""
    at: str = ""
    """For a step to the next page of a list: address of the matching record, else another identifier of it."""


class ShownCount(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What a page says about the length of a list that it shows.

    ``range``: it shows the entries ``first`` to ``last`` of ``total``. ``total``: the list has ``total`` entries.
    ``page``: this is page ``page`` of ``pages``.
    """

    kind: Literal["range", "total", "page"]
    first: int = 0
    last: int = 0
    total: int = 0
    page: int = 0
    pages: int = 0
    text: str = ""
    """The words of the page."""
    ref: int = 0
    firm: bool = True
    """False: the text may count something else than this list."""
    rough: bool = False
    """The page gives no exact number: "about 1,200", "1,000+"."""


class ListPage(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What a page says of the list of which items of an output field were saved there.

    ``url``: the page's own address; ``leads_to``: those of further pages of the list; ``pressed``: the name of what
    leads on without an address; ``counted``: its words where it counts more items than stand there.
    """

    field: str
    url: str
    leads_to: tuple[str, ...] = ()
    pressed: str = ""
    counted: str = ""


class TargetContext(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What stood around the element that an action acted on, as the page was observed before the action.

    From the contexts of several samples follows what tells the element where its own text differs: the label beside it,
    the row that it is in. Texts have at most 200 characters.
    """

    header: str = ""
    """As in :class:`shared.contracts.browser_pool.Element`."""
    header_matches: int = 0
    """Number of elements with this role and header."""
    before: tuple[str, ...] = ()
    """Texts of the elements before it, the nearest first; empty where another element has the same text."""
    regions: tuple[str, ...] = ()
    region_matches: tuple[int, ...] = ()
    """For each of the regions: number of elements with this role in it."""
    row: tuple[str, ...] = ()
    """Texts of the other elements in its table row or, outside of tables, of those up to the next element like it."""
    row_alike: int = 0
    """Number of these with its role."""
    alike: int = 0
    """Number of elements with its role and tag path, itself among them."""
    in_dialog: bool = False
    options: tuple[str, ...] = ()
    """Labels of the options of a native select."""


class FlowPlace(Part, frozen=True, kw_only=True, omit_defaults=True):
    """The call of a flow that asked for a step: the flow's version, the number of the call, its line and section.

    ``irreversible``: it presses what is pressed once for a sample.
    """

    name: str
    hash: str
    number: int
    line: int
    section: str = ""
    irreversible: bool = False


class Reflection(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What a model says beside a call, where the task asks for it (its key ``reflection``)."""

    evaluation_previous_step: str = ""
    memory_update: str = ""
    next_goal: str = ""


class StepTaken(Message, frozen=True, kw_only=True):
    """One cycle of observe, decide, act. ``step``: from 1 within an attempt.

    ``observation``: None before the first page. ``action``: None if the driver gave no usable one; ``message`` then
    has the reason. The state of an attempt is computed from its steps alone
    (`services.planner.state.transitions.replayed_state`).

    The names of the fields are keys of the step log too (`shared.evidence_format.log_codec`): they stay. A new field
    has a default, and is written only where it says something.
    """

    run_id: str
    sample_id: str
    attempt: int
    step: int
    planner_id: str = ""
    """Instance id of the planner process; empty in runs of earlier versions."""
    session_id: str = ""
    """The lease of the browser session."""
    started_at: datetime
    ended_at: datetime
    observation: ObservationRef | None
    decided_by: str
    """The driver: ``rules``, ``replay``, ``operator`` with a name, or the name of the model."""
    action: AnyAction | None
    result: ActionResult | None = None
    """None for actions that the planner handles itself."""
    message: str = ""
    """Outcome of the action, as shown to the driver."""
    refused: bool = False
    """The planner rejected the answer: it was invalid, the gates refused it, or only an end was allowed."""
    remark: str = ""
    """Further message to the driver about its answer."""
    notices: tuple[str, ...] = ()
    """Messages about progress that the driver was shown before this decision."""
    route: RouteMark | None = None
    """The step of the route that the action belongs to; None: it belongs to none, or there is no route."""
    call: int = 1
    """Number of this tool call within one answer of the model, from 1."""
    artifacts: tuple[FiledArtifact, ...] = ()
    values: tuple[FieldValue, ...] = ()
    """Fields that this step saved or that go into the result."""
    seen: tuple[FieldValue, ...] = ()
    """Fields that the rules read from the observed page."""
    known_rows: dict[str, int] = {}
    """Of fields of rows: how many of their first rows ``values`` and ``seen`` leave out, because steps before have them
    (`shared.recordings.logged_rows`). The values of a `done` have all."""
    unconfirmed: tuple[str, ...] = ()
    """Saved fields that no observed page shows."""
    items: tuple[dict[str, Any], ...] = ()
    """New items of a list."""
    counts: tuple[ShownCount, ...] = ()
    """What the page of reported items, or of kept rows, says about the length of the list."""
    list_pages: tuple[ListPage, ...] = ()
    """What the page of saved items of an ``array`` says of their list."""
    vision: VisionAnswered | None = None
    """The answer to a question about a picture."""
    workflow: WorkflowRan | None = None
    """What a workflow came to: its version, its value or its error, and the workflows that it invoked."""
    flow: FlowPlace | None = None
    """The call of a flow that asked for this step; None: no flow did."""
    claimed: int = 0
    """The step of the :class:`PressClaim` that was stored before this action; 0: it can be taken back."""
    stood: dict[str, tuple[str, ...]] = {}
    """What the page showed for each field before a press that cannot be taken back: no news of that."""
    stood_under: dict[str, tuple[str, ...]] = {}
    """What it showed then under the labels of what was filled in, by their forms (`shared.text.normal.label_form`)."""
    heals: tuple[Heal, ...] = ()
    """What a flow has found in another way than it was recorded, up to this step."""
    target_context: TargetContext | None = None
    """What stood around the action's target; None: it has none, or it was not in the observation."""
    reflection: Reflection | None = None
    taken_over: bool = False
    """A person did it who had taken the sample over; ``decided_by`` names him."""
    decided_in: int = 0
    """The earlier attempt in which this was decided and paid for; it was carried out anew. 0: in this one."""
    summary: Summary | None = None
    """Summary of earlier steps, made before this decision."""
    notes: tuple[Note, ...] = ()
    """Notes for reviewers."""
    looks: int = 0
    """Extra observations of the page since the last action that may have changed it."""
    observe_tokens: int = 0
    """Token budget of the observation."""
    prompt_chars: int = 0
    """Length of the prompt sent to the model, in characters."""
    prompt_weight: float = 0.0
    """Tokens of the prompt, estimated from its kinds of characters. The ratio of the counted tokens to it scales the
    estimate of the next prompt."""
    usage: Usage = Usage()
    browser_ms: float = 0.0
    decide_ms: float = 0.0
    total_ms: float = 0.0


FLOW_PRESSES = 10_000
"""No route has as many steps."""


class PressClaim(Part, frozen=True, kw_only=True):
    """Claim of an irreversible click by one attempt, stored before the click.

    ``step``: of the route, from 1. What a flow presses without a step of the route is counted from
    :data:`FLOW_PRESSES` + 1 on. ``number``: how many claims of it were given back before this one."""

    run_id: str
    sample_id: str
    step: int
    attempt: int
    number: int = 0
