"""What of a page somebody can use to sign in, and what a form of its controls does there. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from shared.contracts.actions import BrowserAction, ByRef, Click, PickOption, Press, TypeSecret, TypeText
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import Box
from shared.login_walls import is_password
from shared.pages.elements import is_input, text_of

MOST_FIELDS, MOST_BUTTONS, MOST_LINKS = 40, 60, 120
MOST_TEXT = 1000
REASON = "A person signs in by hand."
TYPED, SECRET, PRESSED = "text.", "secret.", "press"
"""What the names of a form begin with; what follows is the number of the element."""
ENTER = "enter"
TICKED = frozenset({"checkbox", "radio", "switch"})
PRESSED_TOO = frozenset({"button", "tab", "menuitem"})


@dataclass(frozen=True)
class LoginControl:
    """A control of the page. ``number``: on the picture, from 1; 0: of a link, which has none. ``kind``: ``text``,
    ``password``, ``choice``, ``button``, ``tick`` or ``link``. ``value``: of a field that is no secret. ``ticked``: of
    a box."""

    number: int
    ref: int
    kind: str
    name: str
    value: str = ""
    ticked: bool = False
    box: Box | None = None


def controls_of(page: PageObserved) -> tuple[LoginControl, ...]:
    """Return what can be filled and pressed, in the order of the page, as many of each kind as a form takes."""
    most = {"field": MOST_FIELDS, "button": MOST_BUTTONS, "link": MOST_LINKS}
    found: list[LoginControl] = []
    numbers = count(1)
    for element in page.elements:
        kind = _kind_of(element)
        group = "link" if kind == "link" else "button" if kind in ("button", "tick") else "field"
        long = group == "field" and len(text_of(element)) > MOST_TEXT
        if not kind or "disabled" in element.states or long or not most[group]:
            continue
        most[group] -= 1
        value = text_of(element) if kind in ("text", "choice") else ""
        found.append(
            LoginControl(
                next(numbers) if kind != "link" else 0,
                element.ref,
                kind,
                _name_of(element),
                value,
                "checked" in element.states,
                element.box,
            )
        )
    return tuple(found)


def _kind_of(element: Element) -> str:
    if element.role in TICKED:
        return "tick"
    if element.role in PRESSED_TOO:
        return "button"
    if element.role == "link":
        return "link"
    if is_password(element):
        return "password"
    if element.tag == "select" or element.role == "listbox":
        return "choice"
    return "text" if is_input(element) or element.role == "searchbox" else ""


def _name_of(element: Element) -> str:
    return element.name or element.title or element.header or element.role


def actions_in(form: Mapping[str, str], page: PageObserved) -> Iterator[BrowserAction]:
    """Yield what a form does on the page that it was made of: what was changed in its fields, then what was pressed.

    Raises ValueError for a form that is not of this page.
    """
    controls = {one.ref: one for one in controls_of(page)}
    last: ByRef | None = None
    for one in controls.values():
        target = ByRef(ref=one.ref, snapshot_id=page.snapshot_id)
        name = f"{TYPED}{one.ref}"
        secret, text = form.get(f"{SECRET}{one.ref}", ""), form.get(name, "")[:MOST_TEXT]
        secret = secret if one.kind == "password" else ""
        if one.kind not in ("text", "password", "choice") or name not in form or (not secret and text == one.value):
            continue
        if one.kind != "text" and not secret and not text:
            continue
        last = target
        if secret:
            yield TypeSecret(target=target, secret=secret, reason=REASON)
        elif one.kind == "choice":
            yield PickOption(target=target, option=text, reason=REASON)
        else:
            yield TypeText(target=target, text=text, reason=REASON)
    pressed = form.get(PRESSED, "")
    if pressed == ENTER:
        if last is not None:
            yield Press(keys="Enter", target=last, reason=REASON)
    elif pressed:
        chosen = controls.get(int(pressed)) if pressed.isascii() and pressed.isdecimal() and len(pressed) < 8 else None
        if chosen is None:
            raise ValueError("it names no control of the page")
        yield Click(target=ByRef(ref=chosen.ref, snapshot_id=page.snapshot_id), reason=REASON)
