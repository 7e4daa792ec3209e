"""What a task says that is to be done, as marks: by them a flow knows the task that it was made for. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from shared.field_types import is_rows
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec

MARK_CHARS = 16
_HOST = re.compile(r"(?<=://)[^/\s\"'{}]+")


def task_marks(spec: TaskSpec) -> dict[str, str]:
    """Return for each part of the spec that says what is to be done the start of its hash.

    White space and the hosts of addresses make no difference: which hosts may be visited is another decision.
    """
    written = spec.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    fields = {name: _said_of(field) for name, field in spec.output_schema.items()}
    said: Mapping[str, Any] = {
        "goal": spec.goal,
        "route": written.get("route", []),
        "identity": spec.identity,
        "output_schema": [fields[name] for name in sorted(fields)],
    }
    return {name: mark_of(value) for name, value in said.items()}


def _said_of(field: OutputField) -> list[Any]:
    said: list[Any] = [field.description, field.labels]
    if not is_rows(field.type):
        return said
    columns = {name: [column.type, *_said_of(column)] for name, column in field.columns.items()}
    return [*said, field.under, columns, field.id_keys]


def mark_of(value: Any) -> str:
    """Return the start of the hash of a part of a spec."""
    text = msgspec.json.encode(value, order="deterministic").decode()
    text = " ".join(_HOST.sub("", text).replace("\\n", " ").split())
    return hashlib.sha256(text.encode()).hexdigest()[:MARK_CHARS]
