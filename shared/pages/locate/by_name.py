"""Finds elements by what they are called. Only the closest way of matching counts, and all equally close ones are
returned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.elements import INPUT_ROLES, OPENS_MORE, PRESSED_ROLES, is_input, text_of
from shared.pages.read.fields import adjacent_candidates
from shared.text.normal import fold, label_form
from shared.text.record_words import find_mention

PRESSABLE = frozenset({"link", "button", "menuitem"})
TABS = frozenset({"tab"})


Rows = frozenset[tuple[str, int | None]]


def find_pressable(
    page: PageObserved, words: Sequence[str], roles: frozenset[str] = PRESSABLE, own: Rows = frozenset()
) -> list[Element]:
    """Return what can be pressed and has this name, header, or label in front of it.

    In a table of many records only the `own` rows count.
    """
    return _find_called(page, words, [e for e in page.elements if e.role in roles], own)


def rows_showing(page: PageObserved, values: Iterable[str]) -> Rows:
    """Return the rows in which a cell is exactly one of the values."""
    keys = {fold(value) for value in values if value}
    return frozenset((e.frame, e.row) for e in page.elements if e.row is not None and fold(text_of(e)) in keys)


def find_controls(page: PageObserved, words: Sequence[str]) -> list[Element]:
    """Return the fields, boxes and lists with this name. A list that a field opens is part of it."""
    fields = [e for e in page.elements if is_control(e)]
    return _find_called(page, words, [e for e in fields if not _within_another(e, fields)])


def find_tabs(page: PageObserved, words: Sequence[str]) -> list[Element]:
    """Return the tabs with this name, else anything that can be pressed."""
    return find_pressable(page, words, TABS) or find_pressable(page, words)


def is_control(element: Element) -> bool:
    """Return whether the element holds a value that a user can set."""
    if element.role in (*INPUT_ROLES, "searchbox") or (is_input(element) and element.role not in PRESSED_ROLES):
        return element.role != "radio"
    return element.role == "button" and bool(OPENS_MORE & set(element.states))


def distinct_targets(elements: Iterable[Element]) -> list[Element]:
    """Return the elements with links to one address counted once."""
    found: dict[object, Element] = {}
    for element in elements:
        found.setdefault(element.url if element.role == "link" and element.url else element.ref, element)
    return list(found.values())


def _find_called(
    page: PageObserved, words: Sequence[str], among: Sequence[Element], own: Rows = frozenset()
) -> list[Element]:
    labels = frozenset(label_form(word) for word in words)
    refs = {candidate.element.ref for candidate in adjacent_candidates(page.elements, labels)}
    ways: tuple[Callable[[Element], bool], ...] = (
        lambda e: label_form(e.name) in labels,
        lambda e: label_form(e.header or "") in labels,
        lambda e: e.ref in refs,
        lambda e: _mentions_any(e.name, words),
        lambda e: _mentions_any(e.header or "", words),
    )
    for way in ways:
        found = [element for element in among if way(element)]
        if found:
            return distinct_targets([e for e in found if (e.frame, e.row) in own] or found)
    return []


def _mentions_any(text: str, words: Sequence[str]) -> bool:
    return any(find_mention(text, word) is not None for word in words)


def _within_another(element: Element, fields: Sequence[Element]) -> bool:
    """Return whether this is the list of options that a field of the same name has opened."""
    return element.role == "listbox" and any(e.role == "combobox" and e.name == element.name for e in fields)
