"""A prompt without a budget: the whole page and the whole history in each step. The peer of the planner's prompt."""

from __future__ import annotations

import json

import msgspec

from services.planner.prompt.system_blocks import run_block, sample_block
from services.planner.prompt.tools import tools_for
from services.planner.state.attempt_state import SampleView


def naive(view: SampleView) -> tuple[str, ...]:
    """Return all parts of the prompt."""
    steps = [
        {
            "action": msgspec.to_builtins(entry.action),
            "result": msgspec.to_builtins(entry.result),
            "said": entry.message,
        }
        for entry in view.state.history
    ]
    page = view.page.text if view.page is not None else ""
    schema = {name: field.model_dump(mode="json") for name, field in view.spec.output_schema.items()}
    user = "\n\n".join((page, json.dumps(steps, default=str), view.spec.goal, json.dumps(schema)))
    return json.dumps(tools_for(view.spec)), run_block(view.spec), sample_block(view), user
