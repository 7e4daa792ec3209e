"""Whether the bus of a service is there, with the streams, buckets and queues that the service has to do with.

Nothing is created, and only what the service may look at is looked at (`shared.bus.access.rights`).
"""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator

import nats.js.errors

from shared.bus.access.rights import BusUser, buckets_of, follows_events
from shared.bus.nats_bus import Bus
from shared.health.readiness import BoundCheck, NotReady
from shared.streams import EVENTS_STREAM


def bus_checks(bus: Bus, user: BusUser) -> tuple[BoundCheck, ...]:
    async def check_connection() -> None:
        if not bus.nc.is_connected:
            raise NotReady("there is no connection to the bus")

    async def check_streams() -> None:
        await check_connection()  # else each question would wait for its own time
        try:
            await asyncio.gather(*_looks(bus, user))
        except nats.js.errors.NotFoundError as exc:
            raise NotReady("a stream, a bucket or a queue is missing on the bus") from exc

    return BoundCheck("bus", check_connection), BoundCheck("streams", check_streams)


def _looks(bus: Bus, user: BusUser) -> Iterator[Awaitable[object]]:
    yield from (bus.js.stream_info(name) for name in sorted(buckets_of(user)))
    if user.actor is None:
        return
    queues = {route.queues.stream.name for route in user.actor.stored.values() if route.queues is not None}
    yield from (bus.js.consumers_info(name) for name in sorted(queues))
    if follows_events(user.actor):
        yield bus.js.consumer_info(EVENTS_STREAM.name, user.actor.name)
