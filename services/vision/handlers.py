"""The actor: answers one targeted question about one picture."""

from __future__ import annotations

import asyncio
import hashlib

from services.vision.deps import OpenPicture, VisionDeps
from services.vision.questions import find_question_problem
from shared.bus.actor import Actor
from shared.contracts.vision import AskVision, VisionAnswered
from shared.errors import InvalidMessage, PermanentError
from shared.streams import ARTIFACTS
from shared.subjects import VISION_ASK

DEADLINE_S = 150.0
MAX_BYTES = 50_000_000

actor: Actor[VisionDeps] = Actor("vision")


@actor.answers(VISION_ASK, deadline_s=DEADLINE_S)
async def answer_question(request: AskVision, deps: VisionDeps) -> VisionAnswered:
    """Return the reader's answer about exactly the picture that was captured.

    Raises InvalidMessage for a question that is not targeted, PermanentError for a picture that is missing, too large,
    or not the captured one.
    """
    if problem := find_question_problem(request):
        raise InvalidMessage(problem)
    if request.size_bytes > MAX_BYTES:
        raise PermanentError(f"a picture of {request.size_bytes} bytes is too large to look at", code="too_large")
    async with deps.slots:
        data = await deps.blobs.get(ARTIFACTS, request.blob)
        picture = await asyncio.to_thread(_open_verified, request, data, deps)
        return await deps.reader.answer(request, picture)


def _open_verified(request: AskVision, data: bytes, deps: VisionDeps) -> OpenPicture:
    """Check size and SHA-256 before anything is decoded."""
    if len(data) != request.size_bytes:
        raise PermanentError(
            f"the picture has {len(data)} bytes, {request.size_bytes} were captured", code="artifact_mismatch"
        )
    if hashlib.sha256(data).hexdigest() != request.sha256:
        raise PermanentError("the picture's SHA-256 is not that of the capture", code="artifact_mismatch")
    return deps.open_picture(request, data)
