"""Pure: the element of a recorded step, found again on the page of now. Exactly one must agree, or none is taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import Locator, TargetFound
from shared.text.normal import quoted

ORDER = ("id", "testid", "role", "label", "text", "css")
TOLD = 8


@dataclass(frozen=True)
class Lost:
    """What was looked for and what is there instead."""

    message: str


def found_again(wanted: TargetFound, page: PageObserved) -> Element | Lost:
    """By its fingerprint with role and name; else by the recorded locators, where those that find one element each all
    find the same. One that bears another name now must be found by two of them: an id alone may have moved on."""
    inside = [element for element in page.elements if element.frame == wanted.frame]
    same = [e for e in inside if e.fingerprint == wanted.fingerprint and _called_alike(e, wanted)]
    if len(same) == 1:
        return same[0]
    located = _located(wanted, inside)
    refs = {element.ref for element in located}
    if len(refs) == 1:
        element = located[0]
        agrees = element.role == wanted.role and element.tag == wanted.tag
        if agrees and (element.name == wanted.name or len(located) > 1):
            return element
    return Lost(_what_is_there(wanted, same, located, inside))


def _called_alike(element: Element, wanted: TargetFound) -> bool:
    return element.role == wanted.role and element.name == wanted.name


def _located(wanted: TargetFound, inside: Sequence[Element]) -> list[Element]:
    """One element for each recorded locator that found it alone then, and finds one alone now."""
    unique = sorted((one for one in wanted.locators if one.matches == 1), key=lambda one: ORDER.index(one.kind))
    found = ([e for e in inside if _finds(locator, e)] for locator in unique)
    return [elements[0] for elements in found if len(elements) == 1]


def _finds(locator: Locator, element: Element) -> bool:
    return any(one.kind == locator.kind and one.value == locator.value and one.matches == 1 for one in element.locators)


def _what_is_there(
    wanted: TargetFound, same: Sequence[Element], located: Sequence[Element], inside: Sequence[Element]
) -> str:
    looked_for = f"the {described(wanted)}"
    if len(same) > 1:
        return f"{looked_for} was looked for, and {len(same)} elements are like it"
    if located:
        several = Counter(described(element) for element in located)
        return f"{looked_for} was looked for, and its locators lead to {', '.join(several)}"
    names = dict.fromkeys(quoted(e.name, 40) for e in inside if e.role == wanted.role and e.name)
    there = ", ".join(list(names)[:TOLD]) + (f" and {len(names) - TOLD} more" if len(names) > TOLD else "")
    return f"{looked_for} was looked for; of its role there {'is ' + there if there else 'is nothing'}"


def described(one: TargetFound | Element) -> str:
    """``button "Save"``."""
    return f"{one.role or one.tag} {quoted(one.name, 60)}"
