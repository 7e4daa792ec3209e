"""Pulls commands from work queues, which come and go, and hands them to the runner."""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import nats.errors
import nats.js.errors
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo

from shared.aio import BackgroundTasks, cancel_until_done, raise_if_cancelled, wait_for_first
from shared.bus.actor import StoredRoute
from shared.bus.nats_bus import Bus
from shared.bus.runner import Runner
from shared.bus.verdict import Ack, Nak, Verdict
from shared.subjects import any_of
from shared.telemetry.metrics import QueueDepth, record_queue, record_slots

log = logging.getLogger(__name__)

LOOK_FOR_QUEUES_EVERY_S = 2.0
FETCH_S = 1.0
CONSUMER_DELETED = 409


class StoredDelivery:
    """A JetStream message as the runner sees it."""

    def __init__(self, msg: Msg) -> None:
        self._msg = msg
        self.subject = msg.subject
        self.attempt = msg.metadata.num_delivered
        self.data = msg.data
        self.headers: Mapping[str, str] = msg.headers or {}

    async def acknowledge(self, verdict: Verdict, /) -> None:
        if isinstance(verdict, Ack):
            await self._msg.ack()
        elif isinstance(verdict, Nak):
            await self._msg.nak(delay=verdict.delay_s)
        else:
            await self._msg.term()

    async def in_progress(self) -> None:
        await self._msg.in_progress()


class QueueWorker:
    """Handles the messages of all queues of one command, at most ``capacity`` at a time in this process."""

    def __init__(
        self, bus: Bus, route: StoredRoute[Any], runner: Runner[Any], capacity: int, stop: asyncio.Event
    ) -> None:
        if route.queues is None:
            raise ValueError(f"{route.subject.pattern} is a command, and its route names no queues")
        self._bus, self._route, self._runner, self._stop = bus, route, runner, stop
        self._sources = route.queues
        self._capacity, self._at_work = capacity, 0
        self._slots = asyncio.Semaphore(capacity)
        self._pulling: dict[str, asyncio.Task[None]] = {}
        self._work = BackgroundTasks()
        self._look = asyncio.Event()

    async def run(self) -> None:
        """Pull from every queue of the stream until ``stop`` is set; then cancel what is being handled."""

        async def on_opened(_: Msg) -> None:
            self._look.set()

        subscription = await self._bus.nc.subscribe(any_of(self._sources.opened_by), cb=on_opened)
        try:
            while not self._stop.is_set():
                self._look.clear()
                await self._pull_from_new_queues()
                raise_if_cancelled()
                await wait_for_first(self._look.wait(), self._stop.wait(), timeout_s=LOOK_FOR_QUEUES_EVERY_S)
        finally:
            await cancel_until_done(*self._pulling.values())
            # Once only: a second cancellation could cut off what gives a message and its session back.
            await self._work.cancel()
            if not self._bus.nc.is_closed:
                await subscription.unsubscribe()

    async def _pull_from_new_queues(self) -> None:
        try:
            queues = await self._bus.js.consumers_info(self._sources.stream.name)
        except (TimeoutError, nats.errors.Error) as exc:  # the server restarts: the next look will do
            log.info("queues cannot be listed now: %s", exc)
            return
        record_queue(self._sources.stream.name, depth_of(queues))
        self._record_slots()
        names = {queue.name for queue in queues}
        self._pulling = {name: task for name, task in self._pulling.items() if not task.done()}
        for name in names - set(self._pulling):
            self._pulling[name] = asyncio.create_task(self._pull(name))

    async def _pull(self, consumer: str) -> None:
        """Pull from one queue for as long as it exists."""
        subscription = await self._bus.js.pull_subscribe_bind(consumer=consumer, stream=self._sources.stream.name)
        try:
            while True:
                await self._slots.acquire()
                taken = False
                try:
                    for msg in await fetch_one(subscription, timeout_s=FETCH_S):
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
        self._at_work += 1
        self._record_slots()
        try:
            await self._runner.handle(self._route, StoredDelivery(msg))
        finally:
            self._at_work -= 1
            self._record_slots()
            self._slots.release()

    def _record_slots(self) -> None:
        self._bus.tell_use(self._sources.use, self._at_work, self._capacity)
        record_slots(self._sources.stream.name, self._at_work, self._capacity - self._at_work)


def depth_of(queues: Sequence[ConsumerInfo]) -> QueueDepth:
    """Return what all queues of a stream have together."""
    waiting, at_work = (
        sum(getattr(queue, name) or 0 for queue in queues) for name in ("num_pending", "num_ack_pending")
    )
    return QueueDepth(waiting, at_work, sum(map(_demand_of, queues)))


def _demand_of(queue: ConsumerInfo) -> int:
    there, most = (queue.num_pending or 0) + (queue.num_ack_pending or 0), queue.config.max_ack_pending or 0
    return min(there, most) if most > 0 else there


async def fetch_one(subscription: JetStreamContext.PullSubscription, *, timeout_s: float) -> list[Msg]:
    """Return one message, or none after ``timeout_s``. Raises NotFoundError when the consumer was deleted."""
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
