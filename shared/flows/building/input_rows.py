"""The rows of a task's input that a build session works on. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shared.contracts.discovery import Problem
from shared.contracts.workflows.builds import BuildRow
from shared.task.spec import TaskSpec, fill, placeholders


def input_rows(spec: TaskSpec, tables: Iterable[Mapping[str, str]]) -> tuple[list[BuildRow], list[Problem]]:
    """Return the rows by their cells, and every problem. Rows are numbered from 1."""
    problems: list[Problem] = []
    needed = dict.fromkeys([*spec.input_schema, *placeholders(spec.start_url), *placeholders(spec.sample_id)])
    rows: list[BuildRow] = []
    for number, cells in enumerate(tables, 1):
        missing = [name for name in needed if not cells.get(name, "").strip() and name != "sample_id"]
        if missing:
            problems.append(Problem(where=f"row {number}", message=f"it has no {', '.join(missing)}"))
            continue
        given = {"sample_id": str(number), **cells}
        sample_id = fill(spec.sample_id, given).strip()
        rows.append(BuildRow(sample_id=sample_id, number=number, fields=dict(cells)))
    known: set[str] = set()
    for one in rows:
        if one.sample_id in known:
            problems.append(Problem(where=f"row {one.number}", message=f"{one.sample_id} is there twice"))
        known.add(one.sample_id)
    return rows, problems
