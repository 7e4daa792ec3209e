"""What the browser pool reports of an action: elements, captured files, effects, changes of the page."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from shared.contracts.base import Message, Part
from shared.contracts.codes import ActionCode, OpenCode


class Box(Part, frozen=True, kw_only=True):
    """CSS pixels from the top left of the document of the main frame."""

    x: float
    y: float
    width: float
    height: float


class Locator(Part, frozen=True, kw_only=True):
    """One way to find an element again, and how many elements it matched at that moment.

    ``value``: CSS for id, testid and css; ``role=button[name="Save"]`` for role; plain text for label and text.
    """

    kind: Literal["id", "testid", "role", "label", "text", "css"]
    value: str
    matches: int


class TargetFound(Part, frozen=True, kw_only=True):
    """The element an action acted on, described so that a later run can find and check it."""

    role: str
    name: str
    tag: str
    fingerprint: str
    """SHA-256 (16 hex digits) over tag, role, name, type and the path of tags; stable across page loads."""
    box: Box | None = None
    frame: str = "main"
    locators: tuple[Locator, ...] = ()


class Viewport(Part, frozen=True, kw_only=True):
    width_px: int
    height_px: int
    scale: float = 1.0
    """Pixels of the screen to a CSS pixel."""


class CaptureFacts(Part, frozen=True, kw_only=True):
    """What is known of the moment at which a page was captured. The files of one moment bear equal facts."""

    capture_id: str
    url: str
    title: str
    http_status: int | None
    observation_sha256: str
    """As :class:`shared.contracts.browser_pool.PageObserved` has it, of the page as it was then."""
    browser: str
    """Name and version."""
    viewport: Viewport
    captured_at: datetime


class Artifact(Part, frozen=True, kw_only=True):
    """Bytes that were captured, hashed where they came to be, and left in the ARTIFACTS bucket.

    ``page`` is the page itself as one file (MHTML, zstd); ``observation`` is what a program reads of it: one JSON
    object (zstd) with ``capture`` (the facts), ``headers`` of the document's response and ``elements``, all of them.
    """

    kind: Literal["screenshot", "download", "page", "observation"]
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
    part: int = 1
    parts: int = 1
    """A page that is too high for one picture is captured in parts, top to bottom, under one label."""
    area: Box | None = None
    """Of a screenshot: the part of the document that it shows."""
    capture: CaptureFacts | None = None
    """None for downloads."""


class Navigated(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="navigated"):
    url: str
    http_status: int | None = None


class ValueSet(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="value_set"):
    """The value read back after typing or selecting."""

    value: str


class CheckboxSet(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="checked"):
    checked: bool


class PageChanged(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="page_changed"):
    """The document changed without leaving its URL."""


class Scrolled(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="scrolled"):
    y_px: float
    max_y_px: float


class TextRead(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="text_read"):
    text: str


class Appeared(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="appeared"):
    """What was waited for is there."""


class Captured(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="captured"):
    """A picture or a file now exists; it is the result's artifact."""


class FilesGiven(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="files_given"):
    """The names of the files the field now holds."""

    names: tuple[str, ...]


class TabShown(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="tab_shown"):
    """Another tab is looked at now."""

    tab: int
    url: str
    title: str


class DialogOpened(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="dialog_opened"):
    """A JavaScript dialog waits for an answer; until it is given, nothing else can be done."""

    kind: Literal["confirm", "prompt"]
    message: str


class DialogAnswered(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="dialog_answered"):
    message: str
    accepted: bool


class NotSeen(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="not_seen"):
    """The action was fired and nothing was seen to come of it."""


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


class Change(Part, frozen=True, kw_only=True):
    """The page before and after an action."""

    url_before: str
    url_after: str
    http_status: int | None = None
    """Status of the document that was loaded by this action, if one was."""
    title: str = ""
    new_tabs: int = 0
    dialogs: tuple[str, ...] = ()
    """JavaScript dialogs that opened: those with one answer were given it, the last of the others may wait for one."""
    appeared: tuple[str, ...] = ()
    """Text that came up in the page: at most 5 pieces of at most 200 characters."""
    dismissed: tuple[str, ...] = ()
    """Dialogs, banners and pop-ups of the page that were in the way of the action and were closed."""
    denied: tuple[str, ...] = ()
    """Addresses the page asked for and was refused, each with the reason."""


class ActionResult(Message, frozen=True, kw_only=True):
    """What an action did. It is always an answer: a failed action is a result with ``ok`` false.

    ``code`` is ``ok`` or another of `shared.contracts.codes.ACTION_CODES`.
    """

    ok: bool
    code: OpenCode[ActionCode]
    message: str
    change: Change
    effect: Effect | None = None
    target: TargetFound | None = None
    artifacts: tuple[Artifact, ...] = ()
    """Pictures and files, one a part; a file that came down unasked is among them. Behind the pictures: the page that
    they show, and what is observed of it."""
    notes: tuple[str, ...] = ()
    """What a reviewer should know of what was captured: why the page itself is not kept, say."""
    browser_ms: float = 0.0
    """Wall time spent waiting for the browser, settling included."""
