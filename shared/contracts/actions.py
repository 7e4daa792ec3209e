"""The actions a decider may take, one type each: what the browser executes, and what ends in the planner.

On the wire an action is tagged with its name: ``{"action": "click", "target": {"by": "ref", ...}}``.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from shared.contracts.base import Part
from shared.contracts.codes import FailCode, OpenCode

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


class PickOption(Action, frozen=True, kw_only=True, tag="pick"):
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
    | PickOption
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
    """The sample cannot be worked on. `shared.contracts.codes.REASONS` has the reason that each ``code`` becomes."""

    code: OpenCode[FailCode] = "other"
    note: str = ""


OwnAction = SaveProgress | ReportItems | AskPicture | Done | Fail
AnyAction = BrowserAction | OwnAction
