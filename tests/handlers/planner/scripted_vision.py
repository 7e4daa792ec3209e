"""A vision service that gives one fixed answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from shared.bus.actor import Actor
from shared.contracts.base import Usage
from shared.contracts.vision import AskVision, VisionAnswered
from shared.subjects import VISION_ASK
from tests.handlers.planner.planner_bench import Bench


@dataclass
class Eye:
    answer: VisionAnswered | Exception
    asked: list[AskVision] = field(default_factory=list)


vision: Actor[Eye] = Actor("vision")


@vision.answers(VISION_ASK)
async def answer(request: AskVision, deps: Eye) -> VisionAnswered:
    deps.asked.append(request)
    if isinstance(deps.answer, Exception):
        raise deps.answer
    return deps.answer


def eye_of(one: Bench, answer: VisionAnswered | Exception) -> Eye:
    """Host a vision service with this answer."""
    eye = Eye(answer)
    one.bus.host(vision, eye)
    return eye


def seen(said: str | None) -> VisionAnswered:
    usage = Usage(llm_calls=1, input_tokens=500, output_tokens=20, cost_usd=0.002)
    return VisionAnswered(answer=said, confidence=0.9, reasoning="A red cross.", answered_by="eye", usage=usage)
