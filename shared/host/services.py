"""Runs services: one, some or all in this process, one as a process of its own, or all of them with a NATS server.

Services are found by name, so that `shared` imports none of them: `services.<name>.__main__`
has NAME, `actor` and `open_deps(settings, bus)`.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol, cast

from pydantic import ValidationError

from shared.aio import wait_for_first
from shared.bus.actor import Actor
from shared.bus.nats_bus import Bus, connect_bus
from shared.bus.serving import serve
from shared.client import Client, connect
from shared.errors import ExhibitError, Unavailable, Unsupported
from shared.host.nats_server import nats_server
from shared.settings import Settings
from shared.telemetry.logs import configure_logs
from shared.telemetry.tracing import export_traces

log = logging.getLogger(__name__)

NAMES = ("evidence", "browser_pool", "workflows", "vision", "planner", "discovery")
"""In the order of their start; they stop in reverse, so that evidence still files what was captured."""


class ServiceModule(Protocol):
    NAME: str
    actor: Actor[Any]
    open_deps: Callable[[Settings, Bus], AbstractAsyncContextManager[Any]]


def service_module(name: str) -> ServiceModule:
    if name not in NAMES:
        raise Unsupported(f"there is no service {name!r}; the services are {', '.join(sorted(NAMES))}")
    return cast("ServiceModule", importlib.import_module(f"services.{name}.__main__"))


@asynccontextmanager
async def run_services(settings: Settings, url: str, names: Iterable[str] = NAMES) -> AsyncGenerator[None]:
    """Run the named services within the block. A service that fails cancels the block."""
    async with AsyncExitStack() as stack:
        for name in names:
            await stack.enter_async_context(_run_service(settings, url, name))
        yield


@asynccontextmanager
async def _run_service(settings: Settings, url: str, name: str) -> AsyncGenerator[None]:
    module = service_module(name)
    stop, ready = asyncio.Event(), asyncio.Event()
    async with connect_bus(url, name=name) as bus, module.open_deps(settings, bus) as deps:
        serving = asyncio.create_task(
            serve(bus, module.actor, deps, capacity=settings.planner_capacity, stop=stop, ready=ready), name=name
        )
        serving.add_done_callback(_cancel_on_failure(name, stop, asyncio.current_task()))
        await _wait_until_ready(ready, serving)
        try:
            yield
        finally:
            stop.set()
            await asyncio.gather(serving, return_exceptions=True)


async def _wait_until_ready(ready: asyncio.Event, serving: asyncio.Task[None]) -> None:
    """Return once the service listens; raise what it failed with before that."""
    await wait_for_first(ready.wait(), serving)
    if serving.done():
        await serving


def _cancel_on_failure(
    name: str, stop: asyncio.Event, owner: asyncio.Task[Any] | None
) -> Callable[[asyncio.Task[None]], None]:
    """Return a callback that cancels ``owner`` when the service ends before it is stopped."""

    def check(task: asyncio.Task[None]) -> None:
        if stop.is_set() or task.cancelled():
            return
        log.error("service %s ended", name, exc_info=task.exception())
        if owner is not None:
            owner.cancel(f"service {name} ended")

    return check


def main(name: str) -> None:
    """Serve until SIGINT or SIGTERM. Exits with 3 when the bus cannot be reached or the service cannot start."""
    try:
        settings = Settings()
        configure_logs(settings.log_level)
        with export_traces(name, settings.trace_file):
            asyncio.run(serve_until_stopped(settings, (name,)))
    except (ExhibitError, ValidationError) as exc:
        print(f"exhibit: {exc}", file=sys.stderr)
        raise SystemExit(3) from exc


async def serve_until_stopped(
    settings: Settings, names: tuple[str, ...], on_ready: Callable[[], None] = lambda: None
) -> None:
    """Serve ``names`` on the bus of the settings until a signal; call ``on_ready`` once all of them listen.

    Raises Unavailable when the settings name no bus.
    """
    if settings.nats_url is None:
        raise Unavailable(
            "no bus: set EXHIBIT_NATS_URL, for instance to nats://127.0.0.1:4222 (`exhibit up` prints its own)",
            code="no_bus",
        )
    async with run_services(settings, settings.nats_url, names):
        on_ready()
        await wait_for_stop_signal()


async def wait_for_stop_signal() -> None:
    """Return at the first SIGINT or SIGTERM. Further ones have no effect, so that the shutdown is not cut off."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, stop.set)
    await stop.wait()


@asynccontextmanager
async def run_embedded(settings: Settings, names: Iterable[str] = NAMES) -> AsyncGenerator[Client]:
    """Run a server and all services, or those named, within the block; yield a client.

    The streams are deleted afterwards: what a run needs to be resumed is in its evidence folder.
    """
    with tempfile.TemporaryDirectory(prefix="exhibit-streams-") as store:
        async with (
            nats_server(Path(store)) as url,
            run_services(settings, url, names),
            connect(url) as client,
        ):
            yield client
