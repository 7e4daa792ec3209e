"""Starts services in this process: one, some, or all of them.

Services are found by name, so that `shared` imports none of them: `services.<name>.__main__`
has NAME, `actor` and `open_deps(settings, bus)`.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Protocol, cast

from shared.aio import first_completed
from shared.bus.actor import Actor
from shared.bus.nats_bus import Bus, connect_bus
from shared.bus.serving import serve
from shared.errors import Unsupported
from shared.settings import Settings

log = logging.getLogger(__name__)

NAMES = ("evidence", "browser_pool", "vision", "planner", "discovery")
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
    await first_completed(ready.wait(), serving)
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
