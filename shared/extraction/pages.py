"""Where a rule's place is on a page, and the text there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from shared.contracts.browser_pool import Element
from shared.extraction.rules import (
    AfterText,
    AtHeading,
    AtPlace,
    AtSelector,
    Attribute,
    Between,
    ExtractionRule,
    InRegion,
    TextRule,
    UnderHeader,
    Where,
)
from shared.text.normal import fold, tidy

SELECTOR_KINDS = ("id", "testid")


class ObservedPage:
    """The elements of one observation, indexed. Elements over the page, such as a cookie banner, are left out."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self.elements = [one for one in elements if not one.in_dialog]

    def find(self, where: Where) -> Element | None:
        """Return the element, or None when there is none or more than one."""
        match where:
            case UnderHeader():
                return only(one for one in self._headed[fold(where.header)] if one.role == where.role)
            case AfterText():
                return self._after(where)
            case InRegion():
                return _nth(self._in_region[fold(where.region), where.role], where.nth)
            case AtSelector():
                return only(self._selected[where.selector])
            case AtHeading():
                return only(self._headings[where.level])
            case AtPlace():
                found = self._placed[where.path]
                return found[where.nth] if len(found) == where.of else None

    def extract(self, rule: ExtractionRule) -> str | None:
        """Return the text that the rule gives, or None."""
        element = self.find(rule.where)
        text = None if element is None or element.cut_chars else text_of(element, rule.attribute)
        return None if text is None else part_of(text, rule.part)

    def _after(self, where: AfterText) -> Element | None:
        label = only(self._texts[fold(where.text)])
        if label is None:
            return None
        at = self._order[label.ref] + where.steps
        found = self.elements[at] if at < len(self.elements) else None
        return found if found is not None and found.role == where.role else None

    # --- indexes

    @cached_property
    def _order(self) -> dict[int, int]:
        return {one.ref: at for at, one in enumerate(self.elements)}

    @cached_property
    def _headed(self) -> dict[str, list[Element]]:
        return self._by(lambda one: [fold(one.header)] if one.header else [])

    @cached_property
    def _texts(self) -> dict[str, list[Element]]:
        return self._by(lambda one: [fold(one.name)] if one.name else [])

    @cached_property
    def _selected(self) -> dict[str, list[Element]]:
        return self._by(lambda one: {found.value for found in one.locators if found.kind in SELECTOR_KINDS})

    @cached_property
    def _placed(self) -> dict[str, list[Element]]:
        return self._by(lambda one: [one.place] if one.place else [])

    @cached_property
    def _headings(self) -> dict[int, list[Element]]:
        found: dict[int, list[Element]] = defaultdict(list)
        for one in self.elements:
            if one.role == "heading" and one.level is not None:
                found[one.level].append(one)
        return found

    @cached_property
    def _in_region(self) -> dict[tuple[str, str], list[Element]]:
        found: dict[tuple[str, str], list[Element]] = defaultdict(list)
        for one in self.elements:
            for region in one.regions:
                found[fold(region), one.role].append(one)
        return found

    def _by(self, keys: Callable[[Element], Iterable[str]]) -> dict[str, list[Element]]:
        found: dict[str, list[Element]] = defaultdict(list)
        for one in self.elements:
            for key in keys(one):
                found[key].append(one)
        return found


def text_of(element: Element, attribute: Attribute) -> str | None:
    """Return a text of an element, white space collapsed; None where it has none."""
    text = {"name": element.name, "value": element.value, "url": element.url, "title": element.title}[attribute]
    return tidy(text) if text else None


def part_of(text: str, part: TextRule) -> str | None:
    """Return the part of a text, trimmed; None where its ends are not there, or not once each."""
    if not isinstance(part, Between):
        return text
    begin, end = 0, len(text)
    if part.before:
        if text.count(part.before) != 1:
            return None
        begin = text.index(part.before) + len(part.before)
    if part.after:
        if text.count(part.after, begin) != 1:
            return None
        end = text.index(part.after, begin)
    return text[begin:end].strip() or None


def only(found: Iterable[Element]) -> Element | None:
    """Return the only one, or None."""
    listed = list(found)
    return listed[0] if len(listed) == 1 else None


def _nth(found: Sequence[Element], nth: int) -> Element | None:
    return found[nth] if nth < len(found) else None
