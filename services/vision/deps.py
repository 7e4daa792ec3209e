"""What vision needs of the world: the bus's blobs, somebody who opens pictures, and somebody who reads them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from services.vision.icons.grid import Grid
from services.vision.questions.regions import Place, Scaled
from shared.bus.ports import Blobs
from shared.contracts.vision import AskVision, VisionAnswered


class Picture(Protocol):
    """The part of a picture that is asked about. Its methods work hard, so they are called in a thread."""

    @property
    def place(self) -> Place:
        """Where in the whole picture that part is."""
        ...

    def grid(self) -> Grid | None:
        """Its pixels, of at most `grid.MOST_PX` a side; None where it is too large to be an icon."""
        ...

    def scaled(self) -> Scaled:
        """Encoded for a model: not too large for its API, and large enough for its eyes."""
        ...


class Reader(Protocol):
    """Who answers. ``name`` is ``local`` or the name of a model."""

    @property
    def name(self) -> str: ...

    async def answer(self, request: AskVision, picture: Picture) -> VisionAnswered:
        """Raises TransientError or PermanentError where nobody can be asked; what cannot be told is an answer."""
        ...

    async def aclose(self) -> None:
        """Lets go of connections."""
        ...


@dataclass
class Deps:
    """``open_picture`` decodes in the caller's thread and raises PermanentError for what is no picture. ``slots``
    bounds how many questions are worked on at a time: each holds a decoded picture."""

    blobs: Blobs
    open_picture: Callable[[AskVision, bytes], Picture]
    reader: Reader
    slots: asyncio.Semaphore
