"""Compares the rows of a field with a cell that has them as a list of objects in JSON."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, cast

import msgspec

from shared.evidence_format.files.reconciliation import FieldVerdict
from shared.field_types import base_type
from shared.task.output_field import OutputField
from shared.task.typed_values import as_shown, is_not_present, typed_value
from shared.text.normal import Invalid, plain, quoted

NO_LIST = "rows are compared with a list of objects in JSON, from column to value"
Row = dict[str, Any]


def read_rows_cell(field: OutputField, text: str) -> list[Row] | Invalid:
    """Return the rows of the cell, each value in the type of its column; or why it has none."""
    try:
        written = msgspec.json.decode(text, type=list[dict[str, Any]])
    except msgspec.MsgspecError:
        return Invalid(NO_LIST)
    rows: list[Row] = []
    for number, each in enumerate(written, 1):
        unknown = [name for name in each if name not in field.columns]
        if unknown:
            return Invalid(f"row {number} has {quoted(unknown[0])}, which is no column of the field")
        row: Row = {}
        for name, column in field.columns.items():
            shown = as_shown(each.get(name)).strip()
            read = None if not shown or is_not_present(shown, column) else typed_value(column, shown)
            if isinstance(read, Invalid):
                return Invalid(f"row {number}, {name}: {read.message}")
            row[name] = read.value if read is not None else None
        rows.append(row)
    return rows


def compare_rows(
    field: OutputField, here: Any, there: Sequence[Row], sides: tuple[str, str] = ("here", "there")
) -> tuple[FieldVerdict, str]:
    """Return the verdict, and which row differs. In which order they stand makes no difference. ``sides``: what the
    reason calls each of them."""
    ours = cast("Sequence[Mapping[str, Any]]", here)
    names = list(field.columns)
    if Counter(_form(row, names, field) for row in ours) == Counter(_form(row, names, field) for row in there):
        return "other_form", ""
    return "differs", _first_difference(field, ours, there, *sides)


def _first_difference(
    field: OutputField, ours: Sequence[Mapping[str, Any]], theirs: Sequence[Row], ours_is: str, theirs_is: str
) -> str:
    keys = field.id_keys or list(field.columns)
    here, there = ({_form(row, keys, field): row for row in rows} for rows in (ours, theirs))
    for key, row in here.items():
        if key not in there:
            return f"{_named(row, keys)} is {ours_is} only"
        for name in field.columns:
            if _form(row, [name], field) != _form(there[key], [name], field):
                ours_said, theirs_said = (quoted(as_shown(one.get(name))) for one in (row, there[key]))
                said = f"{ours_said} {ours_is} and {theirs_said} {theirs_is}"
                return f"{_named(row, keys)}: {name} is {said}"
    only = next((row for key, row in there.items() if key not in here), None)
    if only is not None:
        return f"{_named(only, keys)} is {theirs_is} only"
    return f"{len(ours)} rows {ours_is}, {len(theirs)} {theirs_is}"


def _form(row: Mapping[str, Any], names: Sequence[str], field: OutputField) -> tuple[object, ...]:
    return tuple(_value_form(row.get(name), base_type(field.columns[name].type)) for name in names)


def _value_form(value: Any, kind: str) -> object:
    if value is None or kind not in ("number", "decimal", "string", "date-time"):
        return value
    if kind == "date-time":
        return _moment_form(str(value))
    return plain(unicodedata.normalize("NFC", as_shown(value))) if kind == "string" else Decimal(str(value))


def _moment_form(text: str) -> object:
    """Return a point in time, which is equal in every zone; the text where it names no zone."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return text
    return text if read.tzinfo is None else read


def _named(row: Mapping[str, Any], keys: Sequence[str]) -> str:
    return "the row " + ", ".join(f"{key} {quoted(as_shown(row.get(key)))}" for key in keys)
