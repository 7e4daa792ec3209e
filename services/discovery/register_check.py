"""Checks the register of a request against the spec, before anything starts."""

from __future__ import annotations

from typing import Any

from services.discovery.deps import DiscoveryDeps
from services.discovery.input_table import read_register
from services.discovery.planning.plan import partial_spec
from shared.contracts.discovery import Problem, Register
from shared.reconciling.columns import find_key_problems, match_columns
from shared.task.spec import check_spec

MAX_CHARACTERS = 100_000_000
"""In a workbook one long text may be the cell of every row, which the comparison would write out each time."""


async def check_register(
    register: Register | None, spec: dict[str, Any] | None, deps: DiscoveryDeps
) -> tuple[Problem, ...]:
    """Return every problem of the register: its file, its columns, and its key. A spec that is invalid itself is taken
    without its invalid parts, so that one reply names all problems."""
    if register is None:
        return ()
    table, problems = await read_register(register, deps)
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
