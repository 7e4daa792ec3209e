"""The suite of the bus, on a real nats-server and in memory."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import msgspec
import pytest
import pytest_asyncio
from bus_suite import BusSuite

from shared.actor.bus import connect
from shared.actor.serving import serve
from shared.contracts.discovery import PopulationClosed
from shared.errors import Unavailable
from shared.streams import EVENTS_STREAM
from shared.subjects import POPULATION_CLOSED
from shared.testing.bus import MemoryBus


class TestRealBus(BusSuite):
    @pytest_asyncio.fixture
    async def served(self, nats_url):
        async with AsyncExitStack() as stack:
            stop = asyncio.Event()
            tasks = []

            async def start(actor, deps):
                bus = await stack.enter_async_context(connect(nats_url, name=actor.name))
                ready = asyncio.Event()
                tasks.append(asyncio.create_task(serve(bus, actor, deps, capacity=1, stop=stop, ready=ready)))
                await ready.wait()
                await bus.nc.flush()
                return bus

            yield start
            stop.set()
            await asyncio.gather(*tasks)

    @pytest.fixture
    def published(self):
        async def read(bus, run_id):
            subject = f"{POPULATION_CLOSED.pattern}.{run_id}"
            info = await bus.js.stream_info(EVENTS_STREAM.name, subjects_filter=subject)
            last = await bus.js.get_msg(EVENTS_STREAM.name, subject=subject, seq=1, next=True)
            assert info.state.subjects == {subject: 1}
            return [msgspec.json.decode(last.data, type=PopulationClosed)]

        return read


class TestMemoryBus(BusSuite):
    @pytest.fixture
    def served(self):
        async def start(actor, deps):
            bus = MemoryBus()
            bus.host(actor, deps)
            return bus

        return start

    @pytest.fixture
    def published(self):
        async def read(bus, run_id):
            return bus.events(PopulationClosed)

        return read


async def test_no_server_is_said_with_its_address_and_what_to_do():
    with pytest.raises(Unavailable, match=r"no NATS server answers at nats://127\.0\.0\.1:1.*JetStream"):
        async with connect("nats://127.0.0.1:1", name="lost"):
            pass
