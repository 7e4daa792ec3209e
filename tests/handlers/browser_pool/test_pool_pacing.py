"""Pools that share their pacing: in memory with a test clock, and on a real nats-server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import pytest
import pytest_asyncio

from services.browser_pool.adapters.guard.pacing import Pacing, SessionPace
from services.browser_pool.safety.politeness import PaceLimits
from shared.bus.nats_bus import connect_bus
from shared.bus.ports import RecordT
from shared.streams import SITE_PACE, Bucket
from shared.testing.bus import MemoryBus
from tests.waiting import until_asked

NOON = 1_900_000_000.0
SITE, OTHER = "http://a.site.example/x", "http://other.example/"


@dataclass
class Clock:
    """Time that passes only while somebody waits for it."""

    now_s: float = NOON
    waits: list[float] = field(default_factory=list)
    waited: asyncio.Event = field(default_factory=asyncio.Event)

    async def sleep(self, pause_s: float) -> None:
        self.waits.append(pause_s)
        self.waited.set()
        self.now_s += pause_s
        await asyncio.sleep(0)


class CountingBus(MemoryBus):
    """Counts what is asked of the bus's records."""

    asked = 0

    async def read(self, bucket: Bucket, key: str, type_: type[RecordT]) -> RecordT | None:
        self.asked += 1
        return await super().read(bucket, key, type_)

    async def modify(
        self, bucket: Bucket, key: str, type_: type[RecordT], change: Callable[[RecordT | None], RecordT | None]
    ) -> RecordT | None:
        self.asked += 1
        return await super().modify(bucket, key, type_, change)


@dataclass
class Two:
    """Two pools on one bus."""

    clock: Clock
    bus: CountingBus
    pools: list[Pacing]

    def session(self, pool: int, limits: PaceLimits | None = None, name: str = "s") -> SessionPace:
        return SessionPace(self.pools[pool], limits or PaceLimits(), f"{name}{pool}")


@pytest.fixture
async def two() -> Two:
    clock, bus = Clock(), CountingBus()
    pools = [Pacing(bus, lambda: clock.now_s, clock.sleep) for _ in range(2)]
    for pool in pools:
        await pool.start()
    return Two(clock, bus, pools)


async def test_an_interval_holds_over_both_pools_and_delays_no_other_domain(two: Two) -> None:
    limits = PaceLimits(interval_s=2.0)
    first, second = two.session(0, limits), two.session(1, limits)
    waited = [(await session.admit(SITE)).waited_s for session in (first, second, first)]
    assert waited == [0.0, 2.0, 2.0]
    assert (await second.admit(OTHER)).waited_s == 0.0
    assert (await first.admit("http://b.site.example/y")).waited_s == 2.0, "it is the same registrable domain"


async def test_where_nothing_is_limited_nothing_is_asked_of_the_bus(two: Two) -> None:
    session = two.session(0)
    await session.admit(SITE)
    asked = two.bus.asked
    for _ in range(10):
        assert (await session.admit(SITE)).ok
        session.record_answer(SITE, 200)
    await two.pools[0].drain()
    assert (two.bus.asked, two.clock.waits) == (asked, [])


@pytest.mark.parametrize(("status", "header", "wait_s"), [(429, "7", 7.0), (503, None, 1.0), (503, "soon", 1.0)])
async def test_what_one_pool_is_told_the_other_keeps_to(
    two: Two, status: int, header: str | None, wait_s: float
) -> None:
    first, second = two.session(0), two.session(1)
    await first.admit(SITE)
    first.record_answer(SITE, status, header)
    await two.pools[0].drain()
    assert (await second.admit(SITE)).waited_s == wait_s
    assert (await second.admit(OTHER)).waited_s == 0.0


async def test_after_a_pause_one_document_goes_first_and_its_answer_lets_the_others_go(two: Two) -> None:
    first, second = two.session(0), two.session(1)
    await first.admit(SITE)
    first.record_answer(SITE, 503)
    assert (await first.admit(SITE)).ok
    others = asyncio.ensure_future(second.admit(SITE))
    for _ in range(20):
        await asyncio.sleep(0)
    assert not others.done()
    first.record_answer(SITE, 200)
    assert (await others).ok
    await two.pools[0].drain()
    asked = two.bus.asked
    assert (await first.admit(SITE)).ok
    assert two.bus.asked == asked


async def test_a_pause_that_is_too_long_to_wait_for_is_said_at_once(two: Two) -> None:
    session = two.session(0)
    session.record_answer(SITE, 429, "3600")
    refused = await session.admit(SITE)
    assert not refused.ok
    assert "site.example asked to be left alone" in refused.reason
    assert two.clock.waits == []


