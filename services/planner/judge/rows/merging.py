"""Rows of several pages as one list: a row that is seen again is the same row, and no row is lost. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from shared.contracts.steps import CellValue, RowValue, ValueCandidate
from shared.text.normal import tidy


def merged_rows(saved: Sequence[RowValue], fresh: Iterable[RowValue], id_keys: Sequence[str]) -> tuple[RowValue, ...]:
    """Return the saved rows in their order, and after them the rows that are new.

    Rows with equal values in the id keys are one row, without id keys those that are equal in all columns. What a page
    has shown stays: where another page shows something else for the same row, the cell is left open with both.
    """
    rows: dict[object, RowValue] = {}
    for row in (*saved, *fresh):
        key = row_key(row, id_keys)
        rows[key] = _joined(rows[key], row, id_keys) if key in rows else row
    return tuple(rows.values())


def row_key(row: RowValue, id_keys: Sequence[str]) -> tuple[str, ...]:
    """Return what makes a row the same as another."""
    return tuple(cell_form(cell) for cell in row.cells if not id_keys or cell.field in id_keys)


def cell_form(cell: CellValue) -> str:
    """Return what a cell says, in comparable form."""
    if cell.state != "value":
        return json.dumps([cell.state, [tidy(one.shown) for one in cell.candidates]])
    told: Any = tidy(cell.shown or "") if cell.value is None else cell.value
    return json.dumps([cell.value is not None, told])


def is_on_page(cell: CellValue) -> bool:
    """Return whether a page was found to show the cell."""
    return cell.source is not None or any(one.source is not None for one in cell.candidates)


def _joined(before: RowValue, now: RowValue, id_keys: Sequence[str]) -> RowValue:
    again = _is_read_again(before, now, id_keys)
    there = {cell.field: cell for cell in now.cells}
    cells = (_joined_cell(cell, there[cell.field], again=again) for cell in before.cells)
    return RowValue(cells=tuple(cells))


def _is_read_again(before: RowValue, now: RowValue, id_keys: Sequence[str]) -> bool:
    """Return whether both are the same row of the same page, so that the later report corrects the earlier one."""
    places = [
        [(c.source.observation_sha256, c.source.ref) for c in row.cells if c.field in id_keys and c.source is not None]
        for row in (before, now)
    ]
    return bool(places[0]) and places[0] == places[1]


def _joined_cell(before: CellValue, now: CellValue, *, again: bool) -> CellValue:
    if cell_form(before) == cell_form(now):
        return before if is_on_page(before) or not is_on_page(now) else now
    if again and is_on_page(now):
        return now
    if is_on_page(before) and is_on_page(now):
        return _left_open(before, now)
    if is_on_page(before) or is_on_page(now):
        return before if is_on_page(before) else now
    return before if now.state == "not_found" else now


def _left_open(before: CellValue, now: CellValue) -> CellValue:
    said: dict[str, ValueCandidate] = {}
    for cell in (before, now):
        own = ValueCandidate(shown=cell.shown or "", source=cell.source)
        for one in cell.candidates or (own,):
            said.setdefault(tidy(one.shown), one)
    return CellValue(field=before.field, state="not_found", candidates=tuple(said.values()))
