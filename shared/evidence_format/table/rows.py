"""A sample as one row of the combined table."""

from __future__ import annotations

from typing import Any

import msgspec

from shared.evidence_format.result_facts import ResultFacts
from shared.evidence_format.table.cells import fits, text_of
from shared.evidence_format.table.columns import WRONG_TYPE, TableColumn, columns_of
from shared.evidence_format.task_facts import TaskFacts


class TableRow(msgspec.Struct, frozen=True):
    """One sample. ``cells`` are in the order of the columns and have their types; a value of another type is None
    there, and its text is in ``wrong`` under the name of its column."""

    sample_id: str
    status: str
    cells: list[Any]
    wrong: dict[str, str]
    screenshots: list[str]
    """File names."""


class RowMaker:
    """Converts the samples of one run to rows."""

    def __init__(self, task: TaskFacts) -> None:
        self.columns = columns_of(task)
        self._wrong_type = next((n for n, c in enumerate(self.columns) if c.name == WRONG_TYPE and not c.field), None)

    def row(self, facts: ResultFacts) -> TableRow:
        cells = [column.value(facts) for column in self.columns]
        wrong: dict[str, str] = {}
        for index, column in enumerate(self.columns):
            if not fits(cells[index], column.kind):
                wrong[column.name] = _text(cells[index], column)
                cells[index] = None
        if wrong and self._wrong_type is not None:
            cells[self._wrong_type] = list(wrong)
        return TableRow(facts.sample_id, text_of(facts.status, "text"), cells, wrong, facts.files(("screenshot",)))


def _text(value: Any, column: TableColumn) -> str:
    return text_of(value, "array" if column.field else column.kind)


def cell_texts(row: TableRow, columns: tuple[TableColumn, ...]) -> list[str]:
    """Return all cells as text, also those of another type than their column; None is ""."""
    return [
        row.wrong.get(column.name, "") if cell is None else text_of(cell, column.kind)
        for column, cell in zip(columns, row.cells, strict=True)
    ]
