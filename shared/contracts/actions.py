"""The actions a driver may take, one type each: those the browser executes, and those the planner handles itself.

On the wire an action is tagged with its name: ``{"action": "click", "target": {"by": "ref", ...}}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from shared.contracts.base import Part
from shared.contracts.codes import FailCode, OpenCode

# --- targets: what an action acts on


class ByRef(msgspec.Struct, frozen=True, kw_only=True, tag_field="by", tag="ref"):
    """An element of one snapshot, by its number. It resolves to exactly that element or fails as stale."""

    ref: int
    snapshot_id: str


class ByText(msgspec.Struct, frozen=True, kw_only=True, tag_field="by", tag="text"):
    """Visible text or accessible name that must match exactly one element."""

    text: str


class ByCss(msgspec.Struct, frozen=True, kw_only=True, tag_field="by", tag="css"):
    """A CSS selector that must match exactly one element; the last resort."""

    css: str


Target = ByRef | ByText | ByCss
TARGET_FIELDS = ("target", "onto")
"""Fields of actions that are targets."""
MOST_REF_DIGITS = 9
"""Digits of a ref that are parsed; further digits are ignored. No page has that many elements."""


def parse_target(text: str, snapshot_id: str) -> Target:
    """Parse a target as people and models write it: ``3``, ``css=#save`` or ``Save changes``.

    A number is always a ref of ``snapshot_id``, never text.
    """
    stripped = text.strip().removeprefix("[").removesuffix("]")
    if stripped.isdecimal():
        return ByRef(ref=int(stripped[:MOST_REF_DIGITS]), snapshot_id=snapshot_id)
    if text.strip().startswith("css="):
        return ByCss(css=text.strip().removeprefix("css="))
    return ByText(text=text.strip())


def with_targets(written: Mapping[str, Any], snapshot_id: str) -> dict[str, Any]:
    """Return the fields of an action with the targets parsed that are written as a text or number."""
    targets = {key: written[key] for key in TARGET_FIELDS if key in written}
    parsed = {
        key: msgspec.to_builtins(parse_target(str(target), snapshot_id))
        for key, target in targets.items()
        if isinstance(target, str | int) and not isinstance(target, bool)
    }
    return {**written, **parsed}


# --- actions


class Action(msgspec.Struct, frozen=True, kw_only=True, tag_field="action"):
    """Base of all actions. ``reason``: one sentence that says why the action is taken."""

    reason: str = ""


class Goto(Action, frozen=True, kw_only=True, tag="goto"):
    """Opens ``url`` in the active tab.

    ``keep``: the address is that of a file. It is stored also where the browser would show it, and then the page before
    is shown again.
    """

    url: str
    keep: bool = False


class Click(Action, frozen=True, kw_only=True, tag="click"):
    """Clicks ``target``."""

    target: Target


class DoubleClick(Action, frozen=True, kw_only=True, tag="double_click"):
    """Clicks ``target`` twice at once: cells that are edited then, items that open then."""

    target: Target


class ClickAt(Action, frozen=True, kw_only=True, tag="click_at"):
    """Clicks a point of the document, in CSS px from its top left, where no element is observed: in a drawing. Only a
    person does who has taken a sample over."""

    x: float
    y: float


class TypeText(Action, frozen=True, kw_only=True, tag="type"):
    """Replaces the content of a field with ``text`` and reads it back. A slider or spin button is set to it by keys."""

    target: Target
    text: str


class TypeSecret(Action, frozen=True, kw_only=True, tag="type_secret"):
    """Types a secret that the task spec names. Only the browser pool knows its value: a password, or the current
    code if the secret is a TOTP seed."""

    target: Target
    secret: str


class Press(Action, frozen=True, kw_only=True, tag="press"):
    """Presses a key or a chord (``Enter``, ``ArrowDown``, ``Control+A``) on ``target``, or on the focused element."""

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
    """Drags ``target`` by a distance in CSS pixels: sliders by their handle, dividers and maps by their middle."""

    target: Target
    right_px: float = 0.0
    down_px: float = 0.0


class Upload(Action, frozen=True, kw_only=True, tag="upload"):
    """Sets one file in a file field. ``file`` is the name of a file in the pool's upload folder, or the label of a
    file downloaded in this session; never a path."""

    target: Target
    file: str


class PickOption(Action, frozen=True, kw_only=True, tag="pick"):
    """Picks ``option`` in any control that offers choices: native selects, custom dropdowns, comboboxes that
    search or load during typing, menus, radio groups."""

    target: Target
    option: str


class SetDate(Action, frozen=True, kw_only=True, tag="set_date"):
    """Sets a date field or date picker. ``date`` is ISO 8601: ``2026-11-21``, ``2026-11``, ``14:30`` or
    ``2026-11-21T14:30``."""

    target: Target
    date: str


class Back(Action, frozen=True, kw_only=True, tag="back"):
    """Goes one step back in the history of the tab."""


class SwitchTab(Action, frozen=True, kw_only=True, tag="switch_tab"):
    """Makes another tab the active one. ``tab``: its number in the observation, from 1."""

    tab: int


class CloseTab(Action, frozen=True, kw_only=True, tag="close_tab"):
    """Closes the active tab; the tab that was active before it becomes active again."""


class AnswerDialog(Action, frozen=True, kw_only=True, tag="dialog"):
    """Answers the open JavaScript dialog. ``text`` is entered if a prompt is accepted."""

    answer: Literal["accept", "dismiss"]
    text: str = ""


class SelectOption(Action, frozen=True, kw_only=True, tag="select_option"):
    """Picks an option of a native select by its visible label, or else by its value."""

    target: Target
    option: str


class Scroll(Action, frozen=True, kw_only=True, tag="scroll"):
    """Scrolls the page by ``amount_px`` CSS pixels; with ``target`` the innermost part around it that can go on."""

    direction: Literal["up", "down"] = "down"
    amount_px: int = 600
    target: Target | None = None


class Wait(Action, frozen=True, kw_only=True, tag="wait"):
    """Waits until ``target`` is visible or, without a target, until the page has settled; ``timeout_s`` at most."""

    target: Target | None = None
    timeout_s: float = 10.0


class Screenshot(Action, frozen=True, kw_only=True, tag="screenshot"):
    """Captures the whole page or only the viewport. It takes several pictures of a page that is very high, and of one
    in which a part scrolls in its place."""

    label: str
    full_page: bool = True


class ScreenshotElement(Action, frozen=True, kw_only=True, tag="screenshot_element"):
    """Captures a picture of one element."""

    target: Target
    label: str


class ScreenshotViews(Action, frozen=True, kw_only=True, tag="screenshot_views"):
    """Captures the page from top to bottom, one picture for each viewport: for pages that load during scrolling."""

    label: str


class Extract(Action, frozen=True, kw_only=True, tag="extract"):
    """Reads the visible text (or the value) of one element."""

    target: Target


class Download(Action, frozen=True, kw_only=True, tag="download"):
    """Clicks ``target`` and stores the file that is downloaded."""

    target: Target
    label: str = "download"


BrowserAction = (
    Goto
    | Click
    | DoubleClick
    | ClickAt
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

# --- actions that the planner handles itself, without a browser


class SaveProgress(Action, frozen=True, kw_only=True, tag="save_progress"):
    """Stores the values found so far and continues. Fields as in :class:`Done`."""

    values: dict[str, Any]
    not_present: dict[str, str] = {}
    refs: dict[str, int] = {}


class ReportItems(Action, frozen=True, kw_only=True, tag="report_items"):
    """Reports the items on this page of a list, one object for each, and continues. Only in discovery tasks."""

    items: tuple[dict[str, Any], ...]
    place: str = ""
    """The list's position in the markup; see ``place`` of :class:`shared.contracts.browser_pool.Element`."""
    addresses: tuple[str, ...] = ()
    """The own address of each of ``items``, empty where it is not certain. Only the rules give it."""


