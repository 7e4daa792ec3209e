"""Finds an element of an earlier observation again. The result is one element or none.

An element is identified by its fingerprint (tag, role, name and path of tags) and by its locators: those that were
unique then, if they are unique now. How much must agree depends on the purpose:

- :func:`find_target`, to repeat an action on the site: role and name must agree, or two locators, because a wrong click
  does harm. Equal elements are not told apart.
- :func:`find_source`, to read a value again from a stored page: equal elements are told apart by label or box. A stored
  page lacks hidden elements, so a path with numbers may lead elsewhere; without an equal fingerprint, a locator of the
  element's place must agree.
- :func:`find_words_at_place`, in a stored page too, if the element is not found: scripts made it what it was (a
  button, a list), and a stored page has none. Its words within its recorded box are the same reading.
- :func:`find_source_in_observation`, in the stored observation of that page: its elements have numbers.
- :func:`find_under_label` and :func:`unlabelled_like`, to read it from the page as the site shows it now: the label
  tells the element, and without one its kind does. Its words and its place may be others.
- :func:`find_ref`, between two observations within one answer of a model: the n-th of a kind is still the n-th.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import Locator, TargetFound
from shared.contracts.steps import ValueSource
from shared.pages.elements import description_of, is_input, names_with_role, text_of
from shared.pages.locate.findings import Ambiguous, Found, Located, NotFound
from shared.text.normal import label_form, quoted, tidy

LOCATOR_ORDER = ("id", "testid", "role", "label", "text", "css")
"""Which locator is named first if they lead to different elements."""
BY_PLACE = frozenset({"id", "testid", "label", "css"})
"""Locators of an element's place; the others identify its words."""
NEAR_PX = 2.0


def refs_by_locators(locators: Sequence[Locator], inside: Sequence[Element]) -> dict[int, list[str]]:
    """Return the refs that locators lead to, each with their kinds. Only locators that were and are unique count."""
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


def find_target(wanted: TargetFound, page: PageObserved) -> Element | NotFound | Ambiguous:
    """Return the element to repeat an action on: by fingerprint, role and name, else by its locators.

    If its name has changed, two locators must lead to it: an id alone may have moved to another element.
    """
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
    return _not_one_target(wanted, len(same), led, inside)


def _not_one_target(
    wanted: TargetFound, same: int, led: dict[int, list[str]], inside: Sequence[Element]
) -> NotFound | Ambiguous:
    looked_for = f"the {description_of(wanted)}"
    if same > 1:
        return Ambiguous(f"{looked_for} was looked for, and {same} elements are like it")
    if led:
        elements = {element.ref: element for element in inside}
        several = Counter(description_of(elements[ref]) for ref in led)
        message = f"{looked_for} was looked for, and its locators lead to {', '.join(several)}"
        return Ambiguous(message) if len(led) > 1 else NotFound(message)
    return NotFound(f"{looked_for} was looked for; of its role there {names_with_role(wanted.role, inside)}")


# --- to read it again


def find_source(source: ValueSource, elements: Sequence[Element]) -> Located:
    """Return the source's element in a stored page that was opened again, whose elements have locators."""
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
            return Found(element, tuple(kinds), False)
    if len(led) > 1:
        return Ambiguous(f"its locators lead to {len(led)} different elements")
    return NotFound(_not_found_message(source, inside))


def find_source_in_observation(source: ValueSource, elements: Sequence[Element]) -> Located:
    """Return the source's element in the stored observation, whose elements have numbers and fingerprints."""
    inside = [element for element in elements if element.frame == source.frame]
    if source.kept_ref:
        numbered = [element for element in elements if element.ref == source.kept_ref]
        if len(numbered) == 1:
            return Found(numbered[0], ("number",), numbered[0].fingerprint == source.fingerprint)
    same = _same_fingerprint(source, inside)
    return _chosen_of(source, same, {}) if same else NotFound(_not_found_message(source, inside))


def find_under_label(source: ValueSource, elements: Sequence[Element]) -> Element | None:
    """Return the one element of the source's role under its label, on a page that may be laid out anew; None without a
    label, and where several stand there."""
    label = label_form(source.label or "")
    fits = [
        one
        for one in elements
        if (one.frame, one.role) == (source.frame, source.role)
        and label in (label_form(one.header or ""), label_form(one.name) if one.value is not None else "")
    ]
    return fits[0] if source.label and len(fits) == 1 else None


def unlabelled_like(source: ValueSource, elements: Sequence[Element]) -> list[Element]:
    """Return the elements of the source's role that no label names."""
    return [one for one in elements if (one.frame, one.role, one.header) == (source.frame, source.role, None)]


def find_words_at_place(source: ValueSource, shown: str, elements: Sequence[Element]) -> Found | None:
    """Return an element within the recorded box whose whole text is the recorded one, or None."""
    if source.box is None or not tidy(shown):
        return None
    for element in elements:
        if element.frame != source.frame or (element.role == "option" and "selected" not in element.states):
            continue
        if _is_within(element, source) and text_of(element) == tidy(shown):
            return Found(element, ("text", "box"), False)
    return None


def _same_fingerprint(source: ValueSource, inside: Sequence[Element]) -> list[Element]:
    return [element for element in inside if source.fingerprint and element.fingerprint == source.fingerprint]


def _chosen_of(source: ValueSource, same: Sequence[Element], led: dict[int, list[str]]) -> Located:
    """Of several equal elements, return the one that locators lead to, else the one under the label, else the one at
    the place."""
    for by, fits in (
        ((), [element for element in same if len(same) == 1]),
        ((), [element for element in same if element.ref in led]),
        (("label",), [element for element in same if _label(element) == label_form(source.label or "")]),
        (("box",), [element for element in same if _stands_there(element, source)]),
    ):
        if len(fits) == 1:
            return Found(fits[0], ("fingerprint", *led.get(fits[0].ref, ()), *by), True)
    return Ambiguous(f"{len(same)} elements are the same to the letter")


def _label(element: Element) -> str:
    return label_form(element.header or (element.name if is_input(element) else ""))


def _is_within(element: Element, source: ValueSource) -> bool:
    inner, outer = element.box, source.box
    if inner is None or outer is None:
        return False
    x, y = inner.x + inner.width / 2, inner.y + inner.height / 2
    return (
        outer.x - NEAR_PX <= x <= outer.x + outer.width + NEAR_PX
        and outer.y - NEAR_PX <= y <= outer.y + outer.height + NEAR_PX
    )


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
    """Return the ref in the new observation: the n-th of its kind, if there are as many as before; else None."""
    wanted = next((e for e in before.elements if e.ref == ref), None)
    if wanted is None:
        return None
    then = [e.ref for e in before.elements if _kind(e) == _kind(wanted)]
    found = [e.ref for e in now.elements if _kind(e) == _kind(wanted)]
    return found[then.index(ref)] if len(then) == len(found) else None


def _kind(element: Element) -> tuple[object, ...]:
    """What the element is, whatever it holds: a field that was just filled is the same field."""
    return (element.frame, element.role, element.name, element.fingerprint, element.header)
