"""Finds the cells of a changed combined table that contradict the results of the samples."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from shared.evidence_format.result_facts import ResultFacts
from shared.evidence_format.table.rows import RowMaker, cell_texts
from shared.evidence_format.task_facts import TaskFacts

MAX_PROBLEMS = 20


def row_problems(
    table: bytes, samples: set[str], task: TaskFacts, facts_of: Callable[[str], ResultFacts | None]
) -> list[str]:
    """Return sentences about the first `MAX_PROBLEMS` cells and rows that differ.

    Args:
        samples: ids of all samples of the run.
        facts_of: returns the facts of a sample, None if its result cannot be read.
    """
    maker = RowMaker(task)
    problems: list[str] = []
    left = set(samples)
    try:
        for row in csv.DictReader(io.StringIO(table.decode(errors="replace"), newline=""), strict=True):
            sample_id = str(row.get("sample_id"))
            if sample_id not in left:
                problems.append(f"row {sample_id}: there is no such sample, or its row stands there twice")
                continue
            left.discard(sample_id)
            if (facts := facts_of(sample_id)) is not None:
                problems += _cell_problems(row, facts, maker)
    except csv.Error as exc:
        problems.append(f"it cannot be read as a table: {exc}")
    problems += [f"row {sample_id}: is not there any more" for sample_id in sorted(left)]
    more = len(problems) - MAX_PROBLEMS
    return [*problems[:MAX_PROBLEMS], *([f"rows: {more} more"] if more > 0 else [])]


def _cell_problems(table: Mapping[str, Any], facts: ResultFacts, maker: RowMaker) -> Iterator[str]:
    row = maker.row(facts)
    right = {
        column.name: (cell, text)
        for column, cell, text in zip(maker.columns, row.cells, cell_texts(row, maker.columns), strict=True)
    }
    for name, (value, text) in right.items():
        if name in table and not _shows(str(table[name] or ""), value, text):
            shown = str(table[name])[:80]
            yield f"row {facts.sample_id}, column {name}: {shown!r} is not {text[:80]!r}, as in its result.json"


def _shows(cell: str, value: Any, text: str) -> bool:
    """Whether a cell shows this value, in any form in which tables and spreadsheets write it."""
    wanted = text.replace("\0", "\ufffd")
    return wanted in (cell, cell.removeprefix("'")) or (
        not isinstance(value, str) and cell.strip().lower() in (text.lower(), json.dumps(value).lower())
    )
