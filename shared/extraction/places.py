"""The places of an element: all that could name it on another page of the same kind."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from shared.contracts.browser_pool import Element
from shared.extraction.pages import ObservedPage
from shared.extraction.rules import (
    AfterText,
    AtHeading,
    AtPlace,
    AtSelector,
    ByName,
    InGroup,
    InLabelledRow,
    InRegion,
    UnderHeader,
    Where,
    words_of_place,
)
from shared.extraction.structure import is_told_apart
from shared.pages.index import SELECTOR_KINDS
from shared.text.normal import WIDE_COLONS, fold, label_form, tidy
from shared.text.record_words import find_mention

SHOWING_ROLES = ("text", "cell", "heading", "definition", "time", "row")
"""Of elements whose name is what they show, and not what they are called."""
MAX_STEPS = 3
"""Elements between a label and its value."""


def places_of(element: Element, page: ObservedPage, *, called: bool) -> Iterator[Where]:
    """Yield the places of an element. ``called``: its name is not the text that is wanted, so that it may tell it."""
    if element.header:
        yield UnderHeader(header=tidy(element.header), role=element.role)
        yield UnderHeader(header=tidy(element.header), role="")
    yield from row_places(element, page)
    if called and element.name and element.role not in SHOWING_ROLES:
        yield ByName(name=tidy(element.name), role=element.role)
    at = page.order[element.ref]
    for steps in range(1, min(MAX_STEPS, at) + 1):
        before = page.elements[at - steps]
        if before.name:
            yield AfterText(text=tidy(before.name), steps=steps, role=element.role)
    for region in element.regions:
        inside = [one for one in page.elements if region in one.regions and one.role == element.role]
        yield InRegion(region=tidy(region), role=element.role, nth=_index(inside, element))
    for locator in element.locators:
        if locator.kind in SELECTOR_KINDS and locator.matches == 1:
            yield AtSelector(selector=locator.value)
    for form, group in page.groups_with(element):
        nth = _index(group, element)
        if is_told_apart(group, nth):
            yield InGroup(form=form, nth=nth)
    if element.role == "heading" and element.level is not None:
        yield AtHeading(level=element.level)
    if element.place:
        same = [one for one in page.elements if one.place == element.place]
        yield AtPlace(path=element.place, nth=_index(same, element), of=len(same))


def row_places(element: Element, page: ObservedPage) -> Iterator[Where]:
    """Yield the places of an element that the cells before it in its row tell."""
    if element.row is None or element.column is None:
        return
    for one in page.elements:
        if one.row != element.row or one.frame != element.frame or one.column is None or not one.name:
            continue
        if one.column < element.column:
            columns = element.column - one.column
            yield InLabelledRow(label=tidy(one.name), columns=columns, role=element.role)
            yield InLabelledRow(label=tidy(one.name), columns=columns, role="")


def _index(elements: list[Element] | tuple[Element, ...], element: Element) -> int:
    return next(at for at, one in enumerate(elements) if one is element)


def names_value(where: Where, values: set[str], others: Collection[str], labels: Collection[str] = ()) -> bool:
    """Return whether the place is told by a value, which is another one on other pages: one of the field's own within
    the words, or one of another field as all of them. Words of the page before it, that are none of the field's
    ``labels``, are no place either where they have a value of another field in them, or a label with its value."""
    words = words_of_place(where)
    if not fold(words):
        return False
    if fold(words) in others or any(value in fold(words) for value in values):
        return True
    if not isinstance(where, AfterText | ByName | InRegion) or label_form(words) in labels:
        return False
    is_labelled = isinstance(where, AfterText) and _LABELLED.fullmatch(words) is not None
    return is_labelled or any(find_mention(words, value) for value in others)


_LABELLED = re.compile(rf"[^:{WIDE_COLONS}]*[^\W\d][^:{WIDE_COLONS}]*(?::\s|[{WIDE_COLONS}])\s*\S.*")
"""A label and its value in one text, such as "Due back: May 3"."""
