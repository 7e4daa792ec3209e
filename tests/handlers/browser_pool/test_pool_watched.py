"""Who looks at a sample at work: its latest session, as many as may, and nobody once it has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.deps import BrowserPoolDeps
from services.browser_pool.handlers import actor
from services.browser_pool.ports import LiveFrame
from services.browser_pool.sessions import Sessions
from services.browser_pool.viewers import MOST_LOOKS, MOST_SESSIONS, Viewers
from shared.contracts.browser.live import NothingNew, PageShown, WatchSample
from shared.contracts.browser_pool import LeaseSession, ReleaseSession, SessionLeased
from shared.errors import RateLimited, TransientError, Unavailable
from shared.subjects import LEASE, RELEASE, WATCH_SAMPLE
from shared.testing.bus import MemoryBus
from tests.handlers.browser_pool.fake_browser import FakeBrowser
from tests.raising import raises_code
from tests.typed import expect

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
ASKED = WatchSample(run_id="run_1", sample_id="S-1", after=4)


@dataclass
class WatchedPool:
    bus: MemoryBus
    browser: FakeBrowser
    deps: BrowserPoolDeps


@pytest.fixture
def pool(tmp_path: Path) -> WatchedPool:
    bus, browser = MemoryBus(), FakeBrowser()
    ids: Callable[[], str] = iter(f"id{n}" for n in range(9)).__next__
    sessions = Sessions(4, browser, bus, lambda: 0.0)
    deps = BrowserPoolDeps(sessions, bus, "pool1", ids, lambda: NOON, bus, LoginFolder(tmp_path / "auth"))
    bus.host(actor, deps)
    return WatchedPool(bus, browser, deps)


async def leased(pool: WatchedPool, sample_id: str = "S-1") -> SessionLeased:
    reply: Any = await pool.bus.ask(LEASE, LeaseSession(run_id="run_1", sample_id=sample_id, ttl_s=100))
    return expect(reply, SessionLeased)


async def test_the_latest_session_of_a_sample_is_seen_until_it_ends(pool: WatchedPool):
    with raises_code(Unavailable, "no_responders"):
        await pool.bus.ask(WATCH_SAMPLE, ASKED)
    first, second = await leased(pool), await leased(pool)
    pool.browser.sessions[1].shown = LiveFrame(0, b"\xff\xd8\xffpicture", 1280, 900, 0, 40, "http://a.test/", NOON, 2)
    seen = expect(await pool.bus.ask(WATCH_SAMPLE, ASKED), PageShown)
    assert (seen.session_id, seen.number, seen.picture) == (second.session_id, 5, b"\xff\xd8\xffpicture")
    assert (seen.width, seen.height, seen.scroll_y, seen.covered) == (1280, 900, 40, 2)
    await pool.bus.ask(RELEASE, ReleaseSession(session_id=second.session_id, instance_id="pool1"))
    again = expect(await pool.bus.ask(WATCH_SAMPLE, ASKED), NothingNew)
    assert again == NothingNew(session_id=first.session_id, why="it draws nothing")
    await pool.bus.ask(RELEASE, ReleaseSession(session_id=first.session_id, instance_id="pool1"))
    with raises_code(Unavailable, "no_responders"):
        await pool.bus.ask(WATCH_SAMPLE, ASKED)


async def test_a_session_is_looked_at_while_it_acts_by_as_many_as_may(pool: WatchedPool):
    session = await leased(pool)
    held = pool.deps.sessions.held[session.session_id]
    gate = pool.browser.sessions[0].gate = asyncio.Event()
    async with held.lock:  # an action is on its way
        looks = [asyncio.create_task(pool.bus.ask(WATCH_SAMPLE, ASKED)) for _ in range(MOST_LOOKS)]
        await pool.browser.sessions[0].started.wait()
        await asyncio.sleep(0)
        with raises_code(TransientError, "rate_limited"):
            await pool.bus.ask(WATCH_SAMPLE, ASKED)
        gate.set()
        assert [type(one) for one in await asyncio.gather(*looks)] == [NothingNew] * MOST_LOOKS
        assert isinstance(await pool.bus.ask(WATCH_SAMPLE, ASKED), NothingNew)


def test_few_sessions_are_drawn_at_a_time():
    viewers = Viewers(lambda: 0.0)
    with viewers.one_more("s1", ""), viewers.one_more("s1", "ann"):
        open_now = [viewers.one_more(f"s{number}", "bob") for number in range(2, MOST_SESSIONS + 1)]
        for one in open_now:
            one.__enter__()
        with raises_code(RateLimited, "rate_limited"), viewers.one_more("one_too_many", "bob"):
            pass
        open_now[0].__exit__(None, None, None)
        with viewers.one_more("another", "bob"):
            pass


async def test_keys_that_are_no_parts_of_a_subject_are_asked_for_by_nobody(pool: WatchedPool):
    await pool.bus.ask(LEASE, LeaseSession(run_id="run.*", sample_id="S>", ttl_s=100))
    assert len(pool.deps.sessions.held) == 1
