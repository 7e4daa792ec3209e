"""The cells of tables, and definitions: which elements are in one, what it shows, and what names a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from shared.contracts.browser_pool import Element
from shared.pages.elements import PRESSED_ROLES, is_header, is_input, text_of
from shared.pages.read.candidates import Candidate, joined_texts, texts_in
from shared.text.normal import fold, label_form

NO_TEXT = frozenset({*PRESSED_ROLES, "img", "iframe", "canvas"})
"""Roles whose elements show no text that may be a value."""


LEAST_NAMED = 2
"""First cells that have to be labels, so that a table names its rows in them: a record may be called like a label."""


def rows_named_by_first_cell(
    elements: Sequence[Element], known: frozenset[str], key: str | None
) -> Iterator[tuple[str, int]]:
    """Yield the rows of tables whose first cells are labels, as of "Attribute" and "Value".

    A table whose first column is a field itself lists records, and so does one with the key of a record in it."""
    for table in _tables(elements):
        heads = {label_form(one.name) for one in table if is_header(one) and one.column == 0}
        cells = [one for one in table if not is_header(one)]
        first = [one for one in cells if one.column == 0]
        named = {label_form(one.name) for one in first} & known
        lists_records = bool(heads & known) or (
            key is not None and any(fold(text_of(one)) == fold(key) for one in first)
        )
        if len(named) >= LEAST_NAMED and not lists_records:
            yield from {(one.frame, one.row) for one in cells if one.row is not None}


def _tables(elements: Sequence[Element]) -> Iterator[list[Element]]:
    """Yield the cells of each table. One ends where something stands in no row, or where heads of columns begin anew.

    A row that can be pressed is told before its cells."""
    table: list[Element] = []
    for element in elements:
        if element.role == "row":
            continue
        begins = element.role == "columnheader" and any(not is_header(one) for one in table)
        if table and (element.row is None or element.frame != table[-1].frame or begins):
            yield table
            table = []
        if element.row is not None:
            table.append(element)
    if table:
        yield table


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

    Nothing if there are only buttons, pictures, or links that a picture stands for: they may be beside an empty value,
    or be the value.
    """
    row = group[0].row
    controls = [element for element in group if is_input(element)]
    if len(controls) == 1:
        return texts_in(controls[0], row)
    texts = [element for element in group if element.role not in NO_TEXT and not element.unwritten]
    filled = [element for element in texts if text_of(element)]
    if not filled:
        return (Candidate("", texts[0], row),) if texts and not any(_has_sign(one) for one in texts) else ()
    whole = next((e for e in filled if all(text_of(other) in text_of(e) for other in filled)), None)
    if whole is None:
        return joined_texts(filled, row)
    key = _key_before_acts(whole, [one for one in filled if one is not whole])
    return texts_in(whole if key is None else key, row)


def _has_sign(element: Element) -> bool:
    """Return whether a box is drawn in the place of a text."""
    return bool({"checked", "unchecked", "mixed"} & set(element.states))


def _key_before_acts(whole: Element, inside: Sequence[Element]) -> Element | None:
    """Return the link that is one word and begins the text, where all else are links in parentheses: what can be done
    with it, as in `3f2a91c (patch)`."""
    if len(inside) < 2 or any(one.role != "link" for one in inside) or " " in text_of(inside[0]):
        return None
    acts = r"\W+".join(re.escape(text_of(one)) for one in inside[1:])
    return inside[0] if re.fullmatch(rf"{re.escape(text_of(inside[0]))}\s*[(\[]{acts}[)\]]", text_of(whole)) else None
