"""What the outputs of a run need of its task spec, which may be of an earlier version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from shared.field_types import TYPE_EXPRESSION, base_type


@dataclass(frozen=True)
class TaskField:
    """An output field. ``type`` is the expression in the spec, such as ``date | null``; ``base_type`` is empty if the
    type is unknown."""

    name: str
    type: str
    description: str
    required: bool
    proves: bool
    """Whether `identity` of the spec names the field, so that it must show the sample's key."""

    @property
    def base_type(self) -> str:
        return base_type(self.type) if TYPE_EXPRESSION.match(self.type) else ""


@dataclass(frozen=True)
class TaskFacts:
    task_id: str | None
    fields: tuple[TaskField, ...]
    """In the order of the output schema."""
    proving: tuple[str, ...]
    """Names of the fields that prove the record, in the order of `identity`."""
    judged: bool

    @classmethod
    def of(cls, spec: Mapping[str, Any]) -> TaskFacts:
        schema: Mapping[str, Any] = spec.get("output_schema") or {}
        identity: Mapping[str, Any] = spec.get("identity") or {}
        required: Sequence[str] = spec.get("required_fields") or ()
        return cls(
            task_id=spec.get("task_id"),
            fields=tuple(
                _field(name, written, required=name in required, proves=name in identity)
                for name, written in schema.items()
            ),
            proving=tuple(name for name in identity if name in schema),
            judged=bool(spec.get("judgment_required")),
        )


def _field(name: str, written: object, *, required: bool, proves: bool) -> TaskField:
    long = cast("Mapping[str, Any]", written) if isinstance(written, Mapping) else {"type": written}
    description = str(long.get("description") or "")
    return TaskField(name, str(long.get("type") or ""), description, required=required, proves=proves)
