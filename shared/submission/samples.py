"""The samples of a table, the key that names each, and every problem with its row and column.

A sample's key is:

1. the spec's ``sample_id`` template, filled from the row;
2. when that is the default, ``{sample_id}``, and there is no such column: the first ``identity`` template, because its
   columns tell one record from another;
3. else the last part of the path in column ``url``, when every row has a different one;
4. else the number of the row, ``row-0001``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast
from urllib.parse import unquote, urlsplit

import msgspec

from shared.contracts.discovery import FileReading, Problem, Sample
from shared.field_types import nullable
from shared.submission.row_problems import RowName, RowProblem, find_refused_addresses, name_of, told_once
from shared.tables.table import Row, Table, find_cell_problem
from shared.task.spec import TaskSpec, fill, placeholders
from shared.text.names import safe_id

RequiredColumns = dict[str, list[str]]
"""Each required column, with the parts of the spec that use it."""
MAX_LISTED_PROBLEMS = 200
DEFAULT_TEMPLATE = "{sample_id}"
_USER_INFO = re.compile(r"^[a-z][a-z0-9+.-]*://[^/?#@:]*:[^/?#@]+@", re.IGNORECASE)
_BUILT_IN = frozenset({"sample_id", "key"})
"""Placeholders that need no column, except in ``sample_id``: every sample has them."""


def samples_of_table(spec: TaskSpec, table: Table) -> tuple[tuple[Sample, ...], tuple[Problem, ...]]:
    """Return the samples in the order of the rows, and all problems. The samples are valid only without problems."""
    template = key_template(spec, table.columns)
    wanted = required_columns(spec, template)
    problems = [*_find_missing_columns(wanted, table)]
    used = used_columns(spec, template)
    problems += [flaw.problem for flaw in table.flaws if flaw.column in used]
    flawed = {(row, flaw.column) for flaw in table.flaws for row in flaw.rows}
    of_rows = [
        problem
        for row in table.rows
        for problem in _find_cell_problems(spec, row, wanted)
        if (row.number, problem.column) not in flawed
    ]
    of_rows += [problem for row in table.rows for problem in _find_passwords(row)]
    problems += told_once(of_rows)
    if not set(placeholders(template or "")) <= set(table.columns):
        return (), tuple(problems)
    keys = sample_keys(template, table.rows)
    samples = tuple(_samples(keys, table.rows))
    return samples, (*problems, *_find_duplicates(samples))


def used_columns(spec: TaskSpec, template: str | None) -> frozenset[str]:
    """Return the columns that the task uses: by its input schema, or by any text of it that names one.

    ``template`` names the sample.
    """
    named = {name for text in _texts(spec.model_dump(mode="json")) for name in placeholders(text)}
    return frozenset({*spec.input_schema, *placeholders(template or ""), *named, "url", "sample_id"})


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in cast("dict[str, object]", value).values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in cast("list[object]", value):
            yield from _texts(part)


def reading_of(table: Table, used: frozenset[str]) -> FileReading | None:
    """Return what became of the file, with the flaws of the columns that are not used as notes."""
    if table.reading is None:
        return None
    notes = (*table.reading.notes, *(flaw.problem for flaw in table.flaws if flaw.column not in used))
    return msgspec.structs.replace(table.reading, notes=first_problems(notes))


def check_samples(spec: TaskSpec, table: Table) -> tuple[tuple[Sample, ...], tuple[Problem, ...]]:
    """As `samples_of_table`; an address that no browser pool would open is a problem too."""
    samples, problems = samples_of_table(spec, table)
    used = used_columns(spec, key_template(spec, table.columns))
    flawed = {row for flaw in table.flaws if flaw.column in used for row in flaw.rows}
    known = (sample for sample in samples if sample.row not in flawed)
    return samples, (*problems, *told_once(find_refused_addresses(spec, known)))


def _samples(keys: Sequence[str], rows: Sequence[Row]) -> Iterator[Sample]:
    """Yield the samples. Of keys that differ in case only, the first gets the plain id, the others get a hash."""
    first: dict[str, str] = {}
    for key, row in zip(keys, rows, strict=True):
        owner = first.setdefault(safe_id(key).lower(), key)
        yield to_sample(key, row, hashed=owner != key)


def to_sample(key: str, row: Row, *, hashed: bool = False) -> Sample:
    """Return the sample of a row. ``hashed``: see `safe_id`."""
    return Sample(
        sample_id=safe_id(key, hashed=hashed),
        key=key,
        row=row.number,
        url=row.cells.get("url") or None,
        fields=dict(row.cells),
        as_given=dict(row.as_given),
        sheet=row.sheet,
        sheet_row=row.sheet_row,
    )


def first_problems(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Return at most `MAX_LISTED_PROBLEMS` problems, and how many more there are."""
    if len(problems) <= MAX_LISTED_PROBLEMS:
        return problems
    more = Problem(where="input", message=f"and {len(problems) - MAX_LISTED_PROBLEMS} more problems, not listed")
    return (*problems[:MAX_LISTED_PROBLEMS], more)


