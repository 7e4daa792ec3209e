"""Vision as a service: settings, adapters, deps."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager

from services.vision.deps import Deps
from services.vision.handlers import actor
from services.vision.pictures import opened
from services.vision.readers.opening import reader_for
from shared.bus.nats_bus import Bus
from shared.settings import Settings

__all__ = ["NAME", "actor", "open_deps"]

NAME = "vision"


@asynccontextmanager
async def open_deps(settings: Settings, bus: Bus) -> AsyncGenerator[Deps]:
    async with aclosing(reader_for(settings)) as reader:
        yield Deps(blobs=bus, open_picture=opened, reader=reader, slots=asyncio.Semaphore(settings.vision_capacity))


if __name__ == "__main__":
    from shared.host.process import main

    main(NAME)
