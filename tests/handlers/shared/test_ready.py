"""Ready means that the server has the subscription; who is stopped on the way there leaves nothing deaf or undone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from shared.bus.access.contexts import BusContext, find_context, remove_context, write_context
from shared.bus.actor import Actor
from shared.bus.nats_bus import connect_bus
from shared.bus.serving import serve
from shared.contracts.evidence import LoadReply, LoadRun, RunUnknown
from shared.host.services import run_services
from shared.settings import Settings
from shared.streams import ARTIFACTS
from shared.subjects import LOAD_RUN
from tests.typed import expect

PING = b"PING\r\n"


class Held:
    """A way to the server that can keep what a client says, and tells when the client asks whether it arrived."""

    def __init__(self, url: str) -> None:
        self.host, self.port = urlsplit(url).hostname, urlsplit(url).port
        self.open = asyncio.Event()
        self.open.set()
        self.asked = asyncio.Event()
        self.let_pings = 0
        """So many questions whether it arrived are let through, with what was said before them."""

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection(self.host, self.port)
        try:
            with suppress(ConnectionError, ExceptionGroup):
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._said(reader, to_server))
                    group.create_task(self._answered(from_server, writer))
        finally:
            to_server.close()
            writer.close()

    async def _said(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        kept = b""
        while data := await reader.read(65536):
            kept += data
            if not self.open.is_set():
                while self.let_pings and PING in kept:
                    self.let_pings -= 1
                    before, _, kept = kept.partition(PING)
                    writer.write(before + PING)
                if PING not in kept:
                    continue
                self.asked.set()
                await self.open.wait()
            writer.write(kept)
            kept = b""
        writer.close()

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
        writer.close()


@asynccontextmanager
async def held(url: str) -> AsyncGenerator[tuple[Held, str]]:
    way = Held(url)
    server = await asyncio.start_server(way.carry, "127.0.0.1", 0)
    async with server:
        here = f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        context = replace(expect(find_context(url), BusContext), url=here)
        written = write_context(context)
        yield way, here
        remove_context(written, context)


@pytest.mark.parametrize("overtaken", [False, True])
@pytest.mark.parametrize("gated", [False, True])
async def test_an_actor_is_ready_once_the_server_knows_that_it_listens(nats_url, gated: bool, overtaken: bool):
    """``overtaken``: the client sends the question before what it has in its buffer, as nats-py does."""
    actor: Actor[None] = Actor("far-away")

    @actor.answers(LOAD_RUN, gated=gated)
    async def load(request: LoadRun, deps: None) -> LoadReply:
        return RunUnknown(run_id=request.run_id, message="heard")

    stop, ready = asyncio.Event(), asyncio.Event()
    async with (
        connect_bus(nats_url, name="asker") as asker,
        held(nats_url) as (way, url),
        connect_bus(url, name="far-away") as bus,
    ):
        way.open.clear()
        way.let_pings = 2 if overtaken else 0  # the micro service asks first
        serving = asyncio.create_task(serve(bus, actor, None, capacity=1, stop=stop, ready=ready))
        told = [asyncio.create_task(event.wait()) for event in (way.asked, ready)]
        await asyncio.wait(told, return_when=asyncio.FIRST_COMPLETED)
        assert not ready.is_set()
        way.open.set()
        await ready.wait()
        assert (expect(await asker.ask(LOAD_RUN, LoadRun(run_id="r")), RunUnknown)).message == "heard"
        stop.set()
        await asyncio.gather(serving, *told)


async def test_a_service_that_is_stopped_while_it_starts_has_ended_before_what_it_uses(nats_url: str, tmp_path):
    loop, served = asyncio.get_running_loop(), list[asyncio.Task[Any]]()

    async def start() -> None:
        async with run_services(Settings(evidence_dir=tmp_path, state_dir=tmp_path), nats_url, ("vision",)):
            raise AssertionError("it was stopped before")

    def stop_as_it_serves(loop: asyncio.AbstractEventLoop, work: Any, **more: Any) -> Any:
        task = asyncio.Task(work, loop=loop, **more)
        if work.__name__ == "serve":
            served.append(task)
            loop.call_soon(starting.cancel)
        return task

    loop.set_task_factory(stop_as_it_serves)
    starting = asyncio.create_task(start())
    await asyncio.wait([starting])
    loop.set_task_factory(None)
    assert starting.cancelled()
    assert [task.done() for task in served] == [True]


async def test_a_connection_goes_on_after_a_flush_that_was_given_up(nats_url: str):
    async with held(nats_url) as (way, url), connect_bus(url, name="far-away") as bus:
        way.open.clear()
        given_up = asyncio.create_task(bus.nc.flush())
        await way.asked.wait()
        given_up.cancel()
        await asyncio.wait([given_up])
        way.open.set()
        await bus.put(ARTIFACTS, "a", b"heard")
        assert await bus.get(ARTIFACTS, "a") == b"heard"
