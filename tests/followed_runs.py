"""Tells the events of runs as evidence does, on a bus where no service runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from services.evidence.read_api.events import read_followed
from shared.aio import cancel_until_done
from shared.bus.actor import Actor
from shared.bus.nats_bus import Bus, connect_bus
from shared.bus.serving import serve
from shared.contracts.sessions.events import FollowRun, RunFollowed
from shared.subjects import FOLLOW_RUN


def answer_follow_run(actor: Actor[Bus]) -> None:
    """Have an actor whose deps are the bus answer as evidence does."""

    @actor.answers(FOLLOW_RUN)
    async def follow_run(request: FollowRun, bus: Bus) -> RunFollowed:
        return await read_followed(bus, request)


@asynccontextmanager
async def runs_followed(url: str) -> AsyncGenerator[None]:
    """Answer within the block."""
    actor: Actor[Bus] = Actor("evidence")
    answer_follow_run(actor)
    stop, ready = asyncio.Event(), asyncio.Event()
    async with connect_bus(url, name="evidence") as bus:
        serving = asyncio.create_task(serve(bus, actor, bus, capacity=1, stop=stop, ready=ready))
        await ready.wait()
        try:
            yield
        finally:
            await cancel_until_done(serving)
