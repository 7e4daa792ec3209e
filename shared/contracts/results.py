"""Results of actions in the browser pool: elements, captured files, effects, changes of the page."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode
from shared.contracts.error_codes import ActionCode


class Box(Part, frozen=True, kw_only=True, gc=False):
    """A rectangle in CSS pixels, from the top left of the main frame's document."""

    x: float
    y: float
    width: float
    height: float


InkState = Literal["seen", "absent", "unexplained", "outside"]
"""``seen``: the picture shows the text of a value, and nothing beside it that the page does not say. ``absent``: it
does not show all of it. ``unexplained``: something is drawn beside it that the page does not say. ``outside``: it lies
in no part of the page that can be seen."""


InkWord = Literal["seen", "absent", "unexplained", "outside", "glyphless"]
"""As of `InkState`; ``glyphless``: the picture shows the text, but boxes in place of characters that no font has."""


class Ink(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What the picture of a page shows where a value stands. ``at``: a word without ink, or the ink without a text.

    ``glyphless``: the number of characters in whose place the picture shows boxes, because the browser had no font for
    them, where nothing else speaks against it. The state is then ``absent``, so that who does not know of it does not
    take the text for seen; read `said`.
    """

    state: InkState
    at: Box | None = None
    glyphless: int = 0

    @property
    def said(self) -> InkWord:
        """The one word for what the picture shows."""
        return "glyphless" if self.glyphless else self.state


PartKind = Literal["", "badge", "old"]


class TextPart(Part, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One of several texts of an element.

    ``kind``: ``badge`` for a text in a box of its own, such as a tag; ``old`` for a text that is struck out.
    ``title``: as of :class:`shared.contracts.browser_pool.Element`. ``minor``: it is in smaller or lighter print than
    another text of the element.
    """

    text: str
    kind: PartKind = ""
    title: str | None = None
    minor: bool = False


class Locator(Part, frozen=True, kw_only=True, gc=False):
    """One way to find an element again. ``matches``: how many elements it matched when it was recorded.

    ``value``: CSS for id, testid and css; ``role=button[name="Save"]`` for role; plain text for label and text.
    """

    kind: Literal["id", "testid", "role", "label", "text", "css"]
    value: str
    matches: int


class TargetFound(Part, frozen=True, kw_only=True):
    """The element that an action acted on, with the data for a later run to find it again."""

    role: str
    name: str
    tag: str
    fingerprint: str
    """SHA-256 (16 hex digits) over tag, role, name, type and the path of tags; stable across page loads."""
    box: Box | None = None
    frame: str = "main"
    locators: tuple[Locator, ...] = ()


class ValueSource(Part, frozen=True, kw_only=True):
    """Provenance of a value: the page and the element that showed it."""

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
    """The element's ref in the stored observation, if the page was observed again to store it; 0: none."""
    page_sha256: str = ""
    """SHA-256 of the stored page that shows the value; empty if none was stored."""
    observation_file_sha256: str = ""
    """SHA-256 of the stored observation of that page; empty if none was stored."""
    screenshot_sha256: str = ""
    """SHA-256 of the screenshot of the same page state that shows the value; empty if there is none."""
    title: str | None = None
    """Text in the element's markup that adds to the shown text, such as the date and time of "3 days ago"."""
    date_order: str | None = None
    """The order of day, month and year that the page determined for this value; None if it was not ambiguous."""
    date_language: str | None = None
    """The language that the page determined for the name of the month; None if it was not ambiguous."""
    awaited: str = ""
    """What a request of the page's own asked for that was not answered when the value was read, or had failed: the
    value may stand in for what it brings. Empty: there was none (`awaited` and `failed` of
    :class:`shared.contracts.browser_pool.PageObserved`)."""
    ink: Ink | None = None
    """What a picture of the page shows of the text; None where no text stands for the value, or there is no picture."""


class ResponseSource(Part, frozen=True, kw_only=True):
    """Provenance of a value that an API gave: the stored response, and the place in it."""

    url: str
    sha256: str
    """Of the artifact of kind ``response``."""
    pointer: str
    """The JSON pointer (RFC 6901) of the value."""


Origin = Literal["page", "derived", "vision", "person", "api"]
"""``page``: read from the page; ``derived``: derived by a model from pages; ``vision``: read from a picture;
``person``: given by a person who has settled the sample; ``api``: read from the stored response of an API."""


class ValueCandidate(Part, frozen=True, kw_only=True):
    """One of several texts between which a person decides, and where it stands."""

    shown: str
    source: ValueSource | None = None


class Viewport(Part, frozen=True, kw_only=True):
    """Size of the browser's viewport in CSS pixels."""

    width_px: int
    height_px: int
    scale: float = 1.0
    """Device pixels for each CSS pixel."""


class CaptureFacts(Part, frozen=True, kw_only=True):
    """State of the page and browser at the time of a capture. Files captured together have equal facts."""

    capture_id: str
    url: str
    title: str
    http_status: int | None
    observation_sha256: str
    """``sha256`` of the page's :class:`shared.contracts.browser_pool.PageObserved` at that time."""
    browser: str
    """Name and version of the browser."""
    viewport: Viewport
    captured_at: datetime


FileProblem = Literal["", "empty", "other_kind", "broken", "sign_in_page", "error_answer", "unopened"]
"""Why a downloaded file is not what was to come. ``empty``: it has no bytes. ``other_kind``: its bytes are of another
kind than its name or its header says. ``broken``: it does not open, or lacks its pages, its sheets or its end.
``sign_in_page``, ``error_answer``: that came in its place. ``unopened``: it could not be looked at within the limits,
so that nothing is known."""


class FileContent(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What a downloaded file is by its bytes. ``told``: the problem in words for people."""

    kind: str
    problem: FileProblem = ""
    told: str = ""

    @property
    def is_invalid(self) -> bool:
        """Return whether the file is certainly not what was to come."""
        return self.problem not in ("", "unopened")


ArtifactKind = Literal[
    "screenshot", "download", "page", "observation", "workflow", "step", "flow", "response", "prompt"
]


class Artifact(Part, frozen=True, kw_only=True):
    """A captured file. The browser pool hashes it at capture and stores it in the ARTIFACTS bucket under ``blob``.

    Kind ``workflow``: a file that a workflow has made and saved; it is no capture of a page.

    Kind ``step``: a small picture of the page at one step, for the playback in the report. Kind ``flow``: the
    version of the flow that did the sample (`shared.evidence_format.files.flow`).

    Kind ``response``: what an API has answered, byte for byte (the key ``integration`` of a task).

    Kind ``prompt``: what a model was asked and has answered at the step (`shared.evidence_format.files.prompt`).

    Kind ``page``: the page as one file (MHTML, zstd). Kind ``observation``: one JSON object (zstd) with ``capture``
    (the :class:`CaptureFacts`), ``headers`` of the document's response and all ``elements``.
    """

    kind: ArtifactKind
    label: str
    media_type: str
    suffix: str
    size_bytes: int
    sha256: str
    blob: str
    source_url: str
    captured_at: datetime
    original_name: str | None = None
    text_preview: str | None = None
    """The beginning of the text of a PDF, CSV or XLSX file."""
    content: FileContent | None = None
    """Of a download: what its bytes are. None for other kinds, and in what earlier versions have recorded."""
    part: int = 1
    parts: int = 1
    """Number of pictures, if the page is too high for one: from top to bottom, with the same label. ``part`` is from
    1."""
    area: Box | None = None
    """The part of the document that a screenshot shows; None for other kinds."""
    of_values: bool = False
    """A picture of the window that nobody asked for: what scrolls was scrolled until values were in sight of which no
    other picture is known to show them in their boxes. Only the boxes of these values are on it."""
    capture: CaptureFacts | None = None
    """None for downloads."""


class Navigated(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="navigated"):
    """The page left its URL, or a document was loaded. ``http_status``: None if unknown."""

    url: str
    http_status: int | None = None


class ValueSet(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="value_set"):
    """The field was set. ``value``: read back after typing or selecting."""

    value: str


class CheckboxSet(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="checked"):
    """A checkbox or radio button was set. ``checked``: its state, read back; None where it is mixed."""

    checked: bool | None


class PageChanged(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="page_changed"):
    """What is shown changed; the URL is the same."""


class Scrolled(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="scrolled"):
    """The scroll position after the action, and the largest possible one, in CSS pixels."""

    y_px: float
    max_y_px: float


class TextRead(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="text_read"):
    """The text that was read from the element."""

    text: str


class Appeared(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="appeared"):
    """The awaited element is visible, or the page has settled."""


class Captured(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="captured"):
    """A picture or a file was captured; it is in ``artifacts`` of the result."""


class FilesGiven(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="files_given"):
    """A file field was set. ``names``: the names of its files."""

    names: tuple[str, ...]


class TabShown(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="tab_shown"):
    """Another tab is active."""

    tab: int
    url: str
    title: str


class DialogOpened(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="dialog_opened"):
    """A JavaScript dialog opened. It must be answered before any other action."""

    kind: Literal["confirm", "prompt"]
    message: str


class DialogAnswered(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="dialog_answered"):
    """A JavaScript dialog was accepted or dismissed."""

    message: str
    accepted: bool


class NotSeen(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="not_seen"):
    """The action was executed without a visible effect."""


Effect = (
    Navigated
    | ValueSet
    | CheckboxSet
    | PageChanged
    | Scrolled
    | TextRead
    | Appeared
    | Captured
    | FilesGiven
    | TabShown
    | DialogOpened
    | DialogAnswered
    | NotSeen
)


class ClosingButton(Part, frozen=True, kw_only=True):
    """A button or link, by role and accessible name, that was pressed to close what lay over the page."""

    role: str
    name: str


class Change(Part, frozen=True, kw_only=True):
    """Differences of the page before and after an action."""

    url_before: str
    url_after: str
    http_status: int | None = None
    """Status of the document that this action loaded; None if it loaded none."""
    title: str = ""
    new_tabs: int = 0
    dialogs: tuple[str, ...] = ()
    """JavaScript dialogs that opened. Alerts were closed; a confirm or prompt may be open and need an answer."""
    appeared: tuple[str, ...] = ()
    """Text that appeared on the page: at most 5 pieces of at most 200 characters."""
    dismissed: tuple[str, ...] = ()
    """Dialogs, banners and pop-ups of the page that blocked the action and were closed."""
    closed_by: tuple[ClosingButton, ...] = ()
    """What was pressed for that, in order; without keys, and without buttons that have no name."""
    denied: tuple[str, ...] = ()
    """Addresses that the page requested and that were refused, each with the reason."""
    not_taken: tuple[str, ...] = ()
    """What the page sent to its own site, and that was answered with an error or not at all: method and address."""
    taken: tuple[str, ...] | UnsetType = UNSET
    """The same, answered without an error. Where a field was filled in, it saves by itself, or the site checks it.
    UNSET where nothing was, so that a step without it has the bytes that it had before there was this field."""

    @property
    def taken_requests(self) -> tuple[str, ...]:
        """As ``taken``, empty where nothing was."""
        return self.taken or ()


class ActionResult(Message, frozen=True, kw_only=True):
    """The outcome of an action. A failed action is also a result, with ``ok`` false.

    ``code``: one of `shared.contracts.error_codes.ACTION_CODES`.
    """

    ok: bool
    code: OpenCode[ActionCode]
    message: str
    change: Change
    effect: Effect | None = None
    target: TargetFound | None = None
    artifacts: tuple[Artifact, ...] = ()
    """Captured pictures and files, including files that the site downloaded on its own. After pictures: the stored
    page that they show, and its observation."""
    notes: tuple[str, ...] = ()
    """Remarks for reviewers about the capture, such as why the page itself is not stored."""
    browser_ms: float = 0.0
    """Wall-clock time spent waiting for the browser, including settling, in milliseconds."""

    @property
    def has_invalid_file(self) -> bool:
        """Return whether a file came that is certainly not what was to come."""
        return any(one.content is not None and one.content.is_invalid for one in self.artifacts)