def _find_missing_columns(wanted: RequiredColumns, table: Table) -> Iterator[Problem]:
    """Find required columns that are missing: one problem per column, with everything that uses it."""
    for name, askers in wanted.items():
        if name not in table.columns:
            message = f"missing; the columns are {_joined(table.columns)}{_suggestion(name, table.columns)}"
            yield Problem(where=f"column {name}", message=f"{message} (asked for by {', '.join(askers)})")


def required_columns(spec: TaskSpec, template: str | None) -> RequiredColumns:
    """Return the columns that a row must have. ``template`` names the sample."""
    wanted = {name: ["input_schema"] for name, expression in spec.input_schema.items() if not nullable(expression)}
    for asker, text, own in _templates(spec, template):
        for name in placeholders(text):
            if name not in own:
                wanted.setdefault(name, []).append(asker)
    return {name: list(dict.fromkeys(askers)) for name, askers in wanted.items()}


def _templates(spec: TaskSpec, template: str | None) -> Iterator[tuple[str, str, frozenset[str]]]:
    yield "sample_id", template or "", frozenset()
    yield "start_url", spec.start_url, _BUILT_IN
    for name, text in spec.identity.items():
        yield f"identity.{name}", text, _BUILT_IN


def _joined(columns: tuple[str, ...], most: int = 20) -> str:
    more = f" and {len(columns) - most} more" if len(columns) > most else ""
    return ", ".join(columns[:most]) + more


def _suggestion(name: str, columns: tuple[str, ...]) -> str:
    by_lower = {column.lower(): column for column in columns}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.7)
    return f"; did you mean {by_lower[close[0]]}?" if close else ""


def _find_cell_problems(spec: TaskSpec, row: Row, wanted: RequiredColumns) -> Iterator[RowProblem]:
    for name, expression in spec.input_schema.items():
        if name in row.cells and (problem := find_cell_problem(expression, row.cells[name])):
            yield RowProblem(_name(row), name, problem)
    for name, askers in wanted.items():
        required = name in spec.input_schema and not nullable(spec.input_schema[name])
        if not required and row.cells.get(name) == "":
            yield RowProblem(_name(row), name, f"empty, and {askers[-1]} needs it")


def _name(row: Row) -> RowName:
    return RowName(row.number, row.sheet, row.sheet_row)


def _find_passwords(row: Row) -> Iterator[RowProblem]:
    """Find addresses with a password: rows become evidence, and evidence must hold no secret."""
    for name, text in row.cells.items():
        if _USER_INFO.match(text):
            message = "a password stands in this address; take it out, and log in with an auth_profile"
            yield RowProblem(_name(row), name, message)


def _find_duplicates(samples: tuple[Sample, ...]) -> Iterator[Problem]:
    """Find repeated samples: one problem per repetition, with the row that it repeats."""
    first: dict[str, Sample] = {}
    for sample in samples:
        earlier = first.setdefault(sample.sample_id, sample)
        if earlier is not sample and sample.key:
            repeats = f"the sample {sample.key!r} is in {name_of(earlier).place} already"
            hint = '; drop one, or let the task spec name samples by other columns, such as "sample_id": "{a}-{b}"'
            yield Problem(where=name_of(sample).place, message=repeats + hint)


def key_template(spec: TaskSpec, columns: tuple[str, ...]) -> str | None:
    """Return the template that names the rows of this table, or None when rule 3 or 4 applies."""
    if spec.sample_id != DEFAULT_TEMPLATE or "sample_id" in columns:
        return spec.sample_id
    identity = next(iter(spec.identity.values()), "")
    named = placeholders(identity)
    return identity if named and set(named) <= set(columns) else None


def item_key_template(spec: TaskSpec, row: Mapping[str, str], fields: frozenset[str]) -> str | None:
    """Return the template that names an item, or None when no template uses a field of the list."""
    template = key_template(spec, (*row, *fields))
    named = set(placeholders(template or ""))
    return template if named & fields and named <= {*row, *fields} else None


def sample_keys(template: str | None, rows: tuple[Row, ...]) -> tuple[str, ...]:
    """Return the key of each row. The table must have the columns of ``template``."""
    if template is not None:
        return tuple(fill(template, dict(row.cells)).strip() for row in rows)
    parts = tuple(last_path_part(row.cells.get("url", "")) for row in rows)
    if all(parts) and len(set(parts)) == len(parts):
        return parts
    return tuple(f"row-{row.number:04d}" for row in rows)


def last_path_part(url: str) -> str:
    """Return the last part of the path, decoded; empty when there is none or ``url`` is invalid."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return ""
    return unquote(path.rstrip("/").rpartition("/")[2]).strip()
