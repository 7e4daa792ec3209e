"""Drafts a task from a sentence with a model, and has it corrected until it validates."""

from __future__ import annotations

from typing import Any

from services.planner.model_tasks.drafting import (
    MAX_TRIES,
    TOOL,
    Draft,
    drafting_instructions,
    drafting_request,
    drafting_tool,
    parse_draft,
)
from shared.contracts.base import Usage, add_usage
from shared.contracts.discovery import Problem
from shared.models.opening import open_model
from shared.settings import Settings

MAX_OUTPUT_TOKENS = 8192
TIMEOUT_S = 90.0


class AnthropicDrafter:
    """Drafts tasks with the main model."""

    def __init__(self, settings: Settings) -> None:
        self._model = open_model(
            settings, "main", max_output_tokens=MAX_OUTPUT_TOKENS, max_retries=2, timeout_s=TIMEOUT_S
        )

    @property
    def name(self) -> str:
        return self._model.model

    async def draft(self, request: str) -> tuple[Draft | None, tuple[Problem, ...], Usage]:
        """Return a valid draft or the problems of the last one, and the usage."""
        system = [{"type": "text", "text": drafting_instructions(), "cache_control": {"type": "ephemeral"}}]
        usage = Usage()
        problems: tuple[Problem, ...] = ()
        before: Any = None
        for _ in range(MAX_TRIES):
            answer = await self._model.ask(system, drafting_request(request, problems, before), [drafting_tool()])
            usage = add_usage(usage, answer.usage)
            call = next((call for call in answer.calls if call.name == TOOL), None)
            if call is None:
                problems = (Problem(where="task", message=f"there was no call of {TOOL} ({answer.stop_reason})"),)
                continue
            before = call.arguments
            draft, problems = parse_draft(call.arguments, request)
            if draft is not None:
                return draft, (), usage
        return None, problems, usage

    async def aclose(self) -> None:
        await self._model.aclose()
