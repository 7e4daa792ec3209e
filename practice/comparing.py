"""Compare a collected table with the ground truth of a site, cell by cell. Pure."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Same = Callable[[str, str], bool]
"""Whether the expected text (first) and the collected text mean the same."""


@dataclass(frozen=True)
class Difference:
    """One cell that differs from the site; ``expected`` and ``got`` are written as in the table."""

    sample: str
    column: str
    expected: str
    got: str

    def __str__(self) -> str:
        return f"{self.sample}, {self.column}: expected {self.expected!r}, got {self.got!r}"


def rows_of(table: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file. The guard against formula injection is removed from the cells."""
    with table.open(encoding="utf-8-sig", newline="") as file:
        return [{name: _unguarded(cell) for name, cell in row.items()} for row in csv.DictReader(file)]


def _unguarded(cell: str | None) -> str:
    """Remove the guard of a cell. A row that is too short has cells of None."""
    text = cell or ""
    return text[1:] if text[:1] == "'" and text[1:2] in ("=", "+", "-", "@", "\t", "\r", "\n") else text


def differences(
    rows: Sequence[Mapping[str, str]],
    truth: Mapping[str, Mapping[str, str]],
    same: Mapping[str, Same],
    key: str = "sample_id",
) -> list[Difference]:
    """Return every cell that differs from the truth; a column without an entry in ``same`` must be equal.

    Rows that are missing, duplicated or were not requested are differences of the column ``row``.
    """
    got = [row.get(key, "") for row in rows]
    found = [
        Difference(sample, "row", "1 row", f"{got.count(sample)} rows") for sample in truth if got.count(sample) != 1
    ]
    found += [Difference(sample, "row", "no row", "a row") for sample in dict.fromkeys(got) if sample not in truth]
    for row in rows:
        found += _of_row(row, row.get(key, ""), truth.get(row.get(key, ""), {}), same)
    return found


def _of_row(
    row: Mapping[str, str], sample: str, expected: Mapping[str, str], same: Mapping[str, Same]
) -> list[Difference]:
    return [
        Difference(sample, column, wanted, row.get(column, "(no such column)"))
        for column, wanted in expected.items()
        if column not in row or not same.get(column, equal)(wanted, row[column])
    ]


def equal(expected: str, got: str) -> bool:
    return expected == got


def same_set(expected: str, got: str) -> bool:
    """Compare two JSON lists, in any order; an empty cell is an empty list."""
    return _items(expected) == _items(got)


def _items(cell: str) -> set[str]:
    try:
        read: object = json.loads(cell) if cell else []
    except ValueError:
        return {cell}
    return {str(item) for item in read} if isinstance(read, list) else {cell}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def holds_all(expected: str, got: str) -> bool:
    """Return whether free text holds every expected line; if nothing is expected the cell must be empty."""
    if not expected:
        return not got
    folded = " ".join(got.split()).casefold()
    return all(" ".join(line.split()).casefold() in folded for line in expected.splitlines())
