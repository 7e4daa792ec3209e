"""Pure: a table and a task spec to samples, or every problem with where it is."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from services.discovery.population.sample_keys import key_template, keys_of
from services.discovery.tables.cell_types import misfit
from services.discovery.tables.table import Row, Table
from shared.contracts.discovery import Problem, Sample
from shared.field_types import nullable
from shared.task.spec import TaskSpec, placeholders
from shared.text.names import safe_id

Wanted = dict[str, list[str]]
"""A column that must be there, and what asks for it."""
MAX_LISTED = 200
_USER_INFO = re.compile(r"^[a-z][a-z0-9+.-]*://[^/?#@:]*:[^/?#@]+@", re.IGNORECASE)
_OWN = frozenset({"sample_id", "key"})
"""What templates other than ``sample_id`` may name without a column: every sample has them."""


def samples_of_table(spec: TaskSpec, table: Table) -> tuple[tuple[Sample, ...], tuple[Problem, ...]]:
    """The samples, in the order of the rows; they are worth nothing where there is any problem."""
    template = key_template(spec, table.columns)
    wanted = wanted_columns(spec, template)
    problems = [*_missing_columns(wanted, table)]
    problems += [problem for row in table.rows for problem in _cell_problems(spec, row, wanted)]
    problems += [problem for row in table.rows for problem in _secrets(row)]
    if not set(placeholders(template or "")) <= set(table.columns):
        return (), tuple(problems)
    keys = keys_of(template, table.rows)
    samples = tuple(_samples(keys, table.rows))
    return samples, (*problems, *_duplicates(samples))


def _samples(keys: Sequence[str], rows: Sequence[Row]) -> Iterator[Sample]:
    """The first of those whose names differ in capitals alone has the plain name."""
    first: dict[str, str] = {}
    for key, row in zip(keys, rows, strict=True):
        bearer = first.setdefault(safe_id(key).lower(), key)
        yield sample_of(key, row, hashed=bearer != key)


def sample_of(key: str, row: Row, *, hashed: bool = False) -> Sample:
    """``hashed``: see `safe_id`."""
    return Sample(
        sample_id=safe_id(key, hashed=hashed),
        key=key,
        row=row.number,
        url=row.cells.get("url") or None,
        fields=dict(row.cells),
        as_given=dict(row.as_given),
    )


def capped(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """The first of a long list, and how many more there are."""
    if len(problems) <= MAX_LISTED:
        return problems
    more = Problem(where="input", message=f"and {len(problems) - MAX_LISTED} more problems, not listed")
    return (*problems[:MAX_LISTED], more)


def _missing_columns(wanted: Wanted, table: Table) -> Iterator[Problem]:
    """One problem a column, with all that asks for it."""
    for name, askers in wanted.items():
        if name not in table.columns:
            told = f"missing; the columns are {_listed(table.columns)}{_close(name, table.columns)}"
            yield Problem(where=f"column {name}", message=f"{told} (asked for by {', '.join(askers)})")


def wanted_columns(spec: TaskSpec, template: str | None) -> Wanted:
    """What a row must have; ``template`` names the sample."""
    wanted = {name: ["input_schema"] for name, expression in spec.input_schema.items() if not nullable(expression)}
    for asker, text, own in _templates(spec, template):
        for name in placeholders(text):
            if name not in own:
                wanted.setdefault(name, []).append(asker)
    return {name: list(dict.fromkeys(askers)) for name, askers in wanted.items()}


def _templates(spec: TaskSpec, template: str | None) -> Iterator[tuple[str, str, frozenset[str]]]:
    yield "sample_id", template or "", frozenset()
    yield "start_url", spec.start_url, _OWN
    for name, text in spec.identity.items():
        yield f"identity.{name}", text, _OWN


def _listed(columns: tuple[str, ...], most: int = 20) -> str:
    more = f" and {len(columns) - most} more" if len(columns) > most else ""
    return ", ".join(columns[:most]) + more


def _close(name: str, columns: tuple[str, ...]) -> str:
    by_lower = {column.lower(): column for column in columns}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.7)
    return f"; did you mean {by_lower[close[0]]}?" if close else ""


def _cell_problems(spec: TaskSpec, row: Row, wanted: Wanted) -> Iterator[Problem]:
    for name, expression in spec.input_schema.items():
        if name in row.cells and (wrong := misfit(expression, row.cells[name])):
            yield Problem(where=f"row {row.number}, column {name}", message=wrong)
    for name, askers in wanted.items():
        required = name in spec.input_schema and not nullable(spec.input_schema[name])
        if not required and row.cells.get(name) == "":
            yield Problem(where=f"row {row.number}, column {name}", message=f"empty, and {askers[-1]} needs it")


def _secrets(row: Row) -> Iterator[Problem]:
    """The row is part of the evidence, and evidence holds no secret."""
    for name, text in row.cells.items():
        if _USER_INFO.match(text):
            told = "a password stands in this address; take it out, and log in with an auth_profile"
            yield Problem(where=f"row {row.number}, column {name}", message=told)


def _duplicates(samples: tuple[Sample, ...]) -> Iterator[Problem]:
    """One problem a repeat, with the row it repeats."""
    first: dict[str, Sample] = {}
    for sample in samples:
        earlier = first.setdefault(sample.sample_id, sample)
        if earlier is not sample and sample.key:
            told = f"the sample {sample.key!r} is in row {earlier.row} already"
            hint = '; drop one, or let the task spec name samples by other columns, such as "sample_id": "{a}-{b}"'
            yield Problem(where=f"row {sample.row}", message=told + hint)
