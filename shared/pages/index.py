"""The elements of a page by what they are found by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from shared.contracts.browser_pool import Element
from shared.text.normal import fold, label_form

SELECTOR_KINDS = ("id", "testid")
KeyT = TypeVar("KeyT", bound=Hashable)


class PageIndex:
    """``elements``: of a page, or of a part of it, in its order. Each index is made when it is first asked for."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self.elements = elements

    @cached_property
    def order(self) -> Mapping[int, int]:
        """The place of each element among the others, by its ref."""
        return {one.ref: at for at, one in enumerate(self.elements)}

    @cached_property
    def rows(self) -> Mapping[tuple[str, int], Sequence[Element]]:
        """What is in each row of the page's tables, by frame and number, in the order of the page."""
        return self._by(lambda one: () if one.row is None else ((one.frame, one.row),))

    def with_ref(self, ref: int) -> Element | None:
        at = self.order.get(ref)
        return None if at is None else self.elements[at]

    def called(self, text: str) -> Sequence[Element]:
        """Return the elements with this text: as it is written, or where none is, in another form of a label."""
        return self._texts.get(fold(text)) or self._texts.get(_form_key(text), ())

    def headed(self, label: str) -> Sequence[Element]:
        """Return what stands beside this label: as it is written, or where nothing is, in another form of it."""
        return self._headers.get(fold(label)) or self._headers.get(_form_key(label), ())

    def row_of(self, element: Element) -> Sequence[Element]:
        """Return what is in the element's row of a table, with itself; nothing outside of tables."""
        return () if element.row is None else self.rows.get((element.frame, element.row), ())

    def cell(self, frame: str, row: int | None, column: int) -> Sequence[Element]:
        """Return what is in one cell of the page's tables."""
        return () if row is None else self._cells.get((frame, row, column), ())

    def selected_by(self, selector: str) -> Sequence[Element]:
        """Return the elements with this id or test id."""
        return self._selected.get(selector, ())

    def at_place(self, path: str) -> Sequence[Element]:
        """Return the elements with this tag path."""
        return self._placed.get(path, ())

    def headings_of(self, level: int) -> Sequence[Element]:
        return self._headings.get(level, ())

    def in_region(self, region: str, role: str) -> Sequence[Element]:
        """Return the elements of this role in the parts with this name."""
        return self._regions.get((fold(region), role), ())

    # --- made when they are first asked for

    @cached_property
    def _texts(self) -> Mapping[str, Sequence[Element]]:
        return self._by(lambda one: _forms(one.name))

    @cached_property
    def _headers(self) -> Mapping[str, Sequence[Element]]:
        return self._by(lambda one: _forms(one.header))

    @cached_property
    def _cells(self) -> Mapping[tuple[str, int, int], Sequence[Element]]:
        return self._by(_cells_of)

    @cached_property
    def _selected(self) -> Mapping[str, Sequence[Element]]:
        return self._by(lambda one: {found.value for found in one.locators if found.kind in SELECTOR_KINDS})

    @cached_property
    def _placed(self) -> Mapping[str, Sequence[Element]]:
        return self._by(lambda one: (one.place,) if one.place else ())

    @cached_property
    def _headings(self) -> Mapping[int, Sequence[Element]]:
        return self._by(lambda one: () if one.role != "heading" or one.level is None else (one.level,))

    @cached_property
    def _regions(self) -> Mapping[tuple[str, str], Sequence[Element]]:
        return self._by(lambda one: [(fold(region), one.role) for region in one.regions])

    def _by(self, keys: Callable[[Element], Iterable[KeyT]]) -> dict[KeyT, list[Element]]:
        found: dict[KeyT, list[Element]] = defaultdict(list)
        for one in self.elements:
            for key in keys(one):
                found[key].append(one)
        return dict(found)


def _cells_of(element: Element) -> tuple[tuple[str, int, int], ...]:
    row, column = element.row, element.column
    return () if row is None or column is None else ((element.frame, row, column),)


def _forms(text: str | None) -> tuple[str, ...]:
    """Return the keys by which an element with this text is found."""
    return (fold(text), _form_key(text)) if text else ()


def _form_key(text: str) -> str:
    """Return a key that no text has as it is written."""
    return f"label\n{label_form(text)}"
