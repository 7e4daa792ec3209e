"""Pure: the element that a value was read from, in what is stored of its page. Exactly one, or none is taken.

Three kinds of things tell it: its fingerprint (tag, role, name and path of tags: the same only while its words are),
locators that stand on its words (role, text), and those that stand on its place (id, testid, label, css). A stored page
lacks elements that were hidden, so a path by numbers may lead elsewhere: against a fingerprint it counts nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from services.planner.reading.page_text import label_form, text_of
from shared.contracts.browser_pool import Element
from shared.contracts.results import Locator
from shared.contracts.steps import ValueSource
from shared.text.normal import quoted

BY_PLACE = frozenset({"id", "testid", "label", "css"})
NEAR_PX = 2.0


@dataclass(frozen=True)
class Refound:
    """``by``: what led to it. ``unchanged``: its fingerprint is the recorded one, so its words are too."""

    element: Element
    by: tuple[str, ...]
    unchanged: bool


@dataclass(frozen=True)
class Lost:
    verdict: Literal["not_found", "ambiguous"]
    message: str


def found_again(source: ValueSource, elements: Sequence[Element]) -> Refound | Lost:
    """In a stored page that was opened again, whose elements come with their locators."""
    inside = [element for element in elements if element.frame == source.frame]
    led = _led_to(source.locators, inside)
    same = [element for element in inside if source.fingerprint and element.fingerprint == source.fingerprint]
    if same:
        return _one_of(source, same, led)
    placed = {ref: kinds for ref, kinds in led.items() if BY_PLACE & set(kinds)}
    if len(placed) == 1 and len(led) == 1:
        ref, kinds = next(iter(placed.items()))
        element = next(one for one in inside if one.ref == ref)
        if set(kinds) != {"css"} or _label(element) == label_form(source.label or ""):
            return Refound(element, tuple(kinds), False)
    if len(led) > 1:
        return Lost("ambiguous", f"its locators lead to {len(led)} different elements")
    return Lost("not_found", _nowhere(source, inside))


def found_in_observation(source: ValueSource, elements: Sequence[Element]) -> Refound | Lost:
    """In what was observed of the page when it was stored: elements there have numbers and fingerprints."""
    inside = [element for element in elements if element.frame == source.frame]
    if source.kept_ref:
        numbered = [element for element in elements if element.ref == source.kept_ref]
        if len(numbered) == 1:
            return Refound(numbered[0], ("number",), numbered[0].fingerprint == source.fingerprint)
    same = [element for element in inside if source.fingerprint and element.fingerprint == source.fingerprint]
    return _one_of(source, same, {}) if same else Lost("not_found", _nowhere(source, inside))


def _led_to(locators: Sequence[Locator], inside: Sequence[Element]) -> dict[int, list[str]]:
    """Elements that are found alone by what found one alone then: ref to the kinds of locators."""
    led: dict[int, list[str]] = {}
    for locator in locators:
        found = [element for element in inside if locator.matches == 1 and _bears(element, locator)]
        if len(found) == 1:
            led.setdefault(found[0].ref, []).append(locator.kind)
    return led


def _bears(element: Element, locator: Locator) -> bool:
    wanted = (locator.kind, locator.value, 1)
    return any((one.kind, one.value, one.matches) == wanted for one in element.locators)


def _one_of(source: ValueSource, same: Sequence[Element], led: dict[int, list[str]]) -> Refound | Lost:
    """Of several that are the same to the letter: the one that locators lead to, else that stands under the label, else
    that stands where it stood."""
    for by, fits in (
        ((), [element for element in same if len(same) == 1]),
        ((), [element for element in same if element.ref in led]),
        (("label",), [element for element in same if _label(element) == label_form(source.label or "")]),
        (("box",), [element for element in same if _stands_there(element, source)]),
    ):
        if len(fits) == 1:
            return Refound(fits[0], ("fingerprint", *led.get(fits[0].ref, ()), *by), True)
    return Lost("ambiguous", f"{len(same)} elements are the same to the letter")


def _label(element: Element) -> str:
    return label_form(element.header or "")


def _stands_there(element: Element, source: ValueSource) -> bool:
    if element.box is None or source.box is None:
        return False
    return abs(element.box.x - source.box.x) <= NEAR_PX and abs(element.box.y - source.box.y) <= NEAR_PX


def _nowhere(source: ValueSource, inside: Sequence[Element]) -> str:
    if not inside:
        return f"its frame {quoted(source.frame)} is not there"
    label = label_form(source.label or "")
    under = [quoted(text_of(element), 40) for element in inside if label and _label(element) == label][:3]
    there = f"; under {quoted(source.label or '')} there is {', '.join(under)}" if under else ""
    return f"no element has its fingerprint, and none is where its locators lead{there}"
