"""Claude looks: one question to a model a request, and one more where its answer could not be used."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from services.vision.deps import Picture
from services.vision.questions.prompt import INSTRUCTIONS, Unusable, Usable, answer_tool, asked, bounced, parsed
from services.vision.questions.regions import Scaled, mapped_back
from shared.contracts.usage import Usage, add_usage
from shared.contracts.vision import AskVision, VisionAnswered
from shared.models.client import Answer
from shared.models.opening import open_model
from shared.settings import Settings

MAX_OUTPUT_TOKENS = 2048
MAX_RETRIES = 2
TIMEOUT_S = 45.0


class AnthropicReader:
    """Any server that speaks the Messages API and sees pictures will do."""

    def __init__(self, settings: Settings, *, max_retries: int = MAX_RETRIES, timeout_s: float = TIMEOUT_S) -> None:
        self._model = open_model(
            settings, "vision", max_output_tokens=MAX_OUTPUT_TOKENS, max_retries=max_retries, timeout_s=timeout_s
        )

    @property
    def name(self) -> str:
        return self._model.model

    async def answer(self, request: AskVision, picture: Picture) -> VisionAnswered:
        sent = await asyncio.to_thread(picture.scaled)
        image = await asyncio.to_thread(_image, sent)
        usage, remark, said = Usage(), "", Unusable("")
        for _ in range(2):
            reply = await self._reply(request, sent, image, remark)
            usage = add_usage(usage, reply.usage)
            said = _read(reply, request, sent)
            if isinstance(said, Usable):
                return self._told(said, sent, picture, usage)
            if reply.stop_reason == "refusal":
                break
            remark = bounced(said.message)
        return self._untold(f"The model's answer could not be used: {said.message}", usage)

    async def aclose(self) -> None:
        await self._model.aclose()

    def _told(self, said: Usable, sent: Scaled, picture: Picture, usage: Usage) -> VisionAnswered:
        region = None if said.region is None or said.answer is None else mapped_back(said.region, sent, picture.place)
        return VisionAnswered(
            answer=said.answer,
            confidence=said.confidence,
            region=region,
            reasoning=said.reasoning,
            answered_by=self.name,
            usage=usage,
        )

    def _untold(self, why: str, usage: Usage) -> VisionAnswered:
        return VisionAnswered(answer=None, confidence=0.0, reasoning=why, answered_by=self.name, usage=usage)

    async def _reply(self, request: AskVision, sent: Scaled, image: dict[str, Any], remark: str) -> Answer:
        text = "\n\n".join(part for part in (asked(request, sent), remark) if part)
        system = [{"type": "text", "text": INSTRUCTIONS, "cache_control": {"type": "ephemeral"}}]
        return await self._model.ask(system, [image, {"type": "text", "text": text}], [answer_tool(request)])


def _image(sent: Scaled) -> dict[str, Any]:
    data = base64.b64encode(sent.data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": sent.media_type, "data": data}}


def _read(reply: Answer, request: AskVision, sent: Scaled) -> Usable | Unusable:
    if not reply.calls:
        return Unusable(f"there was no call of the tool (the answer stopped with {reply.stop_reason}).")
    call = reply.calls[0]
    if call.name != "answer":
        return Unusable(f"there is no tool {call.name[:40]!r}.")
    return parsed(call.arguments, request, sent)
