"""Converts text as a page shows it to the type that the task asks for; and the types as JSON Schema.

The shown text is kept beside the value. Ambiguous text is invalid; nothing is guessed. How numbers and dates are read
is decided in `shared/text`, and what a page settles about its dates in :mod:`shared.pages.read.dates`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol, cast

from shared.contracts.steps import ValueSource
from shared.field_types import base_type, nullable
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec
from shared.text.date_names import DateOrder
from shared.text.dates import date_time_value, date_value
from shared.text.normal import Invalid, Normal, fold, is_dash, plain, plain_form, quoted, tidy
from shared.text.numbers import exact_number
from shared.text.patterns import fits_pattern
from shared.text.written_dates import Order, in_language

TRUE = frozenset({"true", "yes", "y", "on", "checked", "enabled", "1", "✓", "✔", "☑"})
FALSE = frozenset({"false", "no", "n", "off", "unchecked", "disabled", "0", "✗", "✘", "☐"})
FLOAT_DIGITS = 15
"""Decimal digits that a float always holds exactly."""

NULLS = frozenset({"none", "null", "nil", "n/a"})
"""What programs write for no value. Where words are asked for, it may be one of them."""
_NO_WORDS = frozenset({"number", "decimal", "date", "date-time", "boolean"})
_ITEMS = re.compile(r"\s*[,;\n]\s*")
Schema = dict[str, Any]
DECIMAL_PATTERN = r"^-?[0-9]+(\.[0-9]+)?$"
"""An exact decimal number as text: no exponent, no grouping."""
DATE_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
DATE_TIME_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?([+-][0-9]{2}:[0-9]{2})?$"
"""ISO 8601. The format `date-time` of JSON Schema needs a zone, and many pages show none."""

_SCHEMA_BY_TYPE: dict[str, Schema] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "decimal": {"type": "string", "pattern": DECIMAL_PATTERN},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date", "pattern": DATE_PATTERN},
    "date-time": {"type": "string", "pattern": DATE_TIME_PATTERN},
    "array": {"type": "array", "items": {"type": "string"}},
    "enum": {"type": "string"},
    "rows": {"type": "array"},
}


@dataclass(frozen=True)
class Context:
    """What helps to read a text: the values of an enum, the settled order of dates, and the title of its element."""

    values: tuple[str, ...] = ()
    order: Order = None
    title: str | None = None


NO_CONTEXT = Context()


def as_shown(raw: object) -> str:
    """Return a JSON value as text."""
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if isinstance(raw, list | tuple):
        rows = any(isinstance(item, Mapping) for item in cast("Sequence[object]", raw))
        return ("; " if rows else ", ").join(as_shown(item) for item in cast("Sequence[object]", raw))
    if isinstance(raw, Mapping):
        return ", ".join(as_shown(item) for item in cast("Mapping[str, object]", raw).values())
    return "" if raw is None else str(raw)


class SaysNone(Protocol):
    """What a field knows of the words that stand for no value. ``values``: of an enum."""

    @property
    def type(self) -> str: ...
    @property
    def values(self) -> Sequence[str]: ...
    @property
    def not_present(self) -> Sequence[str]: ...


def is_not_present(shown: str, field: SaysNone) -> bool:
    """Return whether the text is one of the words by which a page says that there is nothing, or a dash."""
    if is_dash(shown) and not any(map(is_dash, field.values)):
        return True
    if nullable(field.type) and base_type(field.type) in _NO_WORDS and plain_form(shown) in NULLS:
        return True
    return plain_form(shown) in {plain_form(word) for word in field.not_present}


def typed_value(
    field: OutputField, shown: object, *, title: str | None = None, order: Order = None
) -> Normal | Invalid:
    """Return the text as a value of the field, or why it is invalid.

    `title` is that of the element that shows it, `order` what its page settles
    (:func:`shared.pages.read.dates.date_hints`). The task's own order comes first.
    """
    return normalise(field.type, shown, Context(tuple(field.values), field.date_order or order, title))


def recorded_hints(source: ValueSource | None) -> Order:
    """Return what a value's source has recorded for reading its date again."""
    if source is None:
        return None
    if source.date_language:
        return in_language(source.date_language)
    return cast("DateOrder | None", source.date_order)


def find_shown_problem(field: OutputField, shown: str) -> str:
    """Return why the text cannot be the field's, by its pattern; empty if it can. Of an array each part must fit."""
    parts = _ITEMS.split(shown) if base_type(field.type) == "array" else [shown]
    wrong = next((part for part in parts if not fits_pattern(field.value_pattern, part)), None)
    return "" if wrong is None else f"{quoted(wrong)} does not fit the pattern {field.pattern}"


def normalise(type_expression: str, raw: object, context: Context = NO_CONTEXT) -> Normal | Invalid:
    """Return text, or a model's JSON value, as a value of the type. None is always invalid."""
    if raw is None:
        return Invalid("there is no value")
    kind = base_type(type_expression)
    many = isinstance(raw, list | tuple | dict)
    if many and (kind not in ("array", "rows") or isinstance(raw, dict)):
        return Invalid(f"more than one thing was given where one {kind} belongs")
    return _BY_TYPE[kind](cast("object", raw), context)


