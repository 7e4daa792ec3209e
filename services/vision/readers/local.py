"""The reader without a model: small status icons, by colour, shape and title. It says so, and answers nothing else."""

from __future__ import annotations

import asyncio

from services.vision.deps import Picture
from services.vision.icons import state_words
from services.vision.icons.verdict import Reading, read_icon
from shared.contracts.vision import AskVision, VisionAnswered
from shared.field_types import base_type

NAME = "local"
MOST_HINTS, MOST_HINT_CHARS = 20, 300


class LocalReader:
    name = NAME

    async def answer(self, request: AskVision, picture: Picture) -> VisionAnswered:
        if base_type(request.answer_type) != "string" or not state_words.is_about_states(
            request.question, request.choices
        ):
            return told(None, 0.0, "this needs a model: without one, only the state of a status icon can be told")
        return await asyncio.to_thread(self._read, request, picture)

    async def aclose(self) -> None: ...

    def _read(self, request: AskVision, picture: Picture) -> VisionAnswered:
        grid = picture.grid()
        if grid is None:
            return told(None, 0.0, "this needs a model: the part that is asked about is too large for a status icon")
        hints = [hint[:MOST_HINT_CHARS] for hint in request.hints[:MOST_HINTS]]
        return _worded(request, read_icon(grid, hints), picture)


def _worded(request: AskVision, reading: Reading, picture: Picture) -> VisionAnswered:
    """In the words of the choices, where there are any."""
    if reading.state is None:
        return told(None, 0.0, f"this needs a model: {reading.why}")
    chosen = (
        state_words.choice_for(reading.state, request.choices, reading.phrases) if request.choices else reading.state
    )
    if chosen is None:
        return told(
            None,
            0.0,
            f"this needs a model: the icon shows {reading.state} ({reading.why}), and no single choice says that",
        )
    return VisionAnswered(
        answer=chosen, confidence=reading.confidence, region=picture.place.box, reasoning=reading.why, answered_by=NAME
    )


def told(answer: str | None, confidence: float, why: str) -> VisionAnswered:
    return VisionAnswered(answer=answer, confidence=confidence, reasoning=why, answered_by=NAME)
