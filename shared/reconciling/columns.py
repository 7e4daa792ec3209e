"""Which column of a register is which field of a spec. What could be two is refused."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from shared.contracts.discovery import Problem
from shared.field_types import is_rows
from shared.task.spec import TaskSpec
from shared.text.normal import label_form, plain_form, quoted

_BETWEEN_WORDS = re.compile(r"[\s_.-]+")
MOST_NAMED = 20
"""Columns that a message names."""


@dataclass(frozen=True)
class RegisterColumns:
    """``key_column`` and ``compared`` (columns by field, without the key) are names as the register writes them."""

    key: str
    key_column: str
    compared: dict[str, str]
    fields_without_column: tuple[str, ...]
    columns_without_field: tuple[str, ...]


def match_columns(
    spec: TaskSpec, key: str, columns: Sequence[str], name: str
) -> tuple[RegisterColumns | None, tuple[Problem, ...]]:
    """Return the columns of the fields, or None and every problem.

    A column is that of a field if it has its name but for case, blanks, ``_``, ``-`` and dots; without such a column,
    if it has one of the labels under which pages show the field. ``name``: of the register, for messages. A register
    without any column, an empty JSON list, has none for the key either.
    """
    columns = tuple(dict.fromkeys(columns))  # one that is there twice is a problem of the table
    problems = [*find_key_problems(spec, key)]
    claims = _claims(spec, columns)
    for field, found in claims.items():
        if len(found) > 1:
            message = (
                f"{' and '.join(map(quoted, found))} may all be the field {field}; leave one and rename the others"
            )
            problems.append(Problem(where=f"{name}, columns", message=message))
    for column, fields in _claimants(claims).items():
        if len(fields) > 1:
            message = f"it may be the fields {' and '.join(fields)}; call it by the name of one of them"
            problems.append(Problem(where=f"{name}, column {column}", message=message))
    if key in spec.output_schema and not claims.get(key) and columns:
        problems.append(Problem(where=f"{name}, columns", message=_no_key_column(key, columns)))
    if problems:
        return None, tuple(problems)
    found_in = {field: found[0] for field, found in claims.items() if found}
    return RegisterColumns(
        key=key,
        key_column=found_in.get(key, ""),
        compared={field: column for field, column in found_in.items() if field != key},
        fields_without_column=tuple(field for field in spec.output_schema if field not in found_in and field != key),
        columns_without_field=tuple(column for column in columns if column not in found_in.values()),
    ), ()


def find_key_problems(spec: TaskSpec, key: str) -> tuple[Problem, ...]:
    if key in spec.output_schema and not is_rows(spec.output_schema[key].type):
        return ()
    if key in spec.output_schema:
        return (Problem(where="register.key", message=f"{key!r} has rows, and a key is one value"),)
    message = f"{key!r} is no field of the spec; its fields are {', '.join(spec.output_schema)}"
    return (Problem(where="register.key", message=message),)


def _claims(spec: TaskSpec, columns: Sequence[str]) -> dict[str, list[str]]:
    """Return, for each field, the columns that may be it."""
    taken = {column for column in columns if column in spec.output_schema}
    claims: dict[str, list[str]] = {}
    for field in spec.output_schema:
        free = [column for column in columns if column == field or column not in taken]
        claims[field] = [column for column in free if _form(column) == _form(field)]
    named = {column for found in claims.values() for column in found}
    for field, output in spec.output_schema.items():
        if not claims[field]:
            labels = {label_form(label) for label in output.labels}
            claims[field] = [column for column in columns if column not in named and label_form(column) in labels]
    return claims


def _claimants(claims: dict[str, list[str]]) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = defaultdict(list)
    for field, found in claims.items():
        for column in found:
            fields[column].append(field)
    return fields


def _form(name: str) -> str:
    return _BETWEEN_WORDS.sub("", plain_form(unicodedata.normalize("NFKC", name)))


def _no_key_column(key: str, columns: Sequence[str]) -> str:
    shown = ", ".join(map(quoted, columns[:MOST_NAMED]))
    more = f" and {len(columns) - MOST_NAMED} more" if len(columns) > MOST_NAMED else ""
    return f"none is called {key}, or as the labels of that field; there are {shown}{more}"
