"""A sample as one row of the combined table: values as cells, with the type of their column or as text.

A value of another type is left out of the typed table, the column ``wrong_type`` names its field, and tables of text
show it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any, cast

import msgspec

from shared.evidence_format.facts import ResultFacts, TaskFacts
from shared.evidence_format.table.columns import WRONG_TYPE, Kind, TableColumn, columns_of


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
        self._wrong_type = next((n for n, c in enumerate(self.columns) if c.common_name == WRONG_TYPE), None)

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


EXACT_WHOLE = 2**53
"""Up to here every integer is exact as a 64-bit float."""
WHOLE_DIGITS, FRACTION_DIGITS = 20, 18
"""Most digits of a decimal: together they fit the 38 digits of a column."""
_DECIMAL = re.compile(rf"[+-]?0*[0-9]{{1,{WHOLE_DIGITS}}}(\.[0-9]{{1,{FRACTION_DIGITS}}})?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?"
)


def fits(value: object, kind: Kind) -> bool:
    """Whether ``value``, as in result.json, is of the type. None fits every type."""
    return value is None or _FITS[kind](value)


def text_of(value: Any, kind: Kind) -> str:
    """Return a value as text: strings unchanged, None as "", names and notes joined, anything else as JSON.

    >>> text_of(True, "boolean"), text_of(["a", "b"], "names"), text_of(["a", "b"], "array")
    ('true', 'a;b', '["a","b"]')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if kind in ("names", "notes"):
        return _JOINED_BY[kind].join(map(str, value))
    return msgspec.json.encode(value).decode()


def fraction_digits(decimal: str) -> int:
    """Return the number of digits after the point: 2 for ``12.50``."""
    return len(decimal.partition(".")[2])


def moment(text: str) -> datetime | None:
    """Return a date-time of result.json, with a zone or without one; None if it is none."""
    try:
        return datetime.fromisoformat(text) if _TIME.fullmatch(text) else None
    except ValueError:
        return None


def has_zone(moment: str) -> bool:
    """Whether a text that is a date-time names its zone."""
    return moment.endswith("Z") or moment[-6] in "+-"


def day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def _is_number(value: object) -> bool:
    """Whether it is a number; an integer that would lose digits as a float is none."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) <= EXACT_WHOLE
    return isinstance(value, float)


def _is_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in cast("list[object]", value))


def _is_rows(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in cast("list[object]", value))


_JOINED_BY = {"names": ";", "notes": "; "}
_FITS: dict[Kind, Callable[[object], bool]] = {
    "text": lambda value: True,
    "number": _is_number,
    "whole": lambda value: isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63,
    "decimal": lambda value: isinstance(value, str) and _DECIMAL.fullmatch(value) is not None,
    "boolean": lambda value: isinstance(value, bool),
    "date": lambda value: isinstance(value, str) and day(value) is not None,
    "date-time": lambda value: isinstance(value, str) and moment(value) is not None,
    "array": _is_list,
    "rows": _is_rows,
    "names": _is_list,
    "notes": _is_list,
}
