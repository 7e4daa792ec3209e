"""The problems of the register that a population is compared with."""

from __future__ import annotations

from typing import Any

from shared.contracts.discovery import AS_IT_IS, FileReading, Problem, ReadAs, Register
from shared.reconciling.columns import RegisterColumns, find_key_problems, match_columns
from shared.submission.request import partial_spec
from shared.submission.samples import reading_of
from shared.tables.files import REGISTER_OPTIONS, TableOrProblems, parse_register
from shared.tables.table import Table
from shared.tables.workbook import OpenWorkbook
from shared.task.spec import check_spec

MAX_CHARACTERS = 100_000_000
"""In a workbook one long text may be the cell of every row, which the comparison would write out each time."""


def parse_named_register(
    data: bytes, name: str, open_workbook: OpenWorkbook, how: ReadAs = AS_IT_IS
) -> TableOrProblems:
    """Return the table. Each problem names its file, which is not the input."""
    table, problems = parse_register(data, name, open_workbook, how)
    return table, tuple(_named(found, name) for found in problems)


def _named(found: Problem, name: str) -> Problem:
    if found.where.startswith((name, REGISTER_OPTIONS)):
        return found
    return Problem(where=f"{name}, {found.where}", message=found.message)


def check_register(
    register: Register, spec: dict[str, Any] | None, read: TableOrProblems
) -> tuple[FileReading | None, tuple[Problem, ...]]:
    """Return what became of the rows of the register, and every problem of it: its file, its columns, and its key.

    A spec that is invalid itself is taken without its invalid parts, so that one reply names all problems.
    """
    table, problems = read
    characters = sum(len(cell) for row in table.rows for cell in row.cells.values()) if table is not None else 0
    if characters > MAX_CHARACTERS:
        message = f"its cells have {characters} characters in all; {MAX_CHARACTERS} is the most"
        problems = (*problems, Problem(where=register.file.name, message=message))
    known = (check_spec(spec)[0] or partial_spec(spec)) if spec is not None else None
    if known is None:
        return None, problems
    if table is None:
        return None, (*problems, *find_key_problems(known, register.key))
    columns, more = match_columns(known, register.key, table.columns, register.file.name)
    if columns is None:
        return None, (*problems, *more)
    flaws = (_named(one, register.file.name) for one in find_register_flaws(table, columns))
    return register_reading(table, columns), (*problems, *flaws)


def find_register_flaws(table: Table, columns: RegisterColumns) -> tuple[Problem, ...]:
    """Return the cells whose values cannot be told, in columns that are compared."""
    used = _used(columns)
    return tuple(flaw.problem for flaw in table.flaws if flaw.column in used)


def register_reading(table: Table, columns: RegisterColumns) -> FileReading | None:
    """Return what became of the rows of the register."""
    return reading_of(table, _used(columns))


def _used(columns: RegisterColumns) -> frozenset[str]:
    return frozenset({columns.key_column, *columns.compared.values()})
