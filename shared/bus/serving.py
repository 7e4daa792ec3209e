"""Connects an actor's handlers to the bus: endpoints for asks, pullers for what is stored.

Asks are endpoints of one nats.micro service, so that `nats micro ls` shows who is there and how
busy. A gated ask is a plain queue subscription, which can be dropped while the service is full.
"""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import nats.errors
import nats.js.errors
import nats.micro
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.micro.request import Request
from nats.micro.service import EndpointConfig, ServiceConfig

from shared.aio import BackgroundTasks, cancel_until_done, first_completed
from shared.bus.actor import Actor, AskRoute, StoredRoute
from shared.bus.arriving import arrived
from shared.bus.nats_bus import Bus
from shared.bus.runner import Runner
from shared.bus.verdict import Ack, Nak, Verdict
from shared.bus.wire import respond
from shared.streams import SAMPLES, listener
from shared.subjects import PREFIX, RUN_STARTED

log = logging.getLogger(__name__)

VERSION = "0.1.0"
QUEUE = "exhibit"
LOOK_FOR_QUEUES_EVERY_S = 2.0
FETCH_S = 1.0
LISTEN_S = 0.25
"""How long one look for events takes where none come: who stops waits for it, and a command ought to end at once."""
DRAIN_S = 0.2


class StoredDelivery:
    """A JetStream message as the runner sees it."""

    def __init__(self, msg: Msg) -> None:
        self._msg = msg
        self.subject = msg.subject
        self.attempt = msg.metadata.num_delivered
        self.data = msg.data
        self.headers: Mapping[str, str] = msg.headers or {}

    async def settle(self, verdict: Verdict, /) -> None:
        if isinstance(verdict, Ack):
            await self._msg.ack()
        elif isinstance(verdict, Nak):
            await self._msg.nak(delay=verdict.delay_s)
        else:
            await self._msg.term()

    async def in_progress(self) -> None:
        await self._msg.in_progress()


async def serve(
    bus: Bus, actor: Actor[Any], deps: Any, *, capacity: int, stop: asyncio.Event, ready: asyncio.Event
) -> None:
    """Serves ``actor`` until ``stop`` is set; ``ready`` is set once its asks are listened to.

    ``capacity`` bounds how many commands are worked on at a time. After ``stop``, events that are
    already there are still handled, commands in hand are cancelled and go back to their queue.
    """
    runner = Runner(deps, bus)
    async with _endpoints(bus, actor, runner), asyncio.TaskGroup() as group:
        gated = [(route, asyncio.Event()) for route in actor.asks.values() if route.gated]
        for route, listening in gated:
            group.create_task(_gated(bus, route, runner, stop, listening))
        if events := {p: r for p, r in actor.stored.items() if p.startswith(f"{PREFIX}.evt.")}:
            group.create_task(_follow(bus, actor.name, events, runner, stop))
        for route in (r for p, r in actor.stored.items() if p.startswith(f"{PREFIX}.cmd.")):
            group.create_task(QueueWorker(bus, route, runner, capacity, stop).work())
        for _, listening in gated:
            await first_completed(listening.wait(), stop.wait())
        # Listening begins where the server has heard of it: who is told before that asks nobody.
        await arrived(bus.nc)
        ready.set()
        await stop.wait()


# --- asks


@asynccontextmanager
async def _endpoints(bus: Bus, actor: Actor[Any], runner: Runner[Any]) -> AsyncGenerator[None]:
    """The micro service with every ask that is not gated; keyed asks listen for this instance only."""
    config = ServiceConfig(name=actor.name, version=VERSION, metadata={"instance": bus.instance_id}, queue_group=QUEUE)
    service = await nats.micro.add_service(bus.nc, config)
    running = BackgroundTasks()
    for route in (r for r in actor.asks.values() if not r.gated):
        name = "-".join(route.subject.pattern.split(".")[3:])
        handler = _ask_handler(route, runner, running)
        await service.add_endpoint(EndpointConfig(name=name, subject=_listens_to(bus, route), handler=handler))
    try:
        yield
    finally:
        await running.cancel()
        if not bus.nc.is_closed:
            await service.stop()


def _ask_handler(route: AskRoute[Any], runner: Runner[Any], running: BackgroundTasks) -> Any:
    async def handle(request: Request) -> None:
        # One task each: a slow page must not hold up the asks behind it.
        running.start(_answer(route, runner, request._msg))  # pyright: ignore[reportPrivateUsage]

    return handle


async def _answer(route: AskRoute[Any], runner: Runner[Any], msg: Msg) -> None:
    answer = await runner.answer(route, msg.data, msg.headers or {})
    await respond(Request(msg), msg.reply, answer)


