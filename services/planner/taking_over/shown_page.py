"""What a person is shown of an observed page who may take it over, and which element a point means. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import Box
from shared.contracts.sessions.taking_over import ElementUse, ShownElement
from shared.text.normal import tidy

MOST_ELEMENTS, MOST_NAME = 400, 120
SMALL_PX = (400.0, 60.0)
_FILLED = frozenset({"textbox", "searchbox", "spinbutton"})
_CHOSEN = frozenset({"combobox", "listbox"})
_PRESSED = frozenset(
    {"link", "button", "checkbox", "radio", "switch", "tab", "option", "slider"}
    | {"menuitem", "menuitemradio", "menuitemcheckbox", "treeitem", "summary"}
)


def use_of(element: Element) -> ElementUse:
    """Return what a person does with an element."""
    if element.role in _FILLED or (element.tag == "textarea" and element.role not in _PRESSED):
        return "fill"
    if element.role in _CHOSEN:
        return "fill" if element.tag in ("input", "textarea") else "choose"
    return "press" if element.role in _PRESSED else "none"


def shown_elements(page: PageObserved) -> tuple[ShownElement, ...]:
    """Return what can be acted on, in document order."""
    found = (shown(one) for one in page.elements if one.covered_by is None)
    return tuple(one for one in found if one is not None and one.use != "none")[:MOST_ELEMENTS]


def shown(element: Element) -> ShownElement | None:
    """Return an element as a person is shown it; None for one that takes up no room."""
    if element.box is None or element.ref <= 0:
        return None
    return ShownElement(
        ref=element.ref,
        role=element.role or element.tag,
        name=tidy(element.header or element.name if use_of(element) != "press" else element.name)[:MOST_NAME],
        use=use_of(element),
        box=element.box,
        secret=element.secret,
    )


def element_at(page: PageObserved, x: float, y: float) -> Element | None:
    """Return the element that a press at this point of the document means: the smallest that can be acted on, else the
    smallest of all. None where none was observed there, or one so large that its middle, where it is pressed, may be
    another place: a drawing, a map."""
    there = [one for one in page.elements if one.box is not None and _holds(one.box, x, y)]
    seen = [one for one in there if one.covered_by is None]
    found = _smallest(one for one in seen if use_of(one) != "none") or _smallest(seen)
    return None if found is None or (use_of(found) == "none" and not _is_small(found)) else found


def _smallest(elements: Iterable[Element]) -> Element | None:
    return min(elements, key=_area, default=None)


def _is_small(element: Element) -> bool:
    return element.box is not None and element.box.width <= SMALL_PX[0] and element.box.height <= SMALL_PX[1]


def _area(element: Element) -> float:
    return element.box.width * element.box.height if element.box is not None else 0.0


def _holds(box: Box, x: float, y: float) -> bool:
    return box.x <= x < box.x + box.width and box.y <= y < box.y + box.height
