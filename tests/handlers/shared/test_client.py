"""The client's watch, on a real nats-server."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any

from shared.client import connect
from shared.contracts.base import Failure
from shared.contracts.discovery import PopulationClosed
from shared.contracts.evidence import RunFinished
from shared.contracts.sessions.events import FollowedEvent
from shared.errors import from_failure
from shared.subjects import POPULATION_CLOSED, RUN_FINISHED, ends_of_run
from tests.followed_runs import runs_followed
from tests.typed import expect


def closed(run_id: str, base: int) -> PopulationClosed:
    return PopulationClosed(run_id=run_id, samples=1, attempt_base=base)


def finished(run_id: str, base: int) -> RunFinished:
    at = datetime(2026, 11, 29, tzinfo=UTC)
    return RunFinished(
        run_id=run_id, attempt_base=base, samples=0, outcomes=(), location="", table="", llm_calls=0, cost_usd=0.0,
        started_at=at, finished_at=at,
    )  # fmt: skip


async def test_a_watch_misses_nothing_and_repeats_nothing_while_evidence_is_away(nats_url):
    run_id = f"run_{uuid.uuid4().hex[:8]}"
    async with connect(nats_url) as client, aclosing(client.watch(run_id)) as events:
        async with runs_followed(nats_url):
            for base in (1, 2):
                await client.bus.publish(POPULATION_CLOSED, closed(run_id, base))
            seen = [await anext(events), await anext(events)]
        for base in (3, 4):
            await client.bus.publish(POPULATION_CLOSED, closed(run_id, base))
        async with runs_followed(nats_url):
            seen += [await anext(events), await anext(events)]
    assert seen == [closed(run_id, base) for base in (1, 2, 3, 4)]


async def test_a_watch_goes_on_where_evidence_says_that_the_bus_is_slow(nats_url, monkeypatch):
    run_id, failures = f"run_{uuid.uuid4().hex[:8]}", [from_failure(Failure(code="bus_slow", message="x", retry=True))]
    async with runs_followed(nats_url), connect(nats_url) as client, aclosing(client.watch(run_id)) as events:
        ask = client.bus.ask

        async def slow_at_first(*args: Any, **more: Any) -> Any:
            if failures:
                raise failures.pop()
            return await ask(*args, **more)

        monkeypatch.setattr(client.bus, "ask", slow_at_first)
        await client.bus.publish(POPULATION_CLOSED, closed(run_id, 1))
        assert await anext(events) == closed(run_id, 1)
    assert failures == []


async def test_a_long_run_is_told_page_by_page(nats_url):
    run_id = f"run_{uuid.uuid4().hex[:8]}"
    async with runs_followed(nats_url), connect(nats_url) as client:
        await asyncio.gather(*(client.bus.publish(POPULATION_CLOSED, closed(run_id, base)) for base in range(1100)))
        async with aclosing(client.watch(run_id)) as events:
            seen = [expect(await anext(events), PopulationClosed).attempt_base for _ in range(1100)]
    assert sorted(seen) == list(range(1100))


async def test_who_waits_for_the_end_of_a_run_has_nothing_else_read(nats_url, monkeypatch):
    run_id, told = f"run_{uuid.uuid4().hex[:8]}", list[FollowedEvent]()
    async with runs_followed(nats_url), connect(nats_url) as client:
        ask = client.bus.ask

        async def noted(*args: Any, **more: Any) -> Any:
            reply = await ask(*args, **more)
            told.extend(reply.events)
            return reply

        monkeypatch.setattr(client.bus, "ask", noted)
        for base in range(5):
            await client.bus.publish(POPULATION_CLOSED, closed(run_id, base))
        waiting = asyncio.create_task(client.result(run_id, attempt_base=1))
        for base in (0, 1):
            await client.bus.publish(RUN_FINISHED, finished(run_id, base))
        assert await waiting == finished(run_id, 1)
    assert {one.subject for one in told} == set(ends_of_run(run_id))


async def test_of_two_runs_whose_names_begin_alike_only_the_one_is_watched(nats_url):
    run_id = f"run_{uuid.uuid4().hex[:8]}"
    async with (
        runs_followed(nats_url),
        connect(nats_url) as client,
        aclosing(client.watch(run_id)) as events,
    ):
        await client.bus.publish(POPULATION_CLOSED, closed(f"{run_id}_2", 1))
        await client.bus.publish(POPULATION_CLOSED, closed(run_id, 1))
        assert await anext(events) == closed(run_id, 1)


async def test_a_watch_ends_when_it_is_cancelled_whatever_arrives_at_that_moment(nats_url):
    """Python 3.11 forgets a cancellation that meets a message; a run whose Ctrl-C is lost goes on."""
    async with runs_followed(nats_url), connect(nats_url) as client:
        for turns in range(30):
            run_id = f"run_{uuid.uuid4().hex[:8]}"
            heard = asyncio.Event()

            async def watch(run_id: str = run_id, heard: asyncio.Event = heard) -> None:
                async with aclosing(client.watch(run_id)) as events:
                    async for _ in events:
                        heard.set()

            watching = asyncio.create_task(watch())
            await asyncio.gather(
                *(client.bus.publish(POPULATION_CLOSED, closed(run_id, base)) for base in range(1, 9)), heard.wait()
            )
            publishing = asyncio.gather(
                *(client.bus.publish(POPULATION_CLOSED, closed(run_id, base)) for base in range(11, 19))
            )
            for _ in range(turns):
                await asyncio.sleep(0)
            watching.cancel()
            await publishing
            await asyncio.wait({watching}, timeout=60)
            assert watching.cancelled(), turns
