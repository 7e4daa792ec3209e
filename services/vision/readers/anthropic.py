"""The reader that asks a model: one request, and one retry when the reply is invalid."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from services.vision.deps import OpenPicture
from services.vision.questions import (
    INSTRUCTIONS,
    UnusableReply,
    UsableReply,
    answer_tool,
    parse_reply,
    question_text,
    retry_text,
)
from services.vision.regions import ScaledImage, to_picture_box
from shared.contracts.base import Usage, add_usage
from shared.contracts.vision import AskVision, VisionAnswered
from shared.models.client import Answer, open_model
from shared.settings import Settings

MAX_OUTPUT_TOKENS = 2048
MAX_RETRIES = 2
TIMEOUT_S = 45.0


class AnthropicReader:
    """Asks any server that speaks the Messages API and accepts images."""

    def __init__(self, settings: Settings, *, max_retries: int = MAX_RETRIES, timeout_s: float = TIMEOUT_S) -> None:
        self._model = open_model(
            settings, "vision", max_output_tokens=MAX_OUTPUT_TOKENS, max_retries=max_retries, timeout_s=timeout_s
        )

    @property
    def name(self) -> str:
        return self._model.model

    async def answer(self, request: AskVision, picture: OpenPicture) -> VisionAnswered:
        sent = await asyncio.to_thread(picture.scaled)
        image = await asyncio.to_thread(_image_block, sent)
        usage, remark, parsed = Usage(), "", UnusableReply("")
        for _ in range(2):
            reply = await self._reply(request, sent, image, remark)
            usage = add_usage(usage, reply.usage)
            parsed = _parse(reply, request, sent)
            if isinstance(parsed, UsableReply):
                return self._answered(parsed, sent, picture, usage)
            if reply.stop_reason == "refusal":
                break
            remark = retry_text(parsed.message)
        return self._unanswered(f"The model's answer could not be used: {parsed.message}", usage)

    async def aclose(self) -> None:
        await self._model.aclose()

    def _answered(self, parsed: UsableReply, sent: ScaledImage, picture: OpenPicture, usage: Usage) -> VisionAnswered:
        region = (
            None
            if parsed.region is None or parsed.answer is None
            else to_picture_box(parsed.region, sent, picture.rect)
        )
        return VisionAnswered(
            answer=parsed.answer,
            confidence=parsed.confidence,
            region=region,
            reasoning=parsed.reasoning,
            answered_by=self.name,
            usage=usage,
        )

    def _unanswered(self, reasoning: str, usage: Usage) -> VisionAnswered:
        return VisionAnswered(answer=None, confidence=0.0, reasoning=reasoning, answered_by=self.name, usage=usage)

    async def _reply(self, request: AskVision, sent: ScaledImage, image: dict[str, Any], remark: str) -> Answer:
        text = "\n\n".join(part for part in (question_text(request, sent), remark) if part)
        system = [{"type": "text", "text": INSTRUCTIONS, "cache_control": {"type": "ephemeral"}}]
        return await self._model.ask(system, [image, {"type": "text", "text": text}], [answer_tool(request)])


def _image_block(sent: ScaledImage) -> dict[str, Any]:
    data = base64.b64encode(sent.data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": sent.media_type, "data": data}}


def _parse(reply: Answer, request: AskVision, sent: ScaledImage) -> UsableReply | UnusableReply:
    if not reply.calls:
        return UnusableReply(f"there was no call of the tool (the answer stopped with {reply.stop_reason}).")
    call = reply.calls[0]
    if call.name != "answer":
        return UnusableReply(f"there is no tool {call.name[:40]!r}.")
    return parse_reply(call.arguments, request, sent)
