"""Runs services: one, some or all in this process, one as a process of its own, or all of them with a NATS server.

Services are found by name, so that `shared` imports none of them: `services.<name>.__main__`
has NAME, BUS_USE, `actor` and `open_deps(settings, bus)`.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import signal
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol, cast

from pydantic import ValidationError

from shared.aio import raise_if_cancelled, wait_for_first
from shared.bus.access.credentials import access_of
from shared.bus.access.rights import BusUser, buckets_of
from shared.bus.access.use import BusUse
from shared.bus.actor import Actor
from shared.bus.nats_bus import Bus, connect_bus
from shared.bus.serving import serve
from shared.bus.signing.choose_keys import keys_of
from shared.bus.signing.service_keys import KeysInMemory, ServiceKeys
from shared.client import Client, connect
from shared.errors import ExhibitError, Unavailable, Unsupported
from shared.health.bus_checks import bus_checks
from shared.health.http_port import open_http_port
from shared.health.readiness import Health, checks_of
from shared.host.nats_server import nats_server
from shared.host.service_names import NAMES
from shared.settings import Settings
from shared.setup.check import SetupCheck
from shared.telemetry.about import work_of_service
from shared.telemetry.exporting import export_telemetry
from shared.telemetry.logs import configure_logs

log = logging.getLogger(__name__)


class ServiceModule(Protocol):
    NAME: str
    BUS_USE: BusUse
    actor: Actor[Any]
    open_deps: Callable[[Settings, Bus], AbstractAsyncContextManager[Any]]


def service_module(name: str) -> ServiceModule:
    if name not in NAMES:
        raise Unsupported(f"there is no service {name!r}; the services are {', '.join(sorted(NAMES))}")
    return cast("ServiceModule", importlib.import_module(f"services.{name}.__main__"))


def service_checks() -> list[SetupCheck]:
    """Return what the services check of a machine, in the order of their start."""
    return [check for name in NAMES for check in getattr(service_module(name), "SETUP_CHECKS", ())]


def service_user(name: str) -> BusUser:
    """Return the user of a service on the bus, as the service declares it."""
    module = service_module(name)
    return BusUser(name=name, use=module.BUS_USE, actor=module.actor)


@asynccontextmanager
async def run_services(
    settings: Settings,
    url: str,
    names: Iterable[str] = NAMES,
    keys: ServiceKeys | None = None,
    health: Health | None = None,
) -> AsyncGenerator[None]:
    """Run the named services within the block. A service that fails cancels the block.

    ``keys``: by which they sign, and believe each other; None: those that all services on the bus have. ``health``: is
    told of each that serves, and of each that stops.
    """
    keys = keys or keys_of(url, access_of(settings))
    health = health or Health((), time.monotonic)
    async with AsyncExitStack() as stack:
        # Whoever makes the streams of a new bus comes first: the others wait for them.
        for name in sorted(names, key=lambda one: not service_user(one).makes_streams):
            await stack.enter_async_context(_run_service(settings, url, name, keys, health))
        yield


@asynccontextmanager
async def _run_service(
    settings: Settings, url: str, name: str, keys: ServiceKeys, health: Health
) -> AsyncGenerator[None]:
    module, user = service_module(name), service_user(name)
    connection = connect_bus(
        url,
        name=name,
        access=access_of(settings),
        streams=buckets_of(user),
        makes_streams=user.makes_streams,
        replicas=settings.nats_replicas,
        signing=keys.signing_of(user),
    )
    stop, ready = asyncio.Event(), asyncio.Event()
    async with AsyncExitStack() as stack:
        with work_of_service(name):  # so that the tasks of the service say whose they are
            bus = await stack.enter_async_context(connection)
            deps = await stack.enter_async_context(module.open_deps(settings, bus))
            serving = asyncio.create_task(
                serve(bus, module.actor, deps, capacity=settings.planner_capacity, stop=stop, ready=ready), name=name
            )
        serving.add_done_callback(_cancel_on_failure(name, stop, asyncio.current_task()))
        try:
            await _wait_until_ready(ready, serving)
            own = checks_of(getattr(module, "READY_WHEN", ()), deps)
            health.serves(name, (*bus_checks(bus, user), *own))
            yield
        finally:
            health.stops(name)
            stop.set()
            if not ready.is_set():  # it is stopped while it starts
                serving.cancel()
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
        configure_logs(settings.log_level, settings.log_format)
        scraped = settings.http_port is not None
        with export_telemetry(name, settings.trace_file, settings.otlp_endpoint, scraped=scraped):
            asyncio.run(serve_until_stopped(settings, (name,)))
    except (ExhibitError, ValidationError) as exc:
        print(f"exhibit: {exc}", file=sys.stderr)
        raise SystemExit(3) from exc


async def serve_until_stopped(
    settings: Settings, names: tuple[str, ...], on_ready: Callable[[], None] = lambda: None
) -> None:
    """Serve ``names`` on the bus of the settings until a signal; call ``on_ready`` once all of them listen.

    Raises Unavailable when the settings name no bus, and when the HTTP port cannot be had.
    """
    if settings.nats_url is None:
        raise Unavailable(
            "no bus: set EXHIBIT_NATS_URL, for instance to nats://127.0.0.1:4222 (`exhibit up` prints its own)",
            code="no_bus",
        )
    async with AsyncExitStack() as stack:
        health = Health(names, time.monotonic)
        if settings.http_port is not None:  # before the services, so that a slow start is no death
            await stack.enter_async_context(open_http_port(settings.http_host, settings.http_port, health))
        await stack.enter_async_context(run_services(settings, settings.nats_url, names, health=health))
        raise_if_cancelled()  # a signal that came while the services started
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

    The streams are deleted afterwards: what a run needs to be resumed is in its evidence folder. So are the keys by
    which the services sign, which are in no file. The client tells only what they have signed.
    """
    keys = KeysInMemory()
    with tempfile.TemporaryDirectory(prefix="exhibit-streams-") as store:
        async with (
            nats_server(Path(store)) as url,
            run_services(settings, url, names, keys),
            connect(url, known=keys) as client,
        ):
            yield client
