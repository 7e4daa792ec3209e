"""Serves an actor: its handlers receive asks, events and commands from the bus.

Asks are endpoints of one nats.micro service, so that `nats micro ls` shows the instances and their load. A gated ask is
a plain queue subscription, which is dropped while the service is full; an ask of what a process has now is one for each
thing that it has. Events are followed in order, one at a time;
commands are pulled by `shared.bus.queue_worker`.
"""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import nats.micro
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.micro.request import Request
from nats.micro.service import EndpointConfig, ServiceConfig

from shared.aio import BackgroundTasks, raise_if_cancelled, wait_for_first
from shared.bus.actor import Actor, AskRoute, StoredRoute
from shared.bus.floods import COSTS_AS_AN_ASK_BYTES, MOST_WAIT_S, AskPace
from shared.bus.nats_bus import Bus
from shared.bus.queue_worker import QueueWorker, StoredDelivery, fetch_one
from shared.bus.runner import Runner
from shared.bus.wire import answer_pings, flush, is_ask, respond
from shared.errors import RateLimited, to_failure
from shared.streams import listener
from shared.struct_types import prepare_structs
from shared.subjects import PREFIX, pattern_of

log = logging.getLogger(__name__)

VERSION = "0.1.0"
QUEUE = "exhibit"
LISTEN_S = 0.25
"""How long one fetch waits for an event; a service that stops waits for it to return."""
BUSY = to_failure(
    RateLimited("this connection asks faster than a service answers: ask again later", retry_after_s=MOST_WAIT_S)
)
DRAIN_S = 0.2
"""The same once the service stops: events that are there already are still handled."""


async def serve(
    bus: Bus, actor: Actor[Any], deps: Any, *, capacity: int, stop: asyncio.Event, ready: asyncio.Event
) -> None:
    """Serve ``actor`` until ``stop`` is set; ``ready`` is set once the server routes its asks here.

    At most ``capacity`` commands are handled at a time. After ``stop``, events that are there already are still
    handled; commands that are being handled are cancelled and go back to their queue. A cancellation ends it too,
    without handling more: nats-py waits with `asyncio.wait_for`, which may swallow it, so each loop asks for it again
    (a `TaskGroup` cancels its tasks once only).
    """
    prepare_structs()
    runner = Runner(deps, bus, known=bus.signing.known)
    async with _endpoints(bus, actor, runner), asyncio.TaskGroup() as group:
        gated = [(route, asyncio.Event()) for route in actor.asks.values() if route.gated]
        for route, listening in gated:
            group.create_task(_serve_gated(bus, route, runner, stop, listening))
        for route in (one for one in actor.asks.values() if one.subject.held):
            group.create_task(_serve_held(bus, route, runner, stop))
        if events := {p: r for p, r in actor.stored.items() if p.startswith(f"{PREFIX}.evt.")}:
            group.create_task(_follow_events(bus, actor.name, events, runner, stop))
        for route in (r for p, r in actor.stored.items() if p.startswith(f"{PREFIX}.cmd.")):
            group.create_task(QueueWorker(bus, route, runner, capacity, stop).run())
        for _, listening in gated:
            await wait_for_first(listening.wait(), stop.wait())
        # Before the server has processed the subscriptions, an ask would find no responders.
        await flush(bus.nc)
        raise_if_cancelled()
        ready.set()
        await stop.wait()


# --- asks


@asynccontextmanager
async def _endpoints(bus: Bus, actor: Actor[Any], runner: Runner[Any]) -> AsyncGenerator[None]:
    """Serve every ask that is neither gated nor held within the block; a keyed ask listens for this instance only."""
    config = ServiceConfig(
        name=actor.name,
        version=VERSION,
        metadata={"instance": bus.instance_id},
        queue_group=QUEUE,
        stats_handler=lambda _: dict(bus.uses),
    )
    if any(route.subject.keys and not route.subject.held for route in actor.asks.values()):
        await answer_pings(bus.nc, bus.instance_id)
    service = await nats.micro.add_service(bus.nc, config)
    running, pace = BackgroundTasks(), AskPace()
    for route in (r for r in actor.asks.values() if not r.gated and not r.subject.held):
        name = "-".join(route.subject.pattern.split(".")[3:])
        subject = _subject_here(bus, route)
        take = _ask_taker(route, subject, runner, running, pace)
        handler = partial(_take_request, take)
        await service.add_endpoint(EndpointConfig(name=name, subject=subject, handler=handler))
    try:
        yield
    finally:
        await running.cancel()
        if not bus.nc.is_closed:
            await service.stop()


