"""The cells of tables, and definitions: which elements are in one, what it shows, and what names a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from services.planner.page.labels.candidates import Candidate, joined_texts, texts_in
from services.planner.page.text import PRESSED_ROLES, is_header
from shared.contracts.browser_pool import Element
from shared.flows.page_elements import is_input, text_of
from shared.text.normal import label_form

NO_TEXT = frozenset({*PRESSED_ROLES, "img", "iframe", "canvas"})
"""Roles whose elements show no text that may be a value."""


def rows_named_by_first_cell(elements: Sequence[Element], known: frozenset[str]) -> Iterator[tuple[str, int]]:
    """Yield the rows of tables of two columns whose first cells are labels."""
    without_rows = (one for one in elements if one.role != "row")  # a row that can be pressed stands before its cells
    for in_table, found in groupby(without_rows, lambda one: (one.row is not None, one.frame)):
        cells = [one for one in found if not is_header(one)] if in_table[0] else []
        first = [one for one in cells if one.column == 0]
        if {one.column for one in cells} == {0, 1} and any(label_form(one.name) in known for one in first):
            yield from {(one.frame, one.row) for one in cells if one.row is not None}


def headed_cells(elements: Sequence[Element]) -> Iterator[list[Element]]:
    """Yield the elements of each cell or definition that has a header."""
    group: list[Element] = []
    for element in elements:
        if group and not _is_same_cell(group[0], element):
            yield group
            group = []
        if element.header is not None and not is_header(element):
            group.append(element)
    if group:
        yield group


def _is_same_cell(first: Element, element: Element) -> bool:
    """Return whether the element is in the same cell. A second `dd` of one `dt` is a value of its own."""
    same_place = element.header == first.header and element.row == first.row and element.frame == first.frame
    same_column = element.column == first.column
    return same_place and same_column and not is_header(element) and not (element.row is None and element.tag == "dd")


def cell_texts(group: Sequence[Element]) -> tuple[Candidate, ...]:
    """Return the control in a cell, else the texts of the element that holds all others, else all texts.

    Nothing if there are only buttons or pictures: they may be beside an empty value, or be the value.
    """
    row = group[0].row
    controls = [element for element in group if is_input(element)]
    if len(controls) == 1:
        return texts_in(controls[0], row)
    texts = [element for element in group if element.role not in NO_TEXT]
    filled = [element for element in texts if text_of(element)]
    if not filled:
        return (Candidate("", texts[0], row),) if texts else ()
    whole = next((e for e in filled if all(text_of(other) in text_of(e) for other in filled)), None)
    return joined_texts(filled, row) if whole is None else texts_in(whole, row)
