"""Pure: an element of an earlier look, found again on a page. Exactly one is taken, or none.

Its fingerprint tells it (tag, role, name and path of tags), and so do its locators: those that found one element alone
then, where they find one alone now. How much must agree depends on what follows, so there are four questions:

- :func:`find_target`, where an action is taken again on the site: role and name must agree, or two locators, for a
  wrong press does harm. Nothing else decides between equals.
- :func:`find_source`, where a value is read again from a stored page: nothing is done to the page, so of several that
  are the same to the letter the label or the box decides. A stored page lacks elements that were hidden, so a path by
  numbers may lead elsewhere: where no fingerprint agrees, a locator that stands on the element's place must.
- :func:`find_source_in_observation`, in what was observed when that page was stored: elements have numbers there.
- :func:`find_ref`, between two looks within one answer of a model: the page is the one it was chosen on, so the n-th of
  a kind is still the n-th, whatever it holds by now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from services.planner.page.text import label_form, text_of
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import Locator, TargetFound
from shared.contracts.steps import ValueSource
from shared.text.normal import quoted

LOCATOR_ORDER = ("id", "testid", "role", "label", "text", "css")
"""What is told first where locators lead to different elements."""
BY_PLACE = frozenset({"id", "testid", "label", "css"})
"""Locators that stand on the place of an element; the others stand on its words."""
NEAR_PX = 2.0
MOST_NAMED = 8


@dataclass(frozen=True)
class Refound:
    """``by``: what led to it. ``unchanged``: its fingerprint is the recorded one, so its words are too."""

    element: Element
    found_by: tuple[str, ...]
    unchanged: bool


@dataclass(frozen=True)
class NotRefound:
    """``message``: what was looked for, and what is there instead."""

    message: str
    verdict: Literal["not_found", "ambiguous"] = "not_found"


def refs_by_locators(locators: Sequence[Locator], inside: Sequence[Element]) -> dict[int, list[str]]:
    """Return the refs that locators lead to, each with the kinds that do, of those that were and are unique."""
    led: dict[int, list[str]] = {}
    for locator in locators:
        found = [element for element in inside if locator.matches == 1 and _has_locator(element, locator)]
        if len(found) == 1:
            led.setdefault(found[0].ref, []).append(locator.kind)
    return led


def _has_locator(element: Element, locator: Locator) -> bool:
    wanted = (locator.kind, locator.value, 1)
    return any((one.kind, one.value, one.matches) == wanted for one in element.locators)


# --- to act on it


def find_target(wanted: TargetFound, page: PageObserved) -> Element | NotRefound:
    """By its fingerprint with role and name; else by its locators, where all that lead anywhere lead to one element.
    One that bears another name now must be found by two of them: an id alone may have moved on."""
    inside = [element for element in page.elements if element.frame == wanted.frame]
    same = [e for e in inside if (e.fingerprint, e.role, e.name) == (wanted.fingerprint, wanted.role, wanted.name)]
    if len(same) == 1:
        return same[0]
    led = refs_by_locators(sorted(wanted.locators, key=lambda one: LOCATOR_ORDER.index(one.kind)), inside)
    if len(led) == 1:
        [(ref, kinds)] = led.items()
        element = next(one for one in inside if one.ref == ref)
        agrees = (element.role, element.tag) == (wanted.role, wanted.tag)
        if agrees and (element.name == wanted.name or len(kinds) > 1):
            return element
    return NotRefound(_not_found_target(wanted, len(same), led, inside))


def description_of(one: TargetFound | Element) -> str:
    """``button "Save"``."""
    return f"{one.role or one.tag} {quoted(one.name, 60)}"


def _not_found_target(wanted: TargetFound, same: int, led: dict[int, list[str]], inside: Sequence[Element]) -> str:
    looked_for = f"the {description_of(wanted)}"
    if same > 1:
        return f"{looked_for} was looked for, and {same} elements are like it"
    if led:
        elements = {element.ref: element for element in inside}
        several = Counter(description_of(elements[ref]) for ref in led)
        return f"{looked_for} was looked for, and its locators lead to {', '.join(several)}"
    names = list(dict.fromkeys(quoted(e.name, 40) for e in inside if e.role == wanted.role and e.name))
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    there = ", ".join(names[:MOST_NAMED]) + more
    return f"{looked_for} was looked for; of its role there {'is ' + there if there else 'is nothing'}"


# --- to read it again


def find_source(source: ValueSource, elements: Sequence[Element]) -> Refound | NotRefound:
    """In a stored page that was opened again, whose elements come with their locators."""
    inside = [element for element in elements if element.frame == source.frame]
    led = refs_by_locators(source.locators, inside)
    same = _same_fingerprint(source, inside)
    if same:
        return _chosen_of(source, same, led)
    if len(led) == 1:
        [(ref, kinds)] = led.items()
        element = next(one for one in inside if one.ref == ref)
        labelled = _label(element) == label_form(source.label or "")
        if BY_PLACE & set(kinds) and (set(kinds) != {"css"} or labelled):
            return Refound(element, tuple(kinds), False)
    if len(led) > 1:
        return NotRefound(f"its locators lead to {len(led)} different elements", "ambiguous")
    return NotRefound(_not_found_message(source, inside))


def find_source_in_observation(source: ValueSource, elements: Sequence[Element]) -> Refound | NotRefound:
    """In what was observed of the page when it was stored: elements there have numbers and fingerprints."""
    inside = [element for element in elements if element.frame == source.frame]
    if source.kept_ref:
        numbered = [element for element in elements if element.ref == source.kept_ref]
        if len(numbered) == 1:
            return Refound(numbered[0], ("number",), numbered[0].fingerprint == source.fingerprint)
    same = _same_fingerprint(source, inside)
    return _chosen_of(source, same, {}) if same else NotRefound(_not_found_message(source, inside))


def _same_fingerprint(source: ValueSource, inside: Sequence[Element]) -> list[Element]:
    return [element for element in inside if source.fingerprint and element.fingerprint == source.fingerprint]


def _chosen_of(source: ValueSource, same: Sequence[Element], led: dict[int, list[str]]) -> Refound | NotRefound:
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
    return NotRefound(f"{len(same)} elements are the same to the letter", "ambiguous")


def _label(element: Element) -> str:
    return label_form(element.header or "")


def _stands_there(element: Element, source: ValueSource) -> bool:
    if element.box is None or source.box is None:
        return False
    return abs(element.box.x - source.box.x) <= NEAR_PX and abs(element.box.y - source.box.y) <= NEAR_PX


def _not_found_message(source: ValueSource, inside: Sequence[Element]) -> str:
    if not inside:
        return f"its frame {quoted(source.frame)} is not there"
    label = label_form(source.label or "")
    under = [quoted(text_of(element), 40) for element in inside if label and _label(element) == label][:3]
    there = f"; under {quoted(source.label or '')} there is {', '.join(under)}" if under else ""
    return f"no element has its fingerprint, and none is where its locators lead{there}"


# --- within one answer


def find_ref(ref: int, before: PageObserved, now: PageObserved) -> int | None:
    """Its number in the page as it is now: the n-th of its kind, where there are as many as before; else None."""
    wanted = next((e for e in before.elements if e.ref == ref), None)
    if wanted is None:
        return None
    then = [e.ref for e in before.elements if _kind(e) == _kind(wanted)]
    found = [e.ref for e in now.elements if _kind(e) == _kind(wanted)]
    return found[then.index(ref)] if len(then) == len(found) else None


def _kind(element: Element) -> tuple[object, ...]:
    """What it is, whatever it holds: a field that was just filled is the same field."""
    return (element.frame, element.role, element.name, element.fingerprint, element.header)
