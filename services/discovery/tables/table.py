"""Pure: a grid of cells to a table with named columns, and every problem in its shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any

from shared.contracts.discovery import Problem

MAX_ROWS = 100_000
MAX_EXACT = 1e15
"""From here on a number in a workbook has lost its last digits: Excel keeps 15."""
MAX_CELL_CHARACTERS = 32_767
"""What Excel holds at most; a longer one is a file that is broken, or meant to break us."""


@dataclass(frozen=True)
class Row:
    """``number`` counts rows under the header from 1, blank ones too, so that a person finds it in the file.
    ``as_given``: the cells that had spaces around them, with those."""

    number: int
    cells: Mapping[str, str]
    as_given: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Table:
    """``header``: the names as they were written, blank ones between others too."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    header: tuple[str, ...] = ()


def cell_text(value: object) -> str:
    """A cell as clean text: ``1001.0`` is "1001", a day "2026-03-03", a truth "true", nothing "".

    >>> cell_text(1001.0), cell_text(date(2026, 3, 3)), cell_text(None)
    ('1001', '2026-03-03', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() and value.tzinfo is None else value.isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value).strip()


def table_of(grid: Sequence[Sequence[object]], name: str) -> tuple[Table | None, tuple[Problem, ...]]:
    """The table in ``grid``, whose first row that is not blank is the header; None where there is nothing to read."""
    texts = [[cell_text(cell) for cell in cells] for cells in grid]
    start = next((i for i, cells in enumerate(texts) if any(cells)), None)
    if start is None:
        return None, (Problem(where=name, message="the file is empty"),)
    header, body = texts[start], list(enumerate(texts[start + 1 :], start=1))
    header = header[: max(i for i, text in enumerate(header, start=1) if text)]
    filled = [(number, cells) for number, cells in body if any(cells)]
    problems = _header_problems(header, filled, name)
    problems += [problem for number, cells in filled for problem in _row_problems(number, cells, header)]
    below = enumerate(grid[start + 1 :], start=1)
    problems += [problem for number, cells in below for problem in _rounded(number, cells)]
    if not filled:
        problems.append(Problem(where=name, message="there is a header and no row under it"))
    if len(filled) > MAX_ROWS:
        problems.append(Problem(where=name, message=f"{len(filled)} rows; split the file, {MAX_ROWS} is the most"))
    rows = tuple(_row(number, cells, grid[start + number], header) for number, cells in filled)
    written = tuple(map(_as_given, grid[start][: len(header)]))
    return Table(tuple(h for h in header if h), rows, written), tuple(problems)


def table_of_objects(objects: Sequence[Mapping[str, Any]]) -> tuple[Table | None, tuple[Problem, ...]]:
    """The table in rows that were given as objects; a key that one of them lacks is an empty cell."""
    if not objects:
        return None, (Problem(where="samples", message="no samples were given"),)
    written: dict[str, str] = {}
    for key in (key for row in objects for key in row):
        written.setdefault(key.strip(), key)
    problems = [problem for n, row in enumerate(objects, start=1) for problem in _object_problems(n, row)]
    if len(objects) > MAX_ROWS:
        problems.append(Problem(where="samples", message=f"{len(objects)} rows; {MAX_ROWS} is the most"))
    rows = tuple(
        Row(
            number,
            {**dict.fromkeys(written, ""), **{key.strip(): cell_text(cell) for key, cell in row.items()}},
            {key.strip(): _as_given(cell) for key, cell in row.items() if _as_given(cell) != cell_text(cell)},
        )
        for number, row in enumerate(objects, start=1)
    )
    return Table(tuple(written), rows, tuple(written.values())), tuple(problems)


def _as_given(cell: object) -> str:
    return cell if isinstance(cell, str) else cell_text(cell)


def _rounded(number: int, cells: Sequence[object]) -> list[Problem]:
    """A long number in a cell that is a number has already lost its last digits."""
    return [
        Problem(
            where=f"row {number}, column {position}",
            message=f"{cell:.0f} has more digits than Excel keeps in a number; format the column as text",
        )
        for position, cell in enumerate(cells, start=1)
        if isinstance(cell, float) and abs(cell) >= MAX_EXACT and cell.is_integer()
    ]


def _row(number: int, cells: Sequence[str], given: Sequence[object], header: Sequence[str]) -> Row:
    padded = [*cells, *[""] * (len(header) - len(cells))]
    spaced = {
        name: _as_given(one)
        for name, cell, one in zip(header, cells, given, strict=False)
        if name and _as_given(one) != cell
    }
    return Row(number, {name: cell for name, cell in zip(header, padded, strict=False) if name}, spaced)


def _header_problems(header: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]], name: str) -> list[Problem]:
    problems = [
        Problem(where=f"{name}, column {column}", message=f"this name heads {count} columns; give each its own")
        for column, count in Counter(header).items()
        if column and count > 1
    ]
    for position in (i for i, text in enumerate(header) if not text):
        if any(len(cells) > position and cells[position] for _, cells in rows):
            problems.append(Problem(where=f"{name}, column {position + 1}", message="it has cells but no name"))
    return problems


def _row_problems(number: int, cells: Sequence[str], header: Sequence[str]) -> list[Problem]:
    problems = [
        Problem(where=f"row {number}, column {name}", message=f"longer than {MAX_CELL_CHARACTERS} characters")
        for name, cell in zip(header, cells, strict=False)
        if len(cell) > MAX_CELL_CHARACTERS
    ]
    width = max((i for i, cell in enumerate(cells, start=1) if cell), default=0)
    if width > len(header):
        told = f"{width} cells under {len(header)} column names; is a cell with the delimiter in it not quoted?"
        problems.append(Problem(where=f"row {number}", message=told))
    return problems


def _object_problems(number: int, row: Mapping[str, Any]) -> list[Problem]:
    problems: list[Problem] = []
    for key, cell in row.items():
        where = f"row {number}, column {key}"
        if isinstance(cell, list | dict):
            problems.append(Problem(where=where, message="a cell is text, a number, true, false or null"))
        elif isinstance(cell, str) and len(cell) > MAX_CELL_CHARACTERS:
            problems.append(Problem(where=where, message=f"longer than {MAX_CELL_CHARACTERS} characters"))
    if any(not key.strip() for key in row):
        problems.append(Problem(where=f"row {number}", message="a cell has no column name"))
    if any(count > 1 for count in Counter(key.strip() for key in row).values()):
        problems.append(Problem(where=f"row {number}", message="two of its column names differ in spaces only"))
    return problems
