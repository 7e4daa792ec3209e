"""The rows of the task's input that a build session works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from shared.contracts.discovery import AS_IT_IS, Problem, ReadAs
from shared.contracts.workflows.builds import BuildRow
from shared.flows.building.input_rows import input_rows
from shared.submission.samples import used_columns
from shared.tables.excel import open_workbook
from shared.tables.files import parse_table
from shared.task.spec import TaskSpec


def read_rows(
    spec: TaskSpec, path: Path | None, written: Sequence[str], how: ReadAs = AS_IT_IS
) -> tuple[list[BuildRow], list[Problem]]:
    """Return the rows of a file, or the one that is written as ``NAME=VALUE``; and every problem."""
    problems: list[Problem] = []
    tables: list[Mapping[str, str]] = []
    if path is not None:
        try:
            table, found = parse_table(path.read_bytes(), path.name, open_workbook, how)
        except OSError as exc:
            return [], [Problem(where=str(path), message=f"cannot be read: {exc.strerror}")]
        problems += found
        if table is not None:
            tables += [one.cells for one in table.rows]
            used = used_columns(spec, None)
            problems += [flaw.problem for flaw in table.flaws if flaw.column in used]
    if written:
        row: dict[str, str] = {}
        for pair in written:
            name, equals, value = (part.strip() for part in pair.partition("="))
            if not equals or not name or name in row:
                problems.append(Problem(where=f"--row {pair}", message="write each NAME=VALUE once"))
            row[name] = value
        tables.append(row)
    if not tables and not problems:
        problems.append(Problem(where="--input", message="name a file of rows, or one row: --row name=value ..."))
    rows, more = input_rows(spec, tables)
    return rows, [*problems, *more]
