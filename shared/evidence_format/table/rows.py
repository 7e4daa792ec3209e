"""Pure: a sample as one row of the combined table."""

from __future__ import annotations

from typing import Any

import msgspec

from shared.evidence_format.result_facts import ResultFacts
from shared.evidence_format.table.cells import fits, text_of
from shared.evidence_format.table.columns import WRONG_TYPE, TableColumn, columns_of
from shared.evidence_format.task_facts import TaskFacts


class TableRow(msgspec.Struct, frozen=True):
    """One sample. ``cells`` are in the order of the columns and of their types; ``wrong`` has the text of those that
    are not, by the name of their field."""

    sample_id: str
    status: str
    cells: list[Any]
    wrong: dict[str, str]
    screenshots: list[str]
    """Their file names."""


class RowMaker:
    """Makes the rows of one run."""

    def __init__(self, task: TaskFacts) -> None:
        self.columns = columns_of(task)
        self._wrong_type = next((n for n, c in enumerate(self.columns) if c.name == WRONG_TYPE and not c.field), None)

    def row(self, facts: ResultFacts) -> TableRow:
        cells = [column.value(facts) for column in self.columns]
        wrong: dict[str, str] = {}
        for place, column in enumerate(self.columns):
            if not fits(cells[place], column.kind):
                wrong[column.name] = _text(cells[place], column)
                cells[place] = None
        if wrong and self._wrong_type is not None:
            cells[self._wrong_type] = list(wrong)
        return TableRow(facts.sample_id, text_of(facts.status, "text"), cells, wrong, facts.files(("screenshot",)))


def _text(value: Any, column: TableColumn) -> str:
    return text_of(value, "array" if column.field else column.kind)


def cell_texts(row: TableRow, columns: tuple[TableColumn, ...]) -> list[str]:
    """The cells as text, those that are not of their column's type among them; nothing is ""."""
    return [
        row.wrong.get(column.name, "") if cell is None else text_of(cell, column.kind)
        for column, cell in zip(columns, row.cells, strict=True)
    ]