async def _take_request(take: Callable[[Msg], Awaitable[None]], request: Request) -> None:
    await take(request._msg)  # pyright: ignore[reportPrivateUsage]


def _ask_taker(
    route: AskRoute[Any], subject: str, runner: Runner[Any], running: BackgroundTasks, pace: AskPace
) -> Callable[[Msg], Awaitable[None]]:
    async def take(msg: Msg) -> None:
        delay_s = 0.0
        if route.paced:
            cost = route.paced * (1 + len(msg.data) / COSTS_AS_AN_ASK_BYTES)
            wait_s = pace.delay_s(msg.reply, cost, asyncio.get_running_loop().time())
            if wait_s is None:
                if is_ask(msg, subject):
                    await respond(Request(msg), msg.reply, BUSY)
                return
            delay_s = wait_s
        # One task each: a slow page must not hold up the asks behind it.
        running.start(_answer(route, subject, runner, msg, delay_s))

    return take


async def _answer(route: AskRoute[Any], subject: str, runner: Runner[Any], msg: Msg, delay_s: float = 0.0) -> None:
    if not is_ask(msg, subject):
        log.warning("%s: a message was dropped that is no ask: its subject or its reply is not that of one", subject)
        return
    await asyncio.sleep(delay_s)
    answer = await runner.answer(route, msg.data, msg.headers or {})
    await respond(Request(msg), msg.reply, answer)


async def _serve_gated(
    bus: Bus, route: AskRoute[Any], runner: Runner[Any], stop: asyncio.Event, listening: asyncio.Event
) -> None:
    """Listen while the gate is open; ``listening`` is set once the first subscription is made."""
    gate, subject = bus.gate(route.subject), _subject_here(bus, route)
    running = BackgroundTasks()

    async def on_message(msg: Msg) -> None:
        running.start(_answer(route, subject, runner, msg))

    try:
        while not stop.is_set():
            subscription = await bus.nc.subscribe(subject, queue=QUEUE, cb=on_message)
            listening.set()
            await wait_for_first(gate.wait_closed(), stop.wait())
            # Drained, not dropped: an ask that is on its way here still gets its answer.
            await subscription.drain()
            raise_if_cancelled()
            await wait_for_first(gate.wait_open(), stop.wait())
    finally:
        await running.cancel()


async def _serve_held(bus: Bus, route: AskRoute[Any], runner: Runner[Any], stop: asyncio.Event) -> None:
    """Listen to the asks of what this process has (`Ask.held`), for as long as it has it."""
    seats, running, pace = bus.seats(route.subject), BackgroundTasks(), AskPace()
    listening: dict[str, Subscription] = {}
    try:
        while not stop.is_set():
            taken = seats.read()
            for subject in taken - listening.keys():
                take = _ask_taker(route, subject, runner, running, pace)
                listening[subject] = await bus.nc.subscribe(subject, queue=QUEUE, cb=take)
            for subject in listening.keys() - taken:
                # Drained, not dropped: an ask that is on its way here still gets its answer.
                running.start(listening.pop(subject).drain())
            await wait_for_first(seats.changed.wait(), stop.wait())
    finally:
        await running.cancel()


def _subject_here(bus: Bus, route: AskRoute[Any]) -> str:
    return f"{route.subject.pattern}.{bus.instance_id}" if route.subject.keys else route.subject.pattern


# --- events


async def _follow_events(
    bus: Bus, name: str, routes: Mapping[str, StoredRoute[Any]], runner: Runner[Any], stop: asyncio.Event
) -> None:
    """Handle the events of one service in order, one at a time."""
    consumer = listener(name, tuple(routes))
    await bus.open_queue(consumer)
    subscription = await bus.js.pull_subscribe_bind(consumer=consumer.name, stream=consumer.stream)
    while True:
        messages = await fetch_one(subscription, timeout_s=DRAIN_S if stop.is_set() else LISTEN_S)
        raise_if_cancelled()
        for msg in messages:
            delivery = StoredDelivery(msg)
            await runner.handle(routes[pattern_of(msg.subject)], delivery)
        if stop.is_set() and not messages:
            return