async def test_no_more_are_on_their_way_than_may_be_over_both_pools(two: Two) -> None:
    limits = PaceLimits(max_in_flight=1)
    first, second = two.session(0, limits), two.session(1, limits)
    await first.admit(SITE)
    waiting = asyncio.ensure_future(second.admit(SITE))
    for _ in range(20):
        await asyncio.sleep(0)
    assert not waiting.done()
    first.record_answer(SITE, 200)
    assert (await waiting).ok


@pytest.mark.parametrize("end", ["session", "request", "pool"])
async def test_what_never_came_back_holds_no_place_for_ever(two: Two, end: str) -> None:
    limits = PaceLimits(max_in_flight=1)
    first, second = two.session(0, limits), two.session(1, limits)
    await first.admit(SITE)
    if end == "session":
        first.end()
    elif end == "request":
        first.record_answer(SITE, None)
    assert (await second.admit(SITE)).ok


async def test_whoever_is_cancelled_while_he_waits_gives_his_place_back(two: Two) -> None:
    limits = PaceLimits(interval_s=5.0, max_in_flight=2)
    session = two.session(0, limits)
    await session.admit(SITE)
    two.clock.waited.clear()
    waiting = asyncio.ensure_future(two.session(1, limits).admit(SITE))
    await two.clock.waited.wait()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await two.pools[1].drain()
    session.record_answer(SITE, 200)
    await two.pools[0].drain()
    pace = await two.bus.read(SITE_PACE, "site.example", _Any)
    assert isinstance(pace, dict)
    assert pace["slots"] == []


_Any: type = dict


async def test_a_line_that_is_too_long_is_said_and_not_made_longer(two: Two) -> None:
    limits = PaceLimits(interval_s=60.0)
    first = two.session(0, limits)
    await first.admit(SITE)
    two.clock.now_s = NOON
    await two.session(1, limits).admit(SITE)
    two.clock.now_s = NOON
    refused = [await two.session(1, limits).admit(SITE) for _ in range(2)]
    assert [one.ok for one in refused] == [False, False]
    assert "fewer samples at a time" in refused[0].reason
    two.clock.now_s = NOON + 60
    assert (await first.admit(SITE)).waited_s == 60.0


async def test_the_document_of_an_address_is_paid_for_once(two: Two) -> None:
    session = two.session(0, PaceLimits(interval_s=2.0))
    assert (await session.admit(SITE, ahead=True)).waited_s == 0.0
    assert (await session.admit(SITE)).waited_s == 0.0, "the same document, asked for by the browser"
    assert (await session.admit(SITE)).waited_s == 2.0, "a redirect within the domain"


# --- on a real server

Start = Callable[[], Awaitable[Pacing]]


@pytest_asyncio.fixture
async def start(nats_url: str) -> AsyncIterator[Start]:
    async with AsyncExitStack() as stack:
        clock = Clock()

        async def pool() -> Pacing:
            bus = await stack.enter_async_context(connect_bus(nats_url, name="browser_pool"))
            pacing = Pacing(bus, lambda: clock.now_s, clock.sleep)
            await pacing.start()
            stack.push_async_callback(pacing.drain)
            return pacing

        yield pool


async def test_real_pools_never_let_two_documents_go_at_once(start: Start) -> None:
    limits = PaceLimits(interval_s=0.25)
    sessions = [SessionPace(await start(), limits, f"s{number}") for number in range(3)]
    admitted = await asyncio.gather(*(session.admit("http://busy.example/") for session in sessions * 10))
    assert all(one.ok for one in admitted)
    pacing = sessions[0]._pacing
    assert pacing._records is not None
    pace = await pacing._records.read(SITE_PACE, "busy.example", _Any)
    assert isinstance(pace, dict)
    assert pace["next_at"] == NOON + 30 * 0.25, "each of the 30 took a moment of its own"


async def test_real_pools_hear_of_a_pause(start: Start) -> None:
    first, second = [SessionPace(await start(), PaceLimits(), f"s{number}") for number in range(2)]
    assert (await second.admit("http://told.example/")).ok
    first.record_answer("http://told.example/", 429, "30")
    await first._pacing.drain()

    async def waited_s() -> float:
        return (await second.admit("http://told.example/")).waited_s

    assert await until_asked(waited_s, "the other pool hears of it") == 30.0


async def test_a_turn_that_comes_during_a_pause_is_given_back():
    clock = Clock()
    told: list[float] = []

    async def sleep(pause_s: float) -> None:
        await clock.sleep(pause_s)
        if pause_s and not told:
            told.append(clock.now_s)
            pacing.record_answer("site.example", "", 429, "9")

    pacing = Pacing(MemoryBus(), lambda: clock.now_s, sleep)
    pace = SessionPace(pacing, PaceLimits(interval_s=2.0), "one")
    assert (await pace.admit(SITE)).ok
    assert (await pace.admit(SITE)).ok
    assert told == [NOON + 2]
    assert clock.now_s >= NOON + 11
