"""The reader without a model: the state of small status icons, by colour, shape and words. It answers nothing else."""

from __future__ import annotations

import asyncio

from services.vision.deps import OpenPicture
from services.vision.icons.verdict import (
    IconReading,
    choice_for,
    is_about_states,
    normalized_words,
    read_icon,
    state_of,
)
from shared.contracts.vision import AskVision, VisionAnswered
from shared.field_types import base_type

NAME = "local"
MAX_HINTS, MAX_HINT_CHARS = 20, 300


class LocalReader:
    name = NAME

    async def answer(self, request: AskVision, picture: OpenPicture) -> VisionAnswered:
        in_words = base_type(request.answer_type) in ("string", "enum")
        if not in_words or not is_about_states(request.question, request.choices):
            return _no_answer("this needs a model: without one, only the state of a status icon can be told")
        return await asyncio.to_thread(self._read, request, picture)

    async def aclose(self) -> None: ...

    def _read(self, request: AskVision, picture: OpenPicture) -> VisionAnswered:
        grid = picture.grid()
        if grid is None:
            return _no_answer("this needs a model: the part that is asked about is too large for a status icon")
        hints = [hint[:MAX_HINT_CHARS] for hint in request.hints[:MAX_HINTS] if not _is_name_of_field(hint, request)]
        return _to_answer(request, read_icon(grid, hints), picture)


def _is_name_of_field(hint: str, request: AskVision) -> bool:
    """Return whether a text is what the field is called, not what it is: "Approved" beside a red cross.

    A name for what is bad stays a witness: what a check beside "Failed" says is for a person."""
    same = normalized_words(hint) == normalized_words(request.field or "")
    return same and state_of(hint) == "pass"


def _to_answer(request: AskVision, reading: IconReading, picture: OpenPicture) -> VisionAnswered:
    """Return the state, in the words of the choices when the request has any."""
    if reading.state is None:
        return _no_answer(f"this needs a model: {reading.why}")
    chosen = choice_for(reading.state, request.choices, reading.phrases) if request.choices else reading.state
    if chosen is None:
        return _no_answer(
            f"this needs a model: the icon shows {reading.state} ({reading.why}), and no single choice says that",
        )
    return VisionAnswered(
        answer=chosen, confidence=reading.confidence, region=picture.rect.box, reasoning=reading.why, answered_by=NAME
    )


def _no_answer(reasoning: str) -> VisionAnswered:
    return VisionAnswered(answer=None, confidence=0.0, reasoning=reasoning, answered_by=NAME)