def _string(raw: object, context: Context) -> Normal | Invalid:
    text = tidy(as_shown(raw))
    whole = tidy(context.title or "")
    begun = text.rstrip(".…").rstrip()
    # A text that is cut short on the page; its title has the whole of it.
    return Normal(whole if begun and text.endswith(("...", "…")) and whole.startswith(begun) else text)


def _enum(raw: object, context: Context) -> Normal | Invalid:
    written = plain(as_shown(raw))
    exact = [value for value in context.values if plain(value) == written]
    folded = [value for value in context.values if plain_form(value) == fold(written)]
    for found in (exact, folded):
        if len(found) == 1:
            return Normal(found[0])
    return Invalid(f"{quoted(as_shown(raw))} is none of the values allowed: {', '.join(context.values) or 'none'}")


def _number(raw: object, context: Context) -> Normal | Invalid:
    if isinstance(raw, int) and not isinstance(raw, bool):
        return Normal(raw)
    if isinstance(raw, float):
        return Normal(raw) if math.isfinite(raw) else Invalid(f"{raw!r} is not a number")
    exact = exact_number(as_shown(raw), title=context.title)
    if isinstance(exact, Invalid):
        return exact
    if exact.as_tuple().exponent == 0:
        return Normal(int(exact))
    return Normal(float(exact)) if _digits(exact) <= FLOAT_DIGITS else _too_long(raw)


def _decimal(raw: object, context: Context) -> Normal | Invalid:
    if isinstance(raw, float):
        held = Decimal(repr(raw)) if math.isfinite(raw) else None
        if held is None:
            return Invalid(f"{raw!r} is not a decimal number")
        return Normal(f"{held:f}") if _digits(held) <= FLOAT_DIGITS else _too_long(raw)
    exact = exact_number(as_shown(raw), money=True, title=context.title)
    return exact if isinstance(exact, Invalid) else Normal(f"{exact:f}")


def _digits(number: Decimal) -> int:
    return len("".join(map(str, number.as_tuple().digits)).strip("0"))


def _too_long(raw: object) -> Invalid:
    return Invalid(f"{quoted(as_shown(raw))} has more digits than a number can hold; a decimal, as text, can")


def _boolean(raw: object, context: Context) -> Normal | Invalid:
    word = plain_form(as_shown(raw))
    if word in TRUE:
        return Normal(True)
    return Normal(False) if word in FALSE else Invalid(f"{quoted(as_shown(raw))} is neither yes nor no")


def _date(raw: object, context: Context) -> Normal | Invalid:
    return _normal(date_value(as_shown(raw), order=context.order, title=context.title))


def _date_time(raw: object, context: Context) -> Normal | Invalid:
    return _normal(date_time_value(as_shown(raw), order=context.order, title=context.title))


def _normal(read: str | Invalid) -> Normal | Invalid:
    return read if isinstance(read, Invalid) else Normal(read)


def _array(raw: object, context: Context) -> Normal | Invalid:
    if isinstance(raw, list | tuple):
        return Normal([tidy(as_shown(item)) for item in cast("Sequence[object]", raw)])
    return Normal([tidy(item) for item in _ITEMS.split(as_shown(raw)) if item.strip()])


def _rows(raw: object, context: Context) -> Normal | Invalid:
    """Rows are typed cell by cell where they are read; no text is a list of them."""
    rows = cast("Sequence[object]", raw) if isinstance(raw, list | tuple) else ()
    if not isinstance(raw, list | tuple) or not all(isinstance(row, Mapping) for row in rows):
        return Invalid("rows are a list of objects, one for each row")
    return Normal(list(rows))


_BY_TYPE: dict[str, Callable[[object, Context], Normal | Invalid]] = {
    "string": _string,
    "enum": _enum,
    "number": _number,
    "decimal": _decimal,
    "boolean": _boolean,
    "date": _date,
    "date-time": _date_time,
    "array": _array,
    "rows": _rows,
}


# --- the same types as JSON Schema (2020-12), for a model's `done` and for checks of a result


def values_schema(spec: TaskSpec) -> Schema:
    """Return the schema of an object with the task's fields in order.

    Optional fields may be null; fields that a done sample needs are required.
    """
    needed = {*spec.required_fields, *spec.identity}
    return {
        "type": "object",
        "properties": {name: field_schema(field) for name, field in spec.output_schema.items()},
        "required": [name for name in spec.output_schema if name in needed],
        "additionalProperties": False,
    }


def field_schema(field: OutputField) -> Schema:
    """Return the schema of one value in the result."""
    schema = dict(_SCHEMA_BY_TYPE[base_type(field.type)])
    if field.columns:
        schema["items"] = {
            "type": "object",
            "properties": {name: field_schema(column) for name, column in field.columns.items()},
            "required": [name for name, column in field.columns.items() if not nullable(column.type)],
            "additionalProperties": False,
        }
    if field.values:
        schema["enum"] = list(field.values)
    if nullable(field.type):
        schema = _or_null(schema)
    return {**schema, "description": field.description} if field.description else schema


def _or_null(schema: Schema) -> Schema:
    # An enum must list null too, whatever the type says.
    allowed = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, "type": [schema["type"], "null"], **allowed}