class AskPicture(Action, frozen=True, kw_only=True, tag="ask_picture"):
    """Asks one question about a picture of ``target``, or of the viewport: the meaning of an icon, colour or drawing.

    ``field``: the output field that the answer is for.
    """

    question: str
    target: Target | None = None
    field: str = ""


class JudgmentGiven(Part, frozen=True, kw_only=True):
    """A driver's answer to the task's question. ``evidence_refs``: file names of artifacts of this sample."""

    answer: str
    confidence: float
    """From 0 to 1."""
    reasoning: str
    evidence_refs: tuple[str, ...] = ()


class Judgment(Part, frozen=True, kw_only=True):
    """An accepted :class:`JudgmentGiven` with the question it answers. It is stored apart from the values."""

    question: str
    answer: str
    confidence: float
    reasoning: str
    evidence_refs: tuple[str, ...] = ()
    decided_by: str = ""


class Done(Action, frozen=True, kw_only=True, tag="done"):
    """Ends the sample as done, if the gates accept it.

    ``values``: each field's text as shown on the page. ``not_present``: fields that the page says are empty (an
    unassigned ticket), with the words it uses. A field in neither was not found. ``refs``: the ref of the element
    that each field was read from.
    """

    values: dict[str, Any]
    not_present: dict[str, str] = {}
    refs: dict[str, int] = {}
    judgment: JudgmentGiven | None = None


class Fail(Action, frozen=True, kw_only=True, tag="fail"):
    """Ends the sample without a result. `shared.contracts.codes.REASONS` maps each ``code`` to a reason."""

    code: OpenCode[FailCode] = "other"
    note: str = ""


class UseWorkflow(Action, frozen=True, kw_only=True, tag="use_workflow"):
    """Runs a workflow of the library in the sample's browser session. No model is offered it.

    ``hash``: the version, as its whole SHA-256.
    """

    name: str
    hash: str
    arguments: dict[str, Any] = {}


class Expect(Action, frozen=True, kw_only=True, tag="expect"):
    """Writes down what must hold after the next step, which a planner has chosen for a flow. No model is offered it.

    ``subject``: what the flow looked for. ``element``: what the next step acts on, for people. ``effects`` and
    ``shows``: as in :class:`shared.contracts.workflows.heals.Postcondition`."""

    subject: str
    element: str
    effects: tuple[str, ...] = ()
    shows: str = ""


class AskApi(Action, frozen=True, kw_only=True, tag="ask_api"):
    """Asks the API of the task's ``integration`` for the record, before the driver begins. No model is offered it.

    ``url``: as filled from the row; empty: the row lacks a column for it."""

    url: str


OwnAction = AskApi | Expect | SaveProgress | ReportItems | AskPicture | UseWorkflow | Done | Fail
AnyAction = BrowserAction | OwnAction
