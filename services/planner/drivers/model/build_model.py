"""Asks the main model for the next move of a build session. What is asked is decided in `model_tasks.building`."""

from __future__ import annotations

from typing import Any

from services.planner.model_tasks.building import (
    BUILD_INSTRUCTIONS,
    build_tools,
    history_texts,
    now_text,
    parse_move,
    task_text,
)
from shared.contracts.building import BuildDecided, DecideBuild
from shared.models.client import open_model
from shared.settings import Settings
from shared.task.spec import TaskSpec

TIMEOUT_S = 90.0
MAX_OUTPUT_TOKENS = 4096


class AnthropicBuildModel:
    """See :class:`services.planner.deps.Builder`."""

    def __init__(self, settings: Settings) -> None:
        self._model = open_model(
            settings, "main", max_output_tokens=MAX_OUTPUT_TOKENS, max_retries=2, timeout_s=TIMEOUT_S
        )

    async def decide(self, asked: DecideBuild, spec: TaskSpec) -> BuildDecided:
        system = [_text(BUILD_INSTRUCTIONS), _text(task_text(spec), cached=True)]
        *earlier, last = history_texts(asked)
        content = [_text(one, cached=one is earlier[-1]) for one in earlier]
        answer = await self._model.ask(system, [*content, _text(f"{last}\n\n{now_text(asked)}")], build_tools(spec))
        if not answer.calls:
            return BuildDecided(model=self._model.model, problem="call one of the tools", usage=answer.usage)
        call = answer.calls[0]
        move, problem = parse_move(call.name, call.arguments, asked, spec)
        return BuildDecided(model=self._model.model, move=move, problem=problem, usage=answer.usage)

    async def aclose(self) -> None:
        await self._model.aclose()


def _text(text: str, *, cached: bool = False) -> dict[str, Any]:
    """Return a part of a request. ``cached``: everything up to its end is asked for again."""
    return {"type": "text", "text": text, **({"cache_control": {"type": "ephemeral"}} if cached else {})}
