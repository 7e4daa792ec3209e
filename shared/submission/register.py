"""The problems of the register that a population is compared with."""

from __future__ import annotations

from typing import Any

from shared.contracts.discovery import Problem, Register
from shared.reconciling.columns import find_key_problems, match_columns
from shared.submission.request import TableOrProblems, partial_spec
from shared.tables.files import ReadSheet, parse_register
from shared.task.spec import check_spec

MAX_CHARACTERS = 100_000_000
"""In a workbook one long text may be the cell of every row, which the comparison would write out each time."""


def parse_named_register(data: bytes, name: str, read_sheet: ReadSheet) -> TableOrProblems:
    """Return the table. Each problem names its file, which is not the input."""
    table, problems, _ = parse_register(data, name, read_sheet)
    return table, tuple(
        found if found.where.startswith(name) else Problem(where=f"{name}, {found.where}", message=found.message)
        for found in problems
    )


def find_register_problems(
    register: Register, spec: dict[str, Any] | None, read: TableOrProblems
) -> tuple[Problem, ...]:
    """Return every problem of the register: its file, its columns, and its key. A spec that is invalid itself is taken
    without its invalid parts, so that one reply names all problems."""
    table, problems = read
    characters = sum(len(cell) for row in table.rows for cell in row.cells.values()) if table is not None else 0
    if characters > MAX_CHARACTERS:
        message = f"its cells have {characters} characters in all; {MAX_CHARACTERS} is the most"
        problems = (*problems, Problem(where=register.file.name, message=message))
    known = (check_spec(spec)[0] or partial_spec(spec)) if spec is not None else None
    if known is None:
        return problems
    if table is None:
        return (*problems, *find_key_problems(known, register.key))
    _, more = match_columns(known, register.key, table.columns, register.file.name)
    return (*problems, *more)
