"""The rows of `exhibit learn`: with written values, or held out. Every problem in them is told at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as field_of
from pathlib import Path
from typing import Any

import msgspec

from shared.contracts.discovery import AS_IT_IS, Problem, ReadAs, Sample
from shared.extraction.lists import Written
from shared.extraction.synthesis import MIN_EXAMPLES
from shared.extraction.values import form_of, value_key
from shared.field_types import base_type, is_rows, nullable
from shared.flows.learning.flow import find_task_problems
from shared.submission.samples import used_columns
from shared.tables.excel import open_workbook
from shared.tables.files import parse_table
from shared.tables.table import Row, Table
from shared.task.output_field import OutputField
from shared.task.row_values import missing_columns, start_url
from shared.task.spec import TaskSpec, check_spec, fill, placeholders, read_spec
from shared.text.normal import quoted

MAX_WRITTEN = 5
SUFFIXES = (".csv", ".tsv", ".xlsx", ".xls", ".json")
NO_VALUE = ("", "null")


@dataclass(frozen=True)
class ExampleRow:
    """``values``: what is written for each field; None: the page shows none. ``lists``: the same of fields of rows.
    Both are empty: the row is held out."""

    name: str
    url: str
    row: Mapping[str, str]
    values: Mapping[str, str | None]
    lists: Mapping[str, Written] = field_of(default_factory=dict[str, Written])

    @property
    def is_written(self) -> bool:
        return bool(self.values or self.lists)


@dataclass(frozen=True)
class Examples:
    spec: TaskSpec
    written: tuple[ExampleRow, ...]
    held_out: tuple[ExampleRow, ...]


def read_examples(spec_file: Path, file: Path, how: ReadAs = AS_IT_IS) -> tuple[Examples | None, tuple[Problem, ...]]:
    """Return the task and its rows, or every problem of both files."""
    data, spec_problems = read_spec(spec_file)
    spec = None
    if data is not None:
        spec, spec_problems = check_spec(data)
    table, problems = _read_table(file, how)
    if spec is None or table is None or problems:
        return None, (*spec_problems, *problems)
    found = [Problem(where=str(spec_file), message=one) for one in find_task_problems(spec)]
    found += _column_problems(spec, table, str(file))
    used = used_columns(spec, None) | set(spec.output_schema)
    found += [flaw.problem for flaw in table.flaws if flaw.column in used]
    written = [row for row in table.rows if _is_written(spec, row)]
    if not MIN_EXAMPLES <= len(written) <= MAX_WRITTEN:
        message = f"{len(written)} rows have written values; {MIN_EXAMPLES} to {MAX_WRITTEN} are needed"
        found.append(Problem(where=str(file), message=message))
    found += [problem for row in written for problem in _value_problems(spec, row)]
    found += [problem for row in table.rows for problem in _address_problems(spec, row)]
    if found:
        return None, tuple(found)
    rows = [_example(spec, row, written=row in written) for row in table.rows]
    written_rows = tuple(one for one in rows if one.is_written)
    return Examples(spec, written_rows, tuple(one for one in rows if not one.is_written)), ()


def _read_table(file: Path, how: ReadAs) -> tuple[Table | None, tuple[Problem, ...]]:
    if file.suffix.lower() not in SUFFIXES:
        return None, (Problem(where=str(file), message=f"a file of examples ends in {', '.join(SUFFIXES)}"),)
    try:
        data = file.read_bytes()
    except OSError as exc:
        return None, (Problem(where=str(file), message=exc.strerror or str(exc)),)
    return parse_table(_rows_as_texts(data) if file.suffix.lower() == ".json" else data, file.name, open_workbook, how)


def _rows_as_texts(data: bytes) -> bytes:
    """Return JSON with the arrays of its rows as texts, as a cell of a table has them; what is no table as it is."""
    try:
        rows = msgspec.json.decode(data, type=list[dict[str, Any]])
    except (msgspec.DecodeError, RecursionError):
        return data
    if not any(isinstance(cell, list) for row in rows for cell in row.values()):
        return data
    texts = [
        {name: msgspec.json.encode(cell).decode() if isinstance(cell, list) else cell for name, cell in row.items()}
        for row in rows
    ]
    return msgspec.json.encode(texts)


def _column_problems(spec: TaskSpec, table: Table, where: str) -> list[Problem]:
    needed = {name for text in (spec.start_url, *spec.identity.values()) for name in placeholders(text)}
    needed |= {name for name, kind in spec.input_schema.items() if not nullable(kind)}
    problems = [
        Problem(where=where, message=f"there is no column {name!r}, which the task needs")
        for name in sorted(needed - {"sample_id", "key"} - set(table.columns))
    ]
    wanted = [*spec.required_fields, *spec.identity]
    problems += [
        Problem(where=where, message=f"there is no column {name!r} with the right values of this field")
        for name in dict.fromkeys(wanted)
        if name not in table.columns
    ]
    if not any(name in table.columns for name in spec.output_schema):
        message = f"no column has the name of a field: {', '.join(spec.output_schema)}"
        problems.append(Problem(where=where, message=message))
    return problems


def _is_written(spec: TaskSpec, row: Row) -> bool:
    """Return whether the row has a value of a field that is no column of the input too."""
    own = [name for name in spec.output_schema if name not in spec.input_schema] or list(spec.output_schema)
    return any(row.cells.get(name, "") for name in own)


def _value_problems(spec: TaskSpec, row: Row) -> list[Problem]:
    problems: list[Problem] = []
    for name, field in spec.output_schema.items():
        text, where = row.cells.get(name), f"row {row.number}, column {name}"
        if text is None:
            continue
        if is_rows(field.type):
            problem = "" if text in NO_VALUE else rows_problem(field, text)
            problems += [Problem(where=where, message=problem)] if problem else []
            continue
        if text in NO_VALUE:
            if not nullable(field.type) and name in spec.required_fields:
                message = f"it has no value; if pages may show none, its type is {field.type} | null"
                problems.append(Problem(where=where, message=message))
        elif value_key(form_of(field), text) is None:
            dated = base_type(field.type) in ("date", "date-time")
            hint = ": write the day itself, also where only the markup of the page says it" if dated else ""
            problems.append(Problem(where=where, message=f"{quoted(text)} is no {field.type}{hint}"))
    return problems


def _address_problems(spec: TaskSpec, row: Row) -> list[Problem]:
    empty = [name for name in missing_columns(spec, _sample(row)) if name in row.cells]
    return [Problem(where=f"row {row.number}, column {name}", message="it is empty") for name in empty]


def _example(spec: TaskSpec, row: Row, *, written: bool) -> ExampleRow:
    sample = _sample(row)
    inputs = {name: text for name, text in row.cells.items() if name in spec.input_schema or name in _named(spec)}
    values = {
        name: None if row.cells[name] in NO_VALUE else row.cells[name]
        for name, field in spec.output_schema.items()
        if name in row.cells and not is_rows(field.type)
    }
    lists = {
        name: _to_rows(row.cells[name])
        for name, field in spec.output_schema.items()
        if is_rows(field.type) and row.cells.get(name, "") not in NO_VALUE
    }
    known = all(row.cells.get(name) for name in placeholders(spec.sample_id))
    name = fill(spec.sample_id, dict(row.cells)) if known else f"row {row.number}"
    return ExampleRow(name, start_url(spec, sample), inputs, values if written else {}, lists if written else {})


def rows_problem(field: OutputField, text: str) -> str:
    """Return what is wrong with the rows that a cell has as JSON; empty: nothing."""
    try:
        rows = _to_rows(text)
    except msgspec.DecodeError as exc:
        return f"it is to have the rows of the page as a JSON array of objects: {exc}"
    columns = ", ".join(field.columns)
    wrong = next((at for at, one in enumerate(rows, 1) if one.keys() != field.columns.keys()), 0)
    if wrong:
        return f"row {wrong} of it has not exactly the columns {columns}"
    misfits = (
        f"{quoted(value)} in row {at} of it is no {field.columns[name].type}"
        for at, one in enumerate(rows, 1)
        for name, value in one.items()
        if value and value_key(form_of(field.columns[name]), value) is None
    )
    return next(misfits, "")


def _to_rows(text: str) -> list[dict[str, str | None]]:
    """Return the rows of a cell, each text as the page shows it. Raises msgspec.DecodeError for anything else."""
    return msgspec.json.decode(text, type=list[dict[str, str | None]])


def _named(spec: TaskSpec) -> Sequence[str]:
    return [name for text in (spec.start_url, *spec.identity.values()) for name in placeholders(text)]


def _sample(row: Row) -> Sample:
    cells = dict(row.cells)
    return Sample(sample_id=str(row.number), key="", row=row.number, url=cells.get("url"), fields=cells)
