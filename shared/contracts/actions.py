"""Owned by browser_pool: the actions a browser executes, one type each, and what became of them.

On the wire an action is tagged with its name: ``{"action": "click", "target": {"by": "ref", ...}}``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from shared.contracts.base import Message, Part

# --- targets: what an action acts on


class ByRef(msgspec.Struct, frozen=True, kw_only=True, tag_field="by", tag="ref"):
    """An element of one snapshot. It resolves to exactly that element or fails as stale."""

    ref: int
    snapshot_id: str


class ByText(msgspec.Struct, frozen=True, kw_only=True, tag_field="by", tag="text"):
    """Visible text or accessible name that must match exactly one element."""

    text: str


class ByCss(msgspec.Struct, frozen=True, kw_only=True, tag_field="by", tag="css"):
    """A CSS selector that must match exactly one element; the last resort."""

    css: str


Target = ByRef | ByText | ByCss
MOST_REF_DIGITS = 9
"""No page has so many elements; what was written beyond is not read."""


def parse_target(text: str, snapshot_id: str) -> Target:
    """A target as people and models write it: ``3``, ``css=#save`` or ``Save changes``.

    A number is always a ref of ``snapshot_id`` and never falls through to text.
    """
    stripped = text.strip().removeprefix("[").removesuffix("]")
    if stripped.isdecimal():
        return ByRef(ref=int(stripped[:MOST_REF_DIGITS]), snapshot_id=snapshot_id)
    if text.strip().startswith("css="):
        return ByCss(css=text.strip().removeprefix("css="))
    return ByText(text=text.strip())


# --- actions


class Action(msgspec.Struct, frozen=True, kw_only=True, tag_field="action"):
    """Base of all actions: ``reason`` is one sentence that says why it is taken."""

    reason: str = ""


class Goto(Action, frozen=True, kw_only=True, tag="goto"):
    url: str


class Click(Action, frozen=True, kw_only=True, tag="click"):
    target: Target


class TypeText(Action, frozen=True, kw_only=True, tag="type"):
    """Replaces what the field holds by ``text`` and reads it back."""

    target: Target
    text: str


class TypeSecret(Action, frozen=True, kw_only=True, tag="type_secret"):
    """Types a secret that the task spec names. Its value is known to the browser pool alone: a password, or the
    code of this moment where the secret is a TOTP seed."""

    target: Target
    secret: str


class Press(Action, frozen=True, kw_only=True, tag="press"):
    """Presses a key or a chord: ``Enter``, ``ArrowDown``, ``Control+A``; on ``target``, else where the focus is."""

    keys: str
    target: Target | None = None


class Hover(Action, frozen=True, kw_only=True, tag="hover"):
    """Moves the mouse over ``target`` and leaves it there."""

    target: Target


class Drag(Action, frozen=True, kw_only=True, tag="drag"):
    """Drags the middle of ``target`` to the middle of ``onto``."""

    target: Target
    onto: Target


class DragBy(Action, frozen=True, kw_only=True, tag="drag_by"):
    """Drags the middle of ``target`` by so many CSS pixels: slider handles, dividers, maps."""

    target: Target
    right_px: float = 0.0
    down_px: float = 0.0


class Upload(Action, frozen=True, kw_only=True, tag="upload"):
    """Gives a file field one file: the name of one in the pool's upload folder, or the label of one that was
    downloaded in this session. Never a path."""

    target: Target
    file: str


class Pick(Action, frozen=True, kw_only=True, tag="pick"):
    """Picks ``option`` in any control that offers choices: native selects, custom dropdowns, comboboxes that
    search or load as one types, menus, radio groups."""

    target: Target
    option: str


class SetDate(Action, frozen=True, kw_only=True, tag="set_date"):
    """Sets a date field or date picker. ``date`` is ISO 8601: ``2026-11-21``, ``2026-11``, ``14:30`` or
    ``2026-11-21T14:30``."""

    target: Target
    date: str


class Back(Action, frozen=True, kw_only=True, tag="back"):
    """One step back in the history of the tab."""


class SwitchTab(Action, frozen=True, kw_only=True, tag="switch_tab"):
    """Looks at another tab, by the number the observation gives it."""

    tab: int


class CloseTab(Action, frozen=True, kw_only=True, tag="close_tab"):
    """Closes the tab that is looked at; the one that was looked at before it comes back."""


class AnswerDialog(Action, frozen=True, kw_only=True, tag="dialog"):
    """Answers the JavaScript dialog that is open: ``text`` goes into a prompt that is accepted."""

    answer: Literal["accept", "dismiss"]
    text: str = ""


class SelectOption(Action, frozen=True, kw_only=True, tag="select_option"):
    """Picks the option whose visible label, else value, is ``option`` in a native select."""

    target: Target
    option: str


class Scroll(Action, frozen=True, kw_only=True, tag="scroll"):
    direction: Literal["up", "down"] = "down"
    amount_px: int = 600


class Wait(Action, frozen=True, kw_only=True, tag="wait"):
    """Waits until ``target`` is visible, or, without one, until the page is quiet."""

    target: Target | None = None
    timeout_s: float = 10.0


class Screenshot(Action, frozen=True, kw_only=True, tag="screenshot"):
    """A picture of the whole page, in several tiles where it is very high, or of the viewport."""

    label: str
    full_page: bool = True


class ScreenshotElement(Action, frozen=True, kw_only=True, tag="screenshot_element"):
    """A picture of one element."""

    target: Target
    label: str


class ScreenshotViews(Action, frozen=True, kw_only=True, tag="screenshot_views"):
    """The page from top to bottom, one picture a viewport: for pages that load as they are scrolled."""

    label: str


class Extract(Action, frozen=True, kw_only=True, tag="extract"):
    """Reads the visible text (or the value) of one element."""

    target: Target


class Download(Action, frozen=True, kw_only=True, tag="download"):
    """Clicks ``target`` and keeps the file that comes down."""

    target: Target
    label: str = "download"


BrowserAction = (
    Goto
    | Click
    | TypeText
    | TypeSecret
    | Press
    | Hover
    | SelectOption
    | Pick
    | SetDate
    | Upload
    | Drag
    | DragBy
    | Scroll
    | Wait
    | Back
    | SwitchTab
    | CloseTab
    | AnswerDialog
    | Screenshot
    | ScreenshotElement
    | ScreenshotViews
    | Extract
    | Download
)

# --- what came of it


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


class Checked(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect", tag="checked"):
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
    | Checked
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

    ``code`` is ``ok`` or one of: not_found, ambiguous, stale_ref, not_editable, no_such_option,
    timeout, http_error, unreachable, policy_denied, no_file, too_large, effect_not_seen, blocked, no_such_tab,
    dialog_open, no_dialog, no_such_secret, no_such_file, failed.
    """

    ok: bool
    code: str
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
