"""The service that files decisions is started when the first one is made, where the console has no bus."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from services.console.commands.web import opened_on_demand
from shared.client import Client
from shared.errors import Unavailable
from shared.testing.bus import MemoryBus


class Opened:
    """Counts what was opened and closed, and by which task. ``refused``: how often it cannot be opened."""

    def __init__(self, refused: int = 0) -> None:
        self.begun, self.ended, self.refused = 0, 0, refused
        self.bus = MemoryBus()

    @asynccontextmanager
    async def __call__(self) -> AsyncGenerator[Client]:
        if self.refused:
            self.refused -= 1
            raise Unavailable("the folder is held")
        task = asyncio.current_task()
        self.begun += 1
        yield Client(cast("Any", self.bus))
        assert asyncio.current_task() is task
        self.ended += 1


async def test_who_only_looks_opens_nothing():
    opened = Opened()
    async with opened_on_demand(opened):
        pass
    assert (opened.begun, opened.ended) == (0, 0)


async def test_it_is_opened_once_and_closed_with_the_block():
    opened = Opened()
    async with opened_on_demand(opened) as writer:
        assert await asyncio.gather(writer(), writer()) == [opened.bus, opened.bus]
        assert (opened.begun, opened.ended) == (1, 0)
    assert (opened.begun, opened.ended) == (1, 1)


async def test_who_asks_is_told_that_it_cannot_be_opened_and_the_next_one_tries_again():
    opened = Opened(refused=1)
    async with opened_on_demand(opened) as writer:
        with pytest.raises(Unavailable, match="held"):
            await writer()
        assert await writer() is opened.bus
    assert (opened.begun, opened.ended) == (1, 1)
