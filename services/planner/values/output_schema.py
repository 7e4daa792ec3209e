"""The values of a task as JSON Schema (2020-12), as :func:`services.planner.values.typed_values.typed_value` returns
them.

The schema is for a model's `done` and for the checks of a result.
"""

from __future__ import annotations

from typing import Any

from shared.field_types import base_type, nullable
from shared.task.spec import OutputField, TaskSpec

Schema = dict[str, Any]

DECIMAL = r"^-?[0-9]+(\.[0-9]+)?$"
"""An exact decimal number as text: no exponent, no grouping."""
DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
DATE_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?([+-][0-9]{2}:[0-9]{2})?$"
"""ISO 8601. The format `date-time` of JSON Schema needs a zone, and many pages show none."""

_BY_TYPE: dict[str, Schema] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "decimal": {"type": "string", "pattern": DECIMAL},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date", "pattern": DATE},
    "date-time": {"type": "string", "pattern": DATE_TIME},
    "array": {"type": "array", "items": {"type": "string"}},
    "enum": {"type": "string"},
}


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
    schema = dict(_BY_TYPE[base_type(field.type)])
    if field.values:
        schema["enum"] = list(field.values)
    if nullable(field.type):
        schema = _or_null(schema)
    return {**schema, "description": field.description} if field.description else schema


def _or_null(schema: Schema) -> Schema:
    # An enum must list null too, whatever the type says.
    allowed = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, "type": [schema["type"], "null"], **allowed}
