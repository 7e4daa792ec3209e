"""The part of a task spec that names a workflow of the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from shared.field_types import is_rows
from shared.task.output_field import OutputField, Strict

WORKFLOW_NAME = r"^[^\W\d]\w*(@[0-9a-f]{8,64})?$"


class WorkflowUseSpec(Strict):
    """Which workflow does the task, and with which arguments."""

    name: Annotated[str, Field(pattern=WORKFLOW_NAME, description="name, or name@hash for one version of it.")]
    arguments: dict[str, Any] = Field(
        default={},
        description="Arguments of `run`; in texts {column} is filled from the row. What is not named here is taken "
        "from the column of the same name.",
    )


WorkflowUse = WorkflowUseSpec | Literal["auto", "off"]


def example_refusal(schema: Mapping[str, OutputField]) -> str:
    """Return why no flow of a task with these fields is built by hand; empty: one may be."""
    rows = [name for name, field in schema.items() if is_rows(field.type)]
    if not rows:
        return ""
    return (
        f"{' and '.join(rows)}: fields of rows are learned from samples: run the task, then `exhibit compile` the run"
    )
