"""The vision service: builds its dependencies from the settings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager

from services.vision.deps import BUS_USE, PictureReader, VisionDeps
from services.vision.handlers import actor
from services.vision.pictures import open_picture
from services.vision.readers.local import LocalReader
from shared.bus.nats_bus import Bus
from shared.settings import Settings

__all__ = ["BUS_USE", "NAME", "actor", "open_deps"]

NAME = "vision"


@asynccontextmanager
async def open_deps(settings: Settings, bus: Bus) -> AsyncGenerator[VisionDeps]:
    async with aclosing(open_reader(settings)) as reader:
        slots = asyncio.Semaphore(settings.vision_capacity)
        yield VisionDeps(blobs=bus, open_picture=open_picture, reader=reader, slots=slots)


def open_reader(settings: Settings) -> PictureReader:
    """Return the model's reader when a key is set, else the local reader."""
    if settings.anthropic_api_key is None:
        return LocalReader()
    from services.vision.readers.anthropic import AnthropicReader  # loading the SDK takes a second

    return AnthropicReader(settings)


if __name__ == "__main__":
    from shared.host.services import main

    main(NAME)
