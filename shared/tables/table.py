"""A grid of cells as a table with named columns, every problem in its shape, and whether a cell fits its type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from shared.contracts.discovery import FileReading, Problem
from shared.field_types import base_type, nullable
from shared.tables.cells import MAX_EXACT_NUMBER, Flaw, cell_text

MAX_ROWS = 100_000
MAX_CELL_CHARACTERS = 32_767
"""The limit of Excel; a longer cell means a corrupt or hostile file."""


@dataclass(frozen=True)
class Row:
    """A row of a table.

    ``number`` counts the rows below the header from 1, blank ones too, as in the file. ``as_given`` holds the original
    text of cells that had spaces around them. ``sheet`` and ``sheet_row``: where it stands in a workbook, by the number
    that the sheet shows.
    """

    number: int
    cells: Mapping[str, str]
    as_given: Mapping[str, str] = field(default_factory=dict[str, str])
    sheet: str = ""
    sheet_row: int = 0


@dataclass(frozen=True)
class CellFlaw:
    """A cell whose value cannot be told. ``row``: as of `Row`. ``position``: of its column, from 1."""

    row: int
    position: int
    column: str
    message: str


@dataclass(frozen=True)
class ColumnFlaw:
    """Cells of one column whose values cannot be told, for one reason. ``rows``: their numbers."""

    column: str
    rows: frozenset[int]
    problem: Problem


@dataclass(frozen=True)
class Table:
    """A table. ``header`` holds the column names unchanged, blank ones too.

    ``header_at``: how many rows of the file stand before it. ``blank``: numbers of rows without a cell between others.
    ``flaws``: cells whose values cannot be told; whether that matters, who uses the table knows. ``reading``: what
    became of the file; None: it comes from no file.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    header: tuple[str, ...] = ()
    header_at: int = 0
    blank: tuple[int, ...] = ()
    flaws: tuple[ColumnFlaw, ...] = ()
    reading: FileReading | None = None


def to_table(
    grid: Sequence[Sequence[object]], name: str, *, needs_rows: bool = True, sheet: str = ""
) -> tuple[Table | None, tuple[Problem, ...]]:
    """Return the table, or None for an empty grid, and all problems. The first row that is not blank is the header.

    ``needs_rows``: a header without a row under it is a problem. ``sheet``: the rows are those of this sheet, and are
    named by its numbers.
    """
    texts = [[cell_text(cell) for cell in cells] for cells in grid]
    start = next((i for i, cells in enumerate(texts) if any(cells) or _has_flaw(grid[i])), None)
    if start is None:
        return None, (Problem(where=name, message="the file is empty"),)
    header, body = texts[start], list(enumerate(texts[start + 1 :], start=1))
    header = header[: max((i for i, text in enumerate(header, start=1) if text), default=0)]
    filled = [(number, cells) for number, cells in body if any(cells) or _has_flaw(grid[start + number])]

    def place(number: int) -> str:
        return row_place(number, sheet, start + 1 + number)

    problems = _find_header_problems(header, filled, name)
    problems += _find_header_flaws(grid[start], name)
    problems += [problem for number, cells in filled for problem in _find_row_problems(place(number), cells, header)]
    below = enumerate(grid[start + 1 :], start=1)
    problems += [problem for number, cells in below for problem in _find_rounded_numbers(place(number), cells)]
    if not filled and needs_rows:
        problems.append(Problem(where=name, message="there is a header and no row under it"))
    if len(filled) > MAX_ROWS:
        problems.append(Problem(where=name, message=f"{len(filled)} rows; split the file, {MAX_ROWS} is the most"))
    rows = tuple(_to_row(number, cells, grid[start + number], header) for number, cells in filled)
    if sheet:
        rows = tuple(replace(row, sheet=sheet, sheet_row=start + 1 + row.number) for row in rows)
    written = tuple(map(_as_given, grid[start][: len(header)]))
    last = filled[-1][0] if filled else 0
    blank = tuple(sorted(set(range(1, last)) - {number for number, _ in filled}))
    return Table(tuple(h for h in header if h), rows, written, start, blank), tuple(problems)


def row_place(number: int, sheet: str = "", sheet_row: int = 0) -> str:
    """Return the name of a row: the number under the header, or in a workbook that of its sheet."""
    return f"sheet {sheet}, row {sheet_row}" if sheet else f"row {number}"


def find_flaws(grid: Sequence[Sequence[object]], table: Table) -> list[CellFlaw]:
    """Return the cells under the header of a grid whose values cannot be told."""
    names = [name.strip() for name in table.header]
    return [
        CellFlaw(number, position, names[position - 1] if position <= len(names) else "", cell.message)
        for number, cells in enumerate(grid[table.header_at + 1 :], start=1)
        for position, cell in enumerate(cells, start=1)
        if isinstance(cell, Flaw)
    ]


