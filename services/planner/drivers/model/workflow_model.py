"""Asks a model about workflows: which one does a task, the source of a new one, and the element that a flow has lost.

What is asked, and how an answer is parsed, is decided in :mod:`services.planner.workflow_use.prompts` and
:mod:`services.planner.workflow_use.element_prompts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.planner.workflow_use.element_prompts import ELEMENT_INSTRUCTIONS, ELEMENT_TOOL, element_tool
from services.planner.workflow_use.prompts import (
    CHOICE_TOOL,
    SAVE_INSTRUCTIONS,
    SAVE_TOOL,
    choice_instructions,
    choice_request,
    choice_tool,
    save_request,
    save_tool,
)
from shared.contracts.base import Usage
from shared.contracts.workflows.library import WorkflowShown
from shared.models.client import Answer, open_model
from shared.settings import Settings
from shared.task.spec import TaskSpec

TIMEOUT_S = 120.0
MAX_OUTPUT_TOKENS = 8192


class AnthropicWorkflowModel:
    """Asks the main model. See :class:`services.planner.deps.Librarian` and `ElementFinder`."""

    def __init__(self, settings: Settings) -> None:
        self._model = open_model(
            settings, "main", max_output_tokens=MAX_OUTPUT_TOKENS, max_retries=2, timeout_s=TIMEOUT_S
        )

    @property
    def name(self) -> str:
        return self._model.model

    async def choose(
        self, spec: TaskSpec, candidates: Sequence[WorkflowShown], problems: Sequence[str], before: object
    ) -> tuple[object, Usage]:
        system: list[dict[str, object]] = [{"type": "text", "text": choice_instructions(spec)}]
        request = choice_request(spec, candidates, problems, before)
        answer = await self._model.ask(system, request, [choice_tool(spec, candidates)])
        return _arguments_of(answer, CHOICE_TOOL), answer.usage

    async def write(
        self, spec: TaskSpec, row: Mapping[str, str], steps: str, problems: Sequence[str], before: object
    ) -> tuple[object, Usage]:
        system: list[dict[str, object]] = [{"type": "text", "text": SAVE_INSTRUCTIONS}]
        request = save_request(spec, row, steps, problems, before)
        answer = await self._model.ask(system, request, [save_tool()])
        return _arguments_of(answer, SAVE_TOOL), answer.usage

    async def find_element(self, request: str) -> tuple[object, Usage]:
        system: list[dict[str, object]] = [{"type": "text", "text": ELEMENT_INSTRUCTIONS}]
        answer = await self._model.ask(system, request, [element_tool()])
        return _arguments_of(answer, ELEMENT_TOOL), answer.usage

    async def aclose(self) -> None:
        await self._model.aclose()


def _arguments_of(answer: Answer, tool: str) -> object:
    return next((call.arguments for call in answer.calls if call.name == tool), None)
