"""A client of the Messages API for questions that a model answers by calling a tool, opened from the settings.

The SDK retries (429, 5xx, connection); what it gives up on is raised as one of our errors. Newer models reject a forced
tool choice with a 400: the client then leaves the choice to the model and its instructions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import anthropic
from anthropic import AsyncAnthropic
from anthropic.types import Message, TextBlock, ToolUseBlock

from shared.contracts.base import Usage
from shared.models.messages import API_ERRORS, parse_message, to_exhibit_error, usage_of
from shared.models.prices import NONE_OF_OURS, Price, own_prices, price_of
from shared.models.sanitize import to_json_value, valid_unicode
from shared.settings import Settings

if TYPE_CHECKING:
    from anthropic.types import MessageParam, TextBlockParam, ToolChoiceParam, ToolParam

MAX_RETRIES = 3
TIMEOUT_S = 120.0


@dataclass(frozen=True)
class ToolCall:
    """A tool call of a model, as plain JSON values. Neither part is validated yet."""

    name: str
    arguments: object


@dataclass(frozen=True)
class Answer:
    """The parts of a reply. ``stop_reason`` is the API's: ``tool_use``, ``end_turn``, ``max_tokens``, ``refusal``."""

    calls: tuple[ToolCall, ...]
    text: str
    stop_reason: str
    usage: Usage


class ModelClient:
    """A client of one model. ``base_url`` None is Anthropic's; any server that speaks the Messages API will do."""

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str | None,
        model: str,
        max_output_tokens: int,
        own_prices: Mapping[str, Price] = NONE_OF_OURS,
        max_retries: int = MAX_RETRIES,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.model, self._max_output_tokens, self._prices = model, max_output_tokens, own_prices
        self._client = AsyncAnthropic(
            api_key=api_key or "none", base_url=base_url, max_retries=max_retries, timeout=timeout_s
        )
        self._may_force_tool = True

    @property
    def has_price(self) -> bool:
        """Whether the price of the model is known."""
        return price_of(self.model, self._prices) is not None

    async def ask(
        self,
        system: Sequence[Mapping[str, Any]],
        content: str | Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
        *,
        parallel: bool = False,
    ) -> Answer:
        """Return the model's answer, unchecked. Raises TransientError or PermanentError when there is none."""
        try:
            reply = parse_message(await self._create_forced(system, content, tools, parallel))
        except API_ERRORS as exc:
            raise to_exhibit_error(exc) from exc
        return answer_of(self.model, reply, self._prices)

    async def aclose(self) -> None:
        await self._client.close()

    async def _create_forced(self, system: Any, content: Any, tools: Any, parallel: bool) -> Message:
        try:
            return await self._create(system, content, tools, parallel)
        except anthropic.BadRequestError as exc:
            if not self._may_force_tool or "tool_choice" not in str(exc):
                raise
            self._may_force_tool = False
            return await self._create(system, content, tools, parallel)

    async def _create(self, system: Any, content: Any, tools: Any, parallel: bool) -> Message:
        single: dict[str, Any] = {} if parallel else {"disable_parallel_tool_use": True}
        choice = {"type": "any" if self._may_force_tool else "auto", **single}
        return await self._client.messages.create(
            model=self.model,
            max_tokens=self._max_output_tokens,
            system=cast("list[TextBlockParam]", system),
            messages=cast("list[MessageParam]", [{"role": "user", "content": content}]),
            tools=cast("list[ToolParam]", tools),
            tool_choice=cast("ToolChoiceParam", choice),
        )


def answer_of(model: str, reply: Message, own_prices: Mapping[str, Price] = NONE_OF_OURS) -> Answer:
    """Return the parts of a message that are used."""
    blocks = [block for block in reply.content if isinstance(block, ToolUseBlock)]
    calls = tuple(
        ToolCall(valid_unicode(str(getattr(block, "name", None))), to_json_value(getattr(block, "input", None)))
        for block in blocks
    )
    text = "".join(str(getattr(block, "text", "")) for block in reply.content if isinstance(block, TextBlock))
    return Answer(
        calls, valid_unicode(text), valid_unicode(str(reply.stop_reason)[:40]), usage_of(model, reply, own_prices)
    )


ModelKind = Literal["main", "fast", "fallback", "vision"]


def open_model(
    settings: Settings,
    kind: ModelKind,
    *,
    max_output_tokens: int,
    max_retries: int = MAX_RETRIES,
    timeout_s: float = TIMEOUT_S,
) -> ModelClient:
    """Return a client of the model of this kind; the caller closes it.

    Raises PermanentError (``invalid_settings``) where the settings' prices cannot be read.
    """
    key = settings.anthropic_api_key
    return ModelClient(
        api_key=key.get_secret_value() if key is not None else "",
        base_url=settings.anthropic_base_url,
        model=model_name(settings, kind),
        max_output_tokens=max_output_tokens,
        own_prices=own_prices(settings.prices),
        max_retries=max_retries,
        timeout_s=timeout_s,
    )


def model_name(settings: Settings, kind: ModelKind) -> str:
    """Return the model's name as its API knows it; empty where the settings name none."""
    names = {
        "main": settings.model,
        "fast": settings.fast_model,
        "fallback": settings.fallback_model,
        "vision": settings.vision_model,
    }
    return names[kind] or ""
