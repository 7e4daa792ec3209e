"""The actor: one targeted question about one picture, and its answer."""

from __future__ import annotations

import asyncio
import hashlib

from services.vision.deps import Deps, Picture
from services.vision.questions.targeted import refused
from shared.bus.actor import Actor
from shared.contracts.vision import AskVision, VisionAnswered
from shared.errors import InvalidMessage, PermanentError
from shared.streams import ARTIFACTS
from shared.subjects import VISION_ASK

DEADLINE_S = 150.0
MOST_BYTES = 50_000_000

actor: Actor[Deps] = Actor("vision")


@actor.answers(VISION_ASK, deadline_s=DEADLINE_S)
async def answer(request: AskVision, deps: Deps) -> VisionAnswered:
    """What the picture says, or that it cannot be told from it. The picture is the one that was captured, or none."""
    if why := refused(request):
        raise InvalidMessage(why)
    if request.size_bytes > MOST_BYTES:
        raise PermanentError(f"a picture of {request.size_bytes} bytes is too large to look at", code="too_large")
    async with deps.slots:
        data = await deps.blobs.get(ARTIFACTS, request.blob)
        picture = await asyncio.to_thread(_proven, request, data, deps)
        return await deps.reader.answer(request, picture)


def _proven(request: AskVision, data: bytes, deps: Deps) -> Picture:
    """Opened only after it is known to be what was captured."""
    if len(data) != request.size_bytes:
        raise PermanentError(
            f"the picture has {len(data)} bytes, {request.size_bytes} were captured", code="artifact_mismatch"
        )
    if hashlib.sha256(data).hexdigest() != request.sha256:
        raise PermanentError("the picture's SHA-256 is not that of the capture", code="artifact_mismatch")
    return deps.open_picture(request, data)
