"""The ports that vision needs: blobs of the bus, a picture decoder, and a reader."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from services.vision.icons.pixels import PixelGrid
from services.vision.regions import PixelRect, ScaledImage
from shared.bus.access.use import BusUse
from shared.bus.ports import Blobs
from shared.contracts.vision import AskVision, VisionAnswered
from shared.streams import ARTIFACTS


class OpenPicture(Protocol):
    """The part of a picture that a question is about. Its methods use much CPU time: call them in a thread."""

    @property
    def rect(self) -> PixelRect:
        """Where this part is in the whole picture."""
        ...

    def grid(self) -> PixelGrid | None:
        """Return the pixels, at most `pixels.MAX_GRID_PX` a side, or None when the part is too large to be an icon."""
        ...

    def scaled(self) -> ScaledImage:
        """Return the part encoded for a model: small enough for its API, large enough to be legible."""
        ...


class PictureReader(Protocol):
    """Answers questions about pictures. ``name`` is ``local`` or the name of a model."""

    @property
    def name(self) -> str: ...

    async def answer(self, request: AskVision, picture: OpenPicture) -> VisionAnswered:
        """Return the answer; ``answer`` is None when the picture does not tell it.

        Raises TransientError or PermanentError when the model cannot be asked.
        """
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


@dataclass
class VisionDeps:
    """What the actor needs.

    ``open_picture`` decodes in the calling thread and raises PermanentError for bytes that are no picture. ``slots``
    limits the questions in progress, because each of them holds a decoded picture.
    """

    blobs: Blobs
    open_picture: Callable[[AskVision, bytes], OpenPicture]
    reader: PictureReader
    slots: asyncio.Semaphore


BUS_USE = BusUse(
    gets=(ARTIFACTS,),
)
"""What the service does on the bus besides what its actor says; its rights follow from it."""
