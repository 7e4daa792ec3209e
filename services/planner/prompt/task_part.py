"""What the task asks for. It comes from the task spec and is never cut."""

from __future__ import annotations

import json
from typing import Any

from services.planner.prompt.notices import artifacts_missing
from services.planner.state.attempt_state import SampleView
from services.planner.state.limits import is_last_step, steps_left
from shared.field_types import base_type
from shared.task.spec import OutputField, TaskSpec


def goal(view: SampleView) -> str:
    """Return the goal, when to stop, which artifacts are missing, and how many steps are left."""
    spec, left = view.spec, steps_left(view)
    lines = [
        f"GOAL\n{spec.goal.strip()}",
        f"Stop when: {spec.stop_condition.strip()}" if spec.stop_condition.strip() else "",
        _gone(spec),
        f"Judge: {spec.judgment_question.strip()}" if spec.judgment_required and spec.judgment_question else "",
        artifacts_missing(view),
        "This is the last step: call done or fail; any other call is refused."
        if is_last_step(view)
        else f"Steps left: {left}",
    ]
    return "\n".join(line for line in lines if line)


def output_schema(spec: TaskSpec) -> str:
    """Return one line of JSON per field, and the artifacts."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(_field(name, field, spec), ensure_ascii=False)}"
        for name, field in spec.output_schema.items()
    ]
    artifacts = f"\nRequired artifacts: {', '.join(spec.required_artifacts)}" if spec.required_artifacts else ""
    what = " (of every item)" if spec.phase == "discovery" else ""
    return f"OUTPUT SCHEMA{what}\n" + "{" + ",\n ".join(lines) + "}" + artifacts


def _field(name: str, field: OutputField, spec: TaskSpec) -> dict[str, Any]:
    """Return the facts of a field; false and empty ones are left out."""
    must = name in spec.required_fields or name in spec.identity
    facts: dict[str, Any] = {
        "type": field.type,
        "required": must,
        "description": field.description,
        "labels": field.labels,
        "values": field.values,
        "not_present": field.not_present,
        "dates_written": _order(field),
        "derived": field.derived,
    }
    return {key: value for key, value in facts.items() if value or key == "required"}


def _order(field: OutputField) -> str:
    """Return how the site writes dates. A reported date is the text as shown, so this says how to read it."""
    words = {"d": "day", "m": "month", "y": "year"}
    dated = base_type(field.type) in ("date", "date-time")
    return "/".join(words[letter] for letter in field.date_order) if dated and field.date_order else ""


def _gone(spec: TaskSpec) -> str:
    words = ", ".join(json.dumps(text, ensure_ascii=False) for text in spec.not_found_texts)
    return f"Where a record does not exist, the site says: {words}" if words else ""
