"""The part of a task spec that names a workflow of the library."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from shared.task.output_field import Strict

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
