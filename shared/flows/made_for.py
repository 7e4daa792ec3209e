"""Whether a flow of the library was made for a task as it is now."""

from __future__ import annotations

from shared.contracts.workflows.library import WorkflowShown
from shared.flows.compiling.compiler import output_schema
from shared.flows.files import ValueSchema, parse_files
from shared.task.spec import TaskSpec
from shared.task.task_fingerprint import task_marks


def other_task_problems(shown: WorkflowShown, spec: TaskSpec) -> tuple[str, ...]:
    """Return how the task that a flow was made for differs from this one: in its outputs, or in what is to be done.

    A flow without a schema of outputs, or without marks of its task, says nothing about them. Of a field that it lacks
    and that a person has accepted as lost, it was made for this task all the same.
    """
    try:
        files = parse_files(shown.files)
    except ValueError:
        return ()
    outputs = files.outputs
    asked = {name: output_schema(field) for name, field in spec.output_schema.items()} if outputs else {}
    accepted = {name for name in shown.workflow.accepted_losses if name in asked and name not in outputs}
    lacks = [name for name in asked if name not in outputs and name not in accepted]
    more = [name for name in outputs if name not in asked]
    other = [name for name, one in asked.items() if name in outputs and _type_of(outputs[name]) != _type_of(one)]
    without = {name: field for name, field in spec.output_schema.items() if name not in accepted}
    marks = task_marks(spec.model_copy(update={"output_schema": without}) if accepted else spec)
    changed = [name for name, mark in marks.items() if files.task.get(name, mark) != mark]
    return (
        *((f"it was made without {', '.join(lacks)}",) if lacks else ()),
        *((f"it was made for {', '.join(more)} too",) if more else ()),
        *((f"it was made for another type of {', '.join(other)}",) if other else ()),
        *((f"it was made for another {' and '.join(changed)} of the spec",) if changed else ()),
    )


def _type_of(schema: ValueSchema) -> tuple[str, tuple[str, ...]]:
    return schema.type, schema.enum_values
