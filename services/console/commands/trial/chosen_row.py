"""Which row of which file is tried, and everything that is wrong with it, found before anything starts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from services.console.commands.run.inputs import read_inputs
from shared.contracts.discovery import AS_IT_IS, InputFile, Problem, ReadAs, Sample, SubmitRun
from shared.contracts.planner import PLANNERS
from shared.errors import RunRejectedError
from shared.submission.request import check_population, find_option_problems, find_size_problems
from shared.submission.samples import first_problems, samples_of_table
from shared.submission.trial import find_try_problems
from shared.tables.excel import open_workbook
from shared.tables.files import parse_table
from shared.tables.table import Row, Table
from shared.task.spec import TaskSpec, check_spec


@dataclass(frozen=True)
class TriedRow:
    """``data``: the spec as it is written. ``file``: the name of the file that the row is in."""

    data: dict[str, Any]
    spec: TaskSpec
    sample: Sample
    file: str


def choose_row(
    spec_file: Path,
    input_file: Path | None,
    *,
    row: int | None,
    named: str | None,
    planner: str | None,
    keeps: bool,
    how: ReadAs = AS_IT_IS,
) -> TriedRow:
    """Return the row that is meant: by its number or its name, else the first.

    Without a file of rows it is the one beside the spec, of the same name. ``keeps``: evidence is left behind.
    ``how``: how the file is read. Raises RunRejectedError with every problem of the spec, of the file and of this row.
    """
    beside = spec_file.with_suffix(".csv")
    if input_file is None and spec_file.exists() and not beside.exists():
        message = (
            f"name the file of rows, CSV or XLSX; without it {beside.name} beside the spec is taken, and there is none"
        )
        _, spec_problems = check_spec(read_inputs(spec_file=spec_file).spec)
        raise RunRejectedError([*spec_problems, Problem(where="--input", message=message)])
    inputs = read_inputs(spec_file=spec_file, input_file=input_file or beside)
    assert inputs.spec is not None
    assert inputs.file is not None
    name, data = inputs.file
    described = InputFile(
        name=name, blob="", size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest(), read_as=how
    )
    too_large = find_size_problems(described)
    table, problems = (None, too_large) if too_large else parse_table(data, name, open_workbook, how)
    spec, _ = check_spec(inputs.spec)
    samples = () if spec is None or table is None else samples_of_table(spec, table)[0]
    chosen, unknown = _choose(() if table is None else table.rows, samples, row, named)
    one = None if table is None or chosen is None else _with_one_row(table, chosen)
    request = SubmitRun(spec=inputs.spec, input_file=described, planner=planner)
    found = [
        *find_option_problems(request, frozenset(PLANNERS)),
        *check_population(request, (one, problems))[1],
        *unknown,
    ]
    if spec is not None and not keeps:
        found += [problem for problem in find_try_problems(spec) if problem not in found]
    if found or spec is None or chosen is None:
        raise RunRejectedError(first_problems(tuple(found)))
    return TriedRow(inputs.spec, spec, next(one for one in samples if one.row == chosen.number), name)


def _with_one_row(table: Table, row: Row) -> Table:
    """Return the table with this row alone, and what cannot be told of its own cells."""
    flaws = tuple(one for one in table.flaws if row.number in one.rows)
    return replace(table, rows=(row,), blank=(), flaws=flaws)


def _choose(
    rows: Sequence[Row], samples: Sequence[Sample], number: int | None, named: str | None
) -> tuple[Row | None, list[Problem]]:
    """Return the row, and why there is none such."""
    if not rows:
        return None, []
    if named is not None:
        if not samples:  # the spec does not say how they are named: that is told
            return rows[0], []
        wanted = next((one.row for one in samples if named in (one.sample_id, one.key)), None)
        like = ", ".join(one.key for one in samples[:3])
        missing = Problem(
            where=f"--id {named}", message=f"no row is called so; there are {len(samples)}, such as {like}"
        )
        return next((one for one in rows if one.number == wanted), None), [] if wanted is not None else [missing]
    if number is None:
        return rows[0], []
    found = next((one for one in rows if one.number == number), None)
    message = f"no row has this number; the rows below the header are {rows[0].number} to {rows[-1].number}"
    return found, [] if found is not None else [Problem(where=f"--row {number}", message=message)]
