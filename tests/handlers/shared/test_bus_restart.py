"""A server that is started again at its port: what was open on the connection before ends at once."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from shared.bus.actor import Actor
from shared.bus.nats_bus import Bus, connect_bus
from shared.bus.serving import serve
from shared.contracts.discovery import PopulationClosed
from shared.contracts.evidence import LoadReply, LoadRun, RunUnknown
from shared.contracts.workflows.library import DeleteWorkflow, WorkflowDeleted
from shared.errors import Unavailable
from shared.host.nats_server import run_server
from shared.streams import EVENTS_STREAM
from shared.subjects import DELETE_WORKFLOW, LOAD_RUN, POPULATION_CLOSED, subject_for
from tests.raising import raises_code
from tests.waiting import until

# A connection that is refused while nats-py reconnects is left by it to the garbage collector, called below.
pytestmark = [pytest.mark.system, pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")]
LONG_S = 60.0
DELETE = DeleteWorkflow(name="w", author="a")


@dataclass
class Desk:
    """The first question of each kind waits for ever; later ones are answered."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    answered: int = 0

    async def answer(self) -> None:
        if self.asked.is_set():
            self.answered += 1
            return
        self.asked.set()
        await asyncio.Event().wait()


actor: Actor[Desk] = Actor("desk")


@actor.answers(LOAD_RUN, deadline_s=LONG_S)
async def load(request: LoadRun, desk: Desk) -> LoadReply:
    await desk.answer()
    return RunUnknown(run_id=request.run_id, message="none")


@actor.answers(DELETE_WORKFLOW, deadline_s=LONG_S)
async def delete(request: DeleteWorkflow, desk: Desk) -> WorkflowDeleted:
    await desk.answer()
    return WorkflowDeleted(existed=True)


class Restartable:
    """A server that may be killed and started again at its port."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._port, self._stack = folder, -1, AsyncExitStack()
        self.url, self._pid = "", 0

    async def start(self) -> None:
        self._stack = AsyncExitStack()
        running = run_server(self._folder, "", port=self._port)
        self.url, self._pid = await self._stack.enter_async_context(running)
        self._port = int(self.url.rpartition(":")[2])

    def signal(self, sign: signal.Signals) -> None:
        os.kill(self._pid, sign)

    async def end(self) -> None:
        await self._stack.aclose()


@asynccontextmanager
async def restartable(folder: Path) -> AsyncGenerator[Restartable]:
    server = Restartable(folder)
    await server.start()
    try:
        yield server
    finally:
        await server.end()
        gc.collect()


@asynccontextmanager
async def connected(url: str, name: str) -> AsyncGenerator[Bus]:
    async with connect_bus(url, name=name) as bus:
        bus.nc.options["reconnect_time_wait"] = 0.05
        yield bus


@asynccontextmanager
async def asked_desk(url: str) -> AsyncGenerator[tuple[Bus, Desk]]:
    desk, stop, ready = Desk(), asyncio.Event(), asyncio.Event()
    async with connected(url, "asker") as bus, connected(url, "desk") as other:
        serving = asyncio.create_task(serve(other, actor, desk, capacity=1, stop=stop, ready=ready))
        await ready.wait()
        try:
            yield bus, desk
        finally:
            stop.set()
            await serving


async def test_an_open_ask_fails_when_the_connection_is_lost(tmp_path: Path):
    """It may have been done: only the caller knows whether to ask again."""
    async with restartable(tmp_path) as server, asked_desk(server.url) as (bus, desk):
        asking = asyncio.create_task(bus.ask(DELETE_WORKFLOW, DELETE, timeout_s=LONG_S))
        await desk.asked.wait()
        server.signal(signal.SIGKILL)
        with raises_code(Unavailable, "bus_lost"):
            await asking
        await server.end()
        await server.start()
        assert desk.answered == 0


async def test_an_open_ask_that_may_be_repeated_is_asked_again(tmp_path: Path):
    async with restartable(tmp_path) as server, asked_desk(server.url) as (bus, desk):
        asking = asyncio.create_task(bus.ask(LOAD_RUN, LoadRun(run_id="r"), timeout_s=LONG_S))
        await desk.asked.wait()
        server.signal(signal.SIGKILL)
        await server.end()
        await server.start()
        assert await asking == RunUnknown(run_id="r", message="none")
        assert desk.answered == 1


async def test_an_open_publish_is_stored_once(tmp_path: Path):
    """The server stands still when it gets the message, so that its answer is lost for certain."""
    message = PopulationClosed(run_id="r", samples=1)
    async with restartable(tmp_path) as server, connected(server.url, "publisher") as bus:
        server.signal(signal.SIGSTOP)
        before = bus.nc.stats["out_msgs"]
        publishing = asyncio.create_task(bus.publish(POPULATION_CLOSED, message))
        await asyncio.to_thread(
            until, lambda: bus.nc.stats["out_msgs"] > before and not bus.nc.pending_data_size, "sent"
        )
        server.signal(signal.SIGKILL)
        await server.end()
        await server.start()
        await publishing
        where = subject_for(POPULATION_CLOSED, message)
        info = await bus.js.stream_info(EVENTS_STREAM.name, subjects_filter=where)
        assert info.state.subjects == {where: 1}
