"""Claude looks: one request to the Messages API a question, and one more where its answer could not be used.

Retrying is the SDK's own (429, 5xx, connection); what it gives up on becomes one of our errors.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import anthropic
from anthropic import AsyncAnthropic
from anthropic.types import Message, ToolUseBlock

from services.vision.deps import Picture
from services.vision.places import Scaled, mapped_back
from services.vision.prompt import INSTRUCTIONS, Unusable, Usable, answer_tool, asked, bounced, parsed
from shared.contracts.usage import Usage, add_usage
from shared.contracts.vision import AskVision, VisionAnswered
from shared.models.messages import API_ERRORS, mapped, readable, usage_of
from shared.models.prices import NONE_OF_OURS, Price

if TYPE_CHECKING:
    from anthropic.types import MessageParam, ToolChoiceParam, ToolParam

MAX_OUTPUT_TOKENS = 2048
MAX_RETRIES = 2
TIMEOUT_S = 45.0


class AnthropicReader:
    """``base_url`` None is Anthropic's own; any server that speaks the Messages API and sees pictures will do."""

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str | None,
        model: str,
        own_prices: Mapping[str, Price] = NONE_OF_OURS,
        max_retries: int = MAX_RETRIES,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._model, self._prices = model, own_prices
        self._client = AsyncAnthropic(api_key=api_key, base_url=base_url, max_retries=max_retries, timeout=timeout_s)
        self._may_force = True

    @property
    def name(self) -> str:
        return self._model

    async def answer(self, request: AskVision, picture: Picture) -> VisionAnswered:
        sent = await asyncio.to_thread(picture.scaled)
        image = await asyncio.to_thread(_image, sent)
        usage, remark, said = Usage(), "", Unusable("")
        for _ in range(2):
            reply = await self._reply(request, sent, image, remark)
            usage = add_usage(usage, usage_of(self._model, reply, self._prices))
            said = _read(reply, request, sent)
            if isinstance(said, Usable):
                return self._told(said, sent, picture, usage)
            if reply.stop_reason == "refusal":
                break
            remark = bounced(said.message)
        return self._untold(f"The model's answer could not be used: {said.message}", usage)

    async def aclose(self) -> None:
        await self._client.close()

    def _told(self, said: Usable, sent: Scaled, picture: Picture, usage: Usage) -> VisionAnswered:
        region = None if said.region is None or said.answer is None else mapped_back(said.region, sent, picture.place)
        return VisionAnswered(
            answer=said.answer,
            confidence=said.confidence,
            region=region,
            reasoning=said.reasoning,
            answered_by=self._model,
            usage=usage,
        )

    def _untold(self, why: str, usage: Usage) -> VisionAnswered:
        return VisionAnswered(answer=None, confidence=0.0, reasoning=why, answered_by=self._model, usage=usage)

    async def _reply(self, request: AskVision, sent: Scaled, image: dict[str, Any], remark: str) -> Message:
        """Newer models refuse to be forced to use a tool, and say so in a 400; then the instructions must do."""
        text = "\n\n".join(part for part in (asked(request, sent), remark) if part)
        content = [image, {"type": "text", "text": text}]
        try:
            try:
                return readable(await self._create(request, content))
            except anthropic.BadRequestError as exc:
                if not self._may_force or "tool_choice" not in str(exc):
                    raise
                self._may_force = False
                return readable(await self._create(request, content))
        except API_ERRORS as exc:
            raise mapped(exc) from exc

    async def _create(self, request: AskVision, content: list[dict[str, Any]]) -> Message:
        kind = "any" if self._may_force else "auto"
        return await self._client.messages.create(
            model=self._model,
            max_tokens=MAX_OUTPUT_TOKENS,
            system=[{"type": "text", "text": INSTRUCTIONS, "cache_control": {"type": "ephemeral"}}],
            messages=cast("list[MessageParam]", [{"role": "user", "content": content}]),
            tools=cast("list[ToolParam]", [answer_tool(request)]),
            tool_choice=cast("ToolChoiceParam", {"type": kind, "disable_parallel_tool_use": True}),
        )


def _image(sent: Scaled) -> dict[str, Any]:
    data = base64.b64encode(sent.data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": sent.media_type, "data": data}}


def _read(reply: Message, request: AskVision, sent: Scaled) -> Usable | Unusable:
    calls = [block for block in reply.content if isinstance(block, ToolUseBlock)]
    if not calls:
        return Unusable(f"there was no call of the tool (the answer stopped with {str(reply.stop_reason)[:40]}).")
    name: object = getattr(calls[0], "name", None)
    if name != "answer":
        return Unusable(f"there is no tool {str(name)[:40]!r}.")
    return parsed(getattr(calls[0], "input", None), request, sent)
