"""A request for a run counts once, whoever takes it up again, and after a crash between any two writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from services.discovery.deps import DiscoveryDeps
from services.discovery.handlers import actor, start_submission, submit_run
from services.discovery.submissions import Submission, finish_submissions
from shared.aio import cancel_until_done, wait_for_first
from shared.bus.actor import Actor
from shared.bus.nats_bus import Bus, connect_bus
from shared.bus.serving import serve
from shared.client import connect
from shared.contracts.discovery import (
    PopulationClosed,
    RunAccepted,
    RunStarted,
    SampleFound,
    SubmitRun,
)
from shared.contracts.evidence import LoadReply, LoadRun, RunLoaded, RunUnknown
from shared.contracts.planner import WorkSample
from shared.streams import INBOX, SUBMISSIONS, samples_of
from shared.subjects import LOAD_RUN, WORK_SAMPLE, message_id
from shared.testing.bus import MemoryBus
from tests.followed_runs import answer_follow_run
from tests.handlers.discovery.discovery_bench import (
    ROWS,
    SPEC,
    deps_on,
    ended,
    evidence,
    knowing_nothing,
    loaded,
    nothing_started,
    where,
)
from tests.typed import expect

REQUEST = SubmitRun(spec=SPEC, samples=ROWS, concurrency=2, request_id="q-1")
LIST_SPEC = {
    "task_id": "list",
    "goal": "list",
    "phase": "discovery",
    "start_url": "http://x/list",
    "output_schema": {"number": "string", "url": "string"},
}


class Killed(BaseException):
    """The process is gone: no handler sees it."""


class DyingBus(MemoryBus):
    """Dies at its write of number ``dies_at``, before or after it is stored; None: lives."""

    def __init__(self) -> None:
        super().__init__()
        self.dies_at: int | None = None
        self.stores_it = False
        self.writes = 0

    async def _write(self, writing):
        self.writes += 1
        dies = self.writes - 1 == self.dies_at
        if dies and not self.stores_it:
            writing.close()
            raise Killed
        result = await writing
        if dies:
            raise Killed
        return result

    async def publish(self, subject, message):
        await self._write(super().publish(subject, message))

    async def create(self, bucket, key, value):
        return await self._write(super().create(bucket, key, value))

    async def modify(self, bucket, key, type_, change):
        return await self._write(super().modify(bucket, key, type_, change))

    async def open_queue(self, consumer):
        await self._write(super().open_queue(consumer))


def resumable(**changes: Any) -> RunLoaded:
    return loaded(("done", 1), ("failed", 1), (None, 1), **changes)


REQUESTS = {
    "rows": REQUEST,
    "search": SubmitRun(spec=SPEC, discovery=LIST_SPEC, request_id="q-2"),
    "resumed": SubmitRun(resume_run_id="run_1", request_id="q-3"),
}


def present() -> datetime:
    return datetime.now(UTC)  # clock: two processes compare it


def new_bus(kind: str) -> DyingBus:
    bus = DyingBus()
    if kind == "resumed":
        bus.host(evidence(resumable()), None)
    else:
        knowing_nothing(bus)
    return bus


def told(bus: MemoryBus) -> set[bytes]:
    return {msgspec.json.encode((subject, message)) for subject, message in bus.published}


@pytest.mark.parametrize("stores_it", [False, True])
@pytest.mark.parametrize("kind", REQUESTS)
async def test_a_request_whose_discovery_is_killed_between_any_two_writes_is_finished_by_the_next(kind, stores_it):
    whole = new_bus(kind)
    reply = await submit_run(REQUESTS[kind], deps_on(whole))
    assert isinstance(reply, RunAccepted), reply
    for dies_at in range(whole.writes):
        bus = new_bus(kind)
        bus.dies_at, bus.stores_it = dies_at, stores_it
        with pytest.raises(Killed):
            await submit_run(REQUESTS[kind], deps_on(bus))
        await finish_submissions(start_submission, deps_on(bus))
        again = expect(await submit_run(REQUESTS[kind], deps_on(bus)), RunAccepted)
        if dies_at == 0 and not stores_it:
            assert again == reply
            continue
        # A record of a run that nothing was published of may be left, and then the run has the next name.
        assert told(bus) == {one.replace(reply.run_id.encode(), again.run_id.encode()) for one in told(whole)}
        assert [queue.name for queue in bus.queues.values()] == [
            queue.name.replace(reply.run_id, again.run_id) for queue in whole.queues.values()
        ]


async def test_a_request_that_is_sent_again_gets_the_reply_of_the_first():
    bus = knowing_nothing(MemoryBus())
    first = await submit_run(REQUEST, deps_on(bus))
    published = len(bus.published)
    assert await submit_run(REQUEST, deps_on(bus)) == first
    assert len(bus.published) == published


async def test_two_processes_with_one_request_start_one_run():
    bus = knowing_nothing(MemoryBus())
    replies = await asyncio.gather(*(submit_run(REQUEST, deps_on(bus)) for _ in range(5)))
    assert len({expect(reply, RunAccepted).run_id for reply in replies}) == 1
    assert len(bus.events(RunStarted)) == len(bus.events(PopulationClosed)) == 1
    assert len(bus.events(SampleFound)) == len(bus.events(WorkSample)) == 2


async def test_work_that_was_done_meanwhile_is_not_queued_again():
    """The stream has forgotten what it has seen, and the sample was worked on."""
    bus = knowing_nothing(MemoryBus())
    first = expect(await submit_run(REQUEST, deps_on(bus)), RunAccepted)
    work = bus.events(WorkSample)[0]
    undone = Submission(request=REQUEST, run_id=first.run_id)
    await bus.modify(SUBMISSIONS, REQUEST.request_id, Submission, lambda _: undone)
    await bus.create(INBOX, message_id(WORK_SAMPLE, work), True)
    bus.published.clear()
    bus._ids.clear()
    await finish_submissions(start_submission, deps_on(bus))
    assert [one.sample_id for one in bus.events(WorkSample)] == ["T-2"]


async def test_a_run_that_has_ended_meanwhile_is_left_alone():
    bus = MemoryBus()
    bus.host(evidence(resumable(finished=ended(1), attempt_base=1)), None)
    request = REQUESTS["resumed"]
    begun = Submission(request=request, run_id="run_1", attempt_base=1, replaces=0)
    await bus.create(SUBMISSIONS, request.request_id, begun)
    await finish_submissions(start_submission, deps_on(bus))
    assert nothing_started(bus)


@pytest.mark.parametrize("request_id", ["a b", "x" * 65, "../x", "$KV.*"])
async def test_a_request_id_that_is_no_key_is_a_problem(request_id):
    bus = knowing_nothing(MemoryBus())
    assert where(await submit_run(msgspec.structs.replace(REQUEST, request_id=request_id), deps_on(bus))) == [
        "request_id"
    ]
    assert nothing_started(bus)


# --- on a real server


class StandingBus:
    """Stands still before it queues the first sample."""

    def __init__(self, bus: Bus) -> None:
        self._bus, self.standing = bus, asyncio.Event()

    async def publish(self, subject, message) -> None:
        if subject is WORK_SAMPLE:
            self.standing.set()
            await asyncio.Event().wait()
        await self._bus.publish(subject, message)


@asynccontextmanager
async def served(url: str, name: str, actor: Actor[Any], deps_of: Callable[[Bus], Any]) -> AsyncGenerator[None]:
    stop, ready = asyncio.Event(), asyncio.Event()
    async with connect_bus(url, name=name) as bus:
        serving = asyncio.create_task(serve(bus, actor, deps_of(bus), capacity=1, stop=stop, ready=ready))
        await ready.wait()
        try:
            yield
        finally:
            await cancel_until_done(serving)


async def test_a_client_whose_discovery_dies_gets_its_run_from_the_next(nats_url, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shared.client.run_client.SUBMIT_AGAIN_S", 0.5)
    standing: list[StandingBus] = []

    def stuck(bus: Bus) -> DiscoveryDeps:
        standing.append(StandingBus(bus))
        return deps_on(bus, publishes=standing[0], now=present)

    knowing: Actor[Bus] = Actor("evidence")
    answer_follow_run(knowing)

    @knowing.answers(LOAD_RUN)
    async def load(request: LoadRun, bus: Bus) -> LoadReply:
        return RunUnknown(run_id="", message="no such run")

    async with served(nats_url, "evidence", knowing, lambda bus: bus), connect(nats_url) as client:
        async with served(nats_url, "discovery", actor, stuck):
            submitting = asyncio.create_task(client.submit(SPEC, rows=ROWS))
            await wait_for_first(standing[0].standing.wait(), submitting)
            assert not submitting.done()
        async with served(nats_url, "discovery", actor, lambda bus: deps_on(bus, now=present)):
            accepted = await submitting
        async with aclosing(client.watch(accepted.run_id)) as events:
            seen = [type(await anext(events)) for _ in range(4)]
        assert seen == [RunStarted, SampleFound, SampleFound, PopulationClosed]
        queue = samples_of(accepted.run_id, 1)
        assert (await client.bus.js.consumer_info(queue.stream, queue.name)).num_pending == 2
        await client.bus.close_queue(queue)
