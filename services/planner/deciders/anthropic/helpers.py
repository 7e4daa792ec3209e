"""A model's tasks besides deciding: lessons and drafts. Its SDK is imported on first use."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from services.planner.model_tasks.drafting import Draft
from services.planner.model_tasks.memory import Transcript
from shared.contracts.base import Usage
from shared.contracts.discovery import Problem
from shared.settings import Settings

if TYPE_CHECKING:
    from services.planner.deciders.anthropic.drafter import AnthropicDrafter
    from services.planner.deciders.anthropic.teacher import AnthropicTeacher


class ModelHelpers:
    """The teacher and the drafter of the process, made on first use. Needs a key."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def name(self) -> str:
        return self._settings.model

    async def distil(self, transcript: Transcript) -> tuple[object, Usage]:
        return await self._teacher.distil(transcript)

    async def draft(self, request: str) -> tuple[Draft | None, tuple[Problem, ...], Usage]:
        return await self._drafter.draft(request)

    async def aclose(self) -> None:
        for name in ("_teacher", "_drafter"):
            if name in self.__dict__:
                await self.__dict__[name].aclose()

    @cached_property
    def _teacher(self) -> AnthropicTeacher:
        from services.planner.deciders.anthropic.teacher import AnthropicTeacher

        return AnthropicTeacher(self._settings)

    @cached_property
    def _drafter(self) -> AnthropicDrafter:
        from services.planner.deciders.anthropic.drafter import AnthropicDrafter

        return AnthropicDrafter(self._settings)
