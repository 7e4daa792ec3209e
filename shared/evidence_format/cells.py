"""The cells of a field of rows, as values of their own and as plain objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shared.contracts.steps import CellValue, FieldValue, RowValue


def plain_rows(rows: Iterable[RowValue]) -> list[dict[str, Any]]:
    """Return the rows as objects, from column to typed value."""
    return [{cell.field: cell.value for cell in row.cells} for row in rows]


def with_cells(value: FieldValue) -> tuple[FieldValue, ...]:
    """Return the value and, for a field of rows, each of its cells as a value that is called `lines[2].amount`."""
    return (
        value,
        *(
            _of_cell(cell, f"{value.field}[{number}].{cell.field}")
            for number, row in enumerate(value.rows, 1)
            for cell in row.cells
        ),
    )


def _of_cell(cell: CellValue, name: str) -> FieldValue:
    return FieldValue(
        field=name,
        state=cell.state,
        value=cell.value,
        shown=cell.shown,
        source=cell.source,
        origin=cell.origin,
        read_by=cell.read_by,
        cut_chars=cell.cut_chars,
        candidates=cell.candidates,
        response=cell.response,
    )