def _find_header_flaws(cells: Sequence[object], name: str) -> list[Problem]:
    return [
        Problem(where=f"{name}, column {position}", message=f"its name cannot be told: {cell.message}")
        for position, cell in enumerate(cells, start=1)
        if isinstance(cell, Flaw)
    ]


def _has_flaw(cells: Sequence[object]) -> bool:
    return any(isinstance(cell, Flaw) for cell in cells)


def objects_to_table(objects: Sequence[Mapping[str, Any]]) -> tuple[Table | None, tuple[Problem, ...]]:
    """Return the table of rows given as objects, and all problems. A missing key is an empty cell."""
    if not objects:
        return None, (Problem(where="samples", message="no samples were given"),)
    written: dict[str, str] = {}
    for key in (key for row in objects for key in row):
        written.setdefault(key.strip(), key)
    problems = [problem for n, row in enumerate(objects, start=1) for problem in _find_object_problems(n, row)]
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


def _find_rounded_numbers(place: str, cells: Sequence[object]) -> list[Problem]:
    """Find numbers so long that Excel has rounded them."""
    return [
        Problem(
            where=f"{place}, column {position}",
            message=f"{cell:.0f} has more digits than Excel keeps in a number; format the column as text",
        )
        for position, cell in enumerate(cells, start=1)
        if isinstance(cell, float) and abs(cell) >= MAX_EXACT_NUMBER and cell.is_integer()
    ]


def _to_row(number: int, cells: Sequence[str], given: Sequence[object], header: Sequence[str]) -> Row:
    padded = [*cells, *[""] * (len(header) - len(cells))]
    spaced = {
        name: _as_given(original)
        for name, cell, original in zip(header, cells, given, strict=False)
        if name and _as_given(original) != cell
    }
    return Row(number, {name: cell for name, cell in zip(header, padded, strict=False) if name}, spaced)


def _find_header_problems(header: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]], name: str) -> list[Problem]:
    problems = [
        Problem(where=f"{name}, column {column}", message=f"this name heads {count} columns; give each its own")
        for column, count in Counter(header).items()
        if column and count > 1
    ]
    for position in (i for i, text in enumerate(header) if not text):
        if any(len(cells) > position and cells[position] for _, cells in rows):
            problems.append(Problem(where=f"{name}, column {position + 1}", message="it has cells but no name"))
    return problems


def _find_row_problems(place: str, cells: Sequence[str], header: Sequence[str]) -> list[Problem]:
    problems = [
        Problem(where=f"{place}, column {name}", message=f"longer than {MAX_CELL_CHARACTERS} characters")
        for name, cell in zip(header, cells, strict=False)
        if len(cell) > MAX_CELL_CHARACTERS
    ]
    width = max((i for i, cell in enumerate(cells, start=1) if cell), default=0)
    if width > len(header):
        message = f"{width} cells under {len(header)} column names; is a cell with the delimiter in it not quoted?"
        problems.append(Problem(where=place, message=message))
    return problems


def _find_object_problems(number: int, row: Mapping[str, Any]) -> list[Problem]:
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


_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)")
BOOLEANS = frozenset({"true", "false", "yes", "no", "1", "0"})


def find_cell_problem(expression: str, text: str) -> str | None:
    """Return what is wrong with ``text`` as a cell of this type, or None."""
    if not text:
        return None if nullable(expression) else "empty, and it is required"
    fits, wanted = _CHECKS.get(base_type(expression), _ANYTHING)
    return None if fits(text) else f"{_short(text)} is not {wanted}"


def _is_date(text: str) -> bool:
    return re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) is not None and _parses(date.fromisoformat, text)


def _is_date_time(text: str) -> bool:
    return _parses(datetime.fromisoformat, text)


def _parses(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


_ANYTHING: tuple[Callable[[str], bool], str] = (lambda _: True, "anything")
_CHECKS: dict[str, tuple[Callable[[str], bool], str]] = {
    "number": (lambda text: _NUMBER.fullmatch(text) is not None, "a number (write 1234.5)"),
    "decimal": (lambda text: _DECIMAL.fullmatch(text) is not None, "a decimal number (write 1234.50)"),
    "boolean": (lambda text: text.lower() in BOOLEANS, "true or false"),
    "date": (_is_date, "a date (write 2026-03-31)"),
    "date-time": (_is_date_time, "a date and time (write 2026-03-31T14:05:00Z)"),
}