async def _gated(
    bus: Bus, route: AskRoute[Any], runner: Runner[Any], stop: asyncio.Event, listening: asyncio.Event
) -> None:
    """Listens while the gate is open; ``listening`` is set once it has been."""
    gate = bus.gate(route.subject)
    running = BackgroundTasks()

    async def on_message(msg: Msg) -> None:
        running.start(_answer(route, runner, msg))

    try:
        while not stop.is_set():
            subscription = await bus.nc.subscribe(_listens_to(bus, route), queue=QUEUE, cb=on_message)
            listening.set()
            await first_completed(gate.wait_closed(), stop.wait())
            # Drained, not dropped: an ask that is on its way here still gets its answer.
            await subscription.drain()
            await first_completed(gate.wait_open(), stop.wait())
    finally:
        await running.cancel()


def _listens_to(bus: Bus, route: AskRoute[Any]) -> str:
    return f"{route.subject.pattern}.{bus.instance_id}" if route.subject.keys else route.subject.pattern


# --- events


async def _follow(
    bus: Bus, name: str, routes: Mapping[str, StoredRoute[Any]], runner: Runner[Any], stop: asyncio.Event
) -> None:
    """Handles the events of one service in order, one at a time."""
    consumer = listener(name, tuple(routes))
    await bus.open_queue(consumer)
    subscription = await bus.js.pull_subscribe_bind(consumer=consumer.name, stream=consumer.stream)
    while True:
        messages = await _fetch(subscription, timeout_s=DRAIN_S if stop.is_set() else LISTEN_S)
        for msg in messages:
            delivery = StoredDelivery(msg)
            await runner.handle(routes[".".join(msg.subject.split(".")[:6])], delivery)
        if stop.is_set() and not messages:
            return


# --- commands


class QueueWorker:
    """Works on the samples of every open run, at most ``capacity`` at a time in this process."""

    def __init__(
        self, bus: Bus, route: StoredRoute[Any], runner: Runner[Any], capacity: int, stop: asyncio.Event
    ) -> None:
        self._bus, self._route, self._runner, self._stop = bus, route, runner, stop
        self._slots = asyncio.Semaphore(capacity)
        self._queues: dict[str, asyncio.Task[None]] = {}
        self._work = BackgroundTasks()
        self._look = asyncio.Event()

    async def work(self) -> None:
        async def on_run(_: Msg) -> None:
            self._look.set()

        subscription = await self._bus.nc.subscribe(f"{RUN_STARTED.pattern}.*", cb=on_run)
        try:
            while not self._stop.is_set():
                self._look.clear()
                await self._pull_from_new_queues()
                await first_completed(self._look.wait(), self._stop.wait(), timeout_s=LOOK_FOR_QUEUES_EVERY_S)
        finally:
            await cancel_until_done(*self._queues.values())
            # Once only: a second cancellation could cut off what gives a sample and its session back.
            await self._work.cancel()
            if not self._bus.nc.is_closed:
                await subscription.unsubscribe()

    async def _pull_from_new_queues(self) -> None:
        try:
            names = {info.name for info in await self._bus.js.consumers_info(SAMPLES.name)}
        except (TimeoutError, nats.errors.Error) as exc:  # the server restarts: the next look will do
            log.info("queues cannot be listed now: %s", exc)
            return
        self._queues = {name: task for name, task in self._queues.items() if not task.done()}
        for name in names - set(self._queues):
            self._queues[name] = asyncio.create_task(self._pull(name))

    async def _pull(self, consumer: str) -> None:
        """Pulls from one run's queue for as long as it exists."""
        subscription = await self._bus.js.pull_subscribe_bind(consumer=consumer, stream=SAMPLES.name)
        try:
            while True:
                await self._slots.acquire()
                taken = False
                try:
                    for msg in await _fetch(subscription, timeout_s=FETCH_S):
                        taken = True
                        self._work.start(self._handle(msg))
                finally:
                    if not taken:
                        self._slots.release()
        except nats.js.errors.NotFoundError:
            return
        finally:
            if not self._bus.nc.is_closed:
                await subscription.unsubscribe()

    async def _handle(self, msg: Msg) -> None:
        try:
            await self._runner.handle(self._route, StoredDelivery(msg))
        finally:
            self._slots.release()


async def _fetch(subscription: JetStreamContext.PullSubscription, *, timeout_s: float) -> list[Msg]:
    """One message, or none where none comes within ``timeout_s``. A deleted consumer is a NotFoundError."""
    try:
        return await subscription.fetch(1, timeout=timeout_s)
    except TimeoutError:  # nats-py raises its own, or the built-in one that it extends
        return []
    except nats.js.errors.ServiceUnavailableError:  # the server restarts
        await asyncio.sleep(timeout_s)
        return []
    except nats.js.errors.APIError as exc:
        if exc.code == CONSUMER_DELETED:
            raise nats.js.errors.NotFoundError from exc
        raise


CONSUMER_DELETED = 409
