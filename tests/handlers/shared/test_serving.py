"""Work queues on a real nats-server: shared by processes, bounded per run, returned when a worker stops."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from nats.js import JetStreamContext

from shared.aio import cancel_until_done
from shared.bus.actor import Actor
from shared.bus.nats_bus import Bus, connect_bus
from shared.bus.serving import serve
from shared.bus.signing.service_keys import KeysInMemory
from shared.contracts.discovery import PopulationClosed, Sample
from shared.contracts.planner import SampleFinished, WorkSample
from shared.errors import PermanentError, Unavailable
from shared.host.services import service_user
from shared.streams import EVENTS_STREAM, SAMPLE_QUEUES, SAMPLES, samples_of
from shared.subjects import POPULATION_CLOSED, SAMPLE_FINISHED, WORK_SAMPLE
from tests.waiting import until_asked

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@dataclass
class Desk:
    """What the workers of one test share."""

    worked: list[tuple[str, int]] = field(default_factory=list)
    now: int = 0
    most: int = 0
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    hold: asyncio.Event = field(default_factory=asyncio.Event)

    async def note(self, sample_id: str, attempt: int, by: int) -> None:
        async with self.changed:
            if by > 0:
                self.worked.append((sample_id, attempt))
            self.now += by
            self.most = max(self.most, self.now)
            self.changed.notify_all()

    async def until(self, condition) -> None:
        async with self.changed:
            await asyncio.wait_for(self.changed.wait_for(condition), 60)


def planner() -> Actor[Desk]:
    actor: Actor[Desk] = Actor("planner")

    def give_up(message, deps, attempt, error):
        return result(message, attempt, "failed")

    @actor.handles(WORK_SAMPLE, queues=SAMPLE_QUEUES, emits=SAMPLE_FINISHED, max_attempts=2, give_up=give_up)
    async def work(message: WorkSample, desk: Desk, attempt: int) -> SampleFinished:
        await desk.note(message.sample_id, attempt, 1)
        try:
            await desk.hold.wait()
        finally:
            await desk.note(message.sample_id, attempt, -1)
        if message.sample_id == "bad":
            raise PermanentError("it is bad")
        return result(message, attempt, "done")

    return actor


def result(message: WorkSample, attempt: int, status) -> SampleFinished:
    return SampleFinished(
        run_id=message.run_id,
        sample_id=message.sample_id,
        attempt=attempt,
        status=status,
        sample=message.sample,
        started_at=NOON,
        finished_at=NOON,
    )


@asynccontextmanager
async def worker(url: str, desk: Desk, capacity: int) -> AsyncGenerator[None]:
    stop, ready = asyncio.Event(), asyncio.Event()
    async with connect_bus(url, name="planner") as bus:
        task = asyncio.create_task(serve(bus, planner(), desk, capacity=capacity, stop=stop, ready=ready))
        await ready.wait()
        try:
            yield
        finally:
            stop.set()
            await task


async def queue(bus: Bus, names: list[str], concurrency: int, ack_wait_s: float = 30.0) -> str:
    run_id = f"run_{uuid.uuid4().hex[:8]}"
    await bus.open_queue(replace(samples_of(run_id, concurrency), ack_wait_s=ack_wait_s))
    for name in names:
        sample = Sample(sample_id=name, key=name, row=1)
        await bus.publish(WORK_SAMPLE, WorkSample(run_id=run_id, sample_id=name, sample=sample))
    return run_id


async def finished_samples(bus: Bus, run_id: str) -> dict[str, int]:
    info = await bus.js.stream_info(EVENTS_STREAM.name, subjects_filter=f"{SAMPLE_FINISHED.pattern}.{run_id}.*")
    return {subject.split(".")[-1]: count for subject, count in (info.state.subjects or {}).items()}


async def pending(bus: Bus, run_id: str) -> int | None:
    return (await bus.js.consumer_info(SAMPLES.name, f"samples_{run_id}_0")).num_pending


async def until_empty(bus: Bus, run_id: str) -> None:
    async def is_empty() -> bool:
        return not (await bus.js.consumer_info(SAMPLES.name, f"samples_{run_id}_0")).num_ack_pending

    await until_asked(is_empty, "everything is acknowledged")
    await bus.close_queue(samples_of(run_id, 1))


async def test_two_processes_share_a_run_and_never_exceed_its_concurrency(nats_url):
    desk, names = Desk(), [f"s{n}" for n in range(12)]
    async with connect_bus(nats_url, name="test") as bus:
        run_id = await queue(bus, names, concurrency=3)
        async with worker(nats_url, desk, 8), worker(nats_url, desk, 8):
            await desk.until(lambda: desk.now == 3)
            desk.hold.set()
            await desk.until(lambda: len(desk.worked) == 12 and desk.now == 0)
            await until_empty(bus, run_id)
        assert sorted(desk.worked) == sorted((name, 1) for name in names)
        assert desk.most == 3
        assert await finished_samples(bus, run_id) == dict.fromkeys(names, 1)


async def test_a_worker_that_is_stopped_gives_its_sample_back_at_once(nats_url):
    desk = Desk()
    async with connect_bus(nats_url, name="test") as bus:
        run_id = await queue(bus, ["s"], concurrency=1)
        async with worker(nats_url, desk, 1):
            await desk.until(lambda: desk.now == 1)
        desk.hold.set()
        async with worker(nats_url, desk, 1):
            await desk.until(lambda: desk.worked == [("s", 1), ("s", 2)] and desk.now == 0)
            await until_empty(bus, run_id)
        assert await finished_samples(bus, run_id) == {"s": 1}


async def test_a_sample_that_cannot_be_worked_on_is_still_accounted_for(nats_url):
    desk = Desk()
    desk.hold.set()
    async with connect_bus(nats_url, name="test") as bus:
        run_id = await queue(bus, ["bad", "good"], concurrency=2)
        async with worker(nats_url, desk, 2):
            await desk.until(lambda: len(desk.worked) == 2 and desk.now == 0)
            await until_empty(bus, run_id)
        assert await finished_samples(bus, run_id) == {"bad": 1, "good": 1}
        letters = await bus.js.get_msg(
            "DLQ", subject=f"exhibit.v1.dlq.cmd.planner.sample.work.{run_id}.bad", seq=1, next=True
        )
        assert isinstance(letters.headers, dict)
        assert "it is bad" in letters.headers["Exhibit-Failure"]


async def test_a_queue_that_is_closed_takes_its_samples_along(nats_url):
    async with connect_bus(nats_url, name="test") as bus:
        run_id = await queue(bus, ["a", "b"], concurrency=1)
        other = await queue(bus, ["c"], concurrency=1)
        await bus.close_queue(samples_of(run_id, 1))
        await bus.close_queue(samples_of(run_id, 1))
        await bus.open_queue(samples_of(run_id, 1))
        assert await pending(bus, run_id) == 0
        assert await pending(bus, other) == 1
        await bus.close_queue(samples_of(run_id, 1))
        await bus.close_queue(samples_of(other, 1))


async def test_events_are_handled_in_order_even_when_one_has_to_be_tried_again(nats_url):
    run_id, heard, over = f"run_{uuid.uuid4().hex[:8]}", [], asyncio.Event()
    actor: Actor[None] = Actor(f"listener_{run_id}")

    @actor.handles(POPULATION_CLOSED, max_attempts=None)
    async def closed(message: PopulationClosed, deps: None, attempt: int) -> None:
        if message.run_id != run_id:
            return
        heard.append((message.attempt_base, attempt))
        if (message.attempt_base, attempt) == (1, 1):
            raise Unavailable("not yet", retry_after_s=0.05)
        if message.attempt_base == 3:
            over.set()

    stop, ready = asyncio.Event(), asyncio.Event()
    # The key of a service that may send it; the listener believes it.
    signing = KeysInMemory().signing_of(service_user("discovery"))
    async with connect_bus(nats_url, name="listener", signing=signing) as bus:
        for base in (1, 2, 3):
            await bus.publish(POPULATION_CLOSED, PopulationClosed(run_id=run_id, samples=1, attempt_base=base))
        task = asyncio.create_task(serve(bus, actor, None, capacity=1, stop=stop, ready=ready))
        await asyncio.wait_for(over.wait(), 60)
        stop.set()
        await task
    assert heard == [(1, 1), (1, 2), (2, 1), (3, 1)]


@pytest.mark.parametrize("fetches", ["events", "commands"])
async def test_a_cancellation_that_a_wait_of_nats_py_swallows_still_ends_a_service(
    nats_url, monkeypatch: pytest.MonkeyPatch, fetches: str
):
    """`asyncio.wait_for` of Python 3.11 does so where its result comes at the same moment."""
    waiting, swallowed, stop = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def swallow(answer: Any) -> Any:
        waiting.set()
        try:
            await (asyncio.sleep(0) if swallowed.is_set() else asyncio.Event().wait())
        except asyncio.CancelledError:
            swallowed.set()
        return answer

    if fetches == "events":
        monkeypatch.setattr(JetStreamContext.PullSubscription, "fetch", lambda *_, **__: swallow([]))
    else:
        monkeypatch.setattr(JetStreamContext, "consumers_info", lambda *_, **__: swallow([]))
    follower: Actor[None] = Actor("evidence")

    @follower.handles(SAMPLE_FINISHED)
    async def follow(message: SampleFinished, deps: None, attempt: int) -> None:
        raise AssertionError(message)

    async with connect_bus(nats_url, name="test") as bus:
        one = follower if fetches == "events" else planner()
        serving = asyncio.create_task(serve(bus, one, Desk(), capacity=1, stop=stop, ready=asyncio.Event()))
        await waiting.wait()
        serving.cancel()
        await swallowed.wait()
        await asyncio.wait([serving], timeout=60)
        has_ended = serving.done()
        stop.set()
        await cancel_until_done(serving)
        assert has_ended
        assert serving.cancelled()
