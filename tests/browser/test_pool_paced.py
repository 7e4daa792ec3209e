"""Pacing of real documents, for every kind of navigation; a site that asks for a pause gets it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest_asyncio

from services.browser_pool.adapters.browser.chromium import Chromium
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.adapters.guard.pacing import Pacing
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.ports import SessionTerms
from shared.contracts.actions import ByText, Click, Goto
from shared.contracts.browser_pool import Politeness
from shared.settings import Settings
from shared.testing.bus import MemoryBus
from tests.browser.conftest import LIMITS
from tests.browser.site import Site


class Clock:
    """Time that passes only while somebody waits for it."""

    def __init__(self) -> None:
        self.now_s = 1_900_000_000.0
        self.waits: list[float] = []
        self.meanwhile: Callable[[], object] = lambda: None

    async def sleep(self, pause_s: float) -> None:
        self.waits += [round(pause_s, 3)] if pause_s else []
        self.now_s += pause_s
        self.meanwhile()
        await asyncio.sleep(0)


Pool = Callable[[], Awaitable[Chromium]]


@pytest_asyncio.fixture
async def clock() -> Clock:
    return Clock()


@pytest_asyncio.fixture(loop_scope="session")
async def pool(tmp_path: Path, clock: Clock) -> AsyncIterator[Pool]:
    bus, made = MemoryBus(), []

    async def start() -> Chromium:
        pacing = Pacing(bus, lambda: clock.now_s, clock.sleep)
        await pacing.start()
        made.append(Chromium(chromium=Settings().chromium, logins=LoginFolder(tmp_path), limits=LIMITS, pacing=pacing))
        return made[-1]

    yield start
    for browser in made:
        await browser.close()


async def opened(pool: Chromium, site: Site, **polite: float) -> PageSession:
    host = site.url.removeprefix("http://")
    polite_ = Politeness(**polite)  # type: ignore[arg-type]
    return await pool.open_session(SessionTerms(allowed_hosts=(host,), private_hosts=(host,), politeness=polite_))


async def test_addresses_and_clicks_wait_for_their_turn_and_pools_share_it(
    pool: Pool, clock: Clock, site: Site
) -> None:
    site.add("/next", "<p>there</p>")
    url = site.add("/paced", "<a href='/next'>On</a>")
    first, second = [await opened(await pool(), site, interval_s=5.0) for _ in range(2)]
    await first.act(Goto(url=url))
    assert clock.waits == []
    await second.act(Goto(url=url))
    assert clock.waits == [5.0]
    on = await first.act(Click(target=ByText(text="On")))
    assert on.result.change.url_after == f"{site.url}/next"
    assert clock.waits == [5.0, 5.0]


async def test_a_page_that_says_when_to_come_back_is_asked_again_then(pool: Pool, clock: Clock, site: Site) -> None:
    url = site.add("/busy", "slow down", status=429, headers={"retry-after": "7"})
    clock.meanwhile = lambda: site.add("/busy", "<h1>Ticket</h1>")
    session = await opened(await pool(), site)
    result = (await session.act(Goto(url=url))).result
    assert (result.ok, result.change.http_status, clock.waits) == (True, 200, [7.0])
    assert "HTTP 429 before" in result.message


async def test_one_that_says_no_time_is_asked_later_and_later_and_then_told(
    pool: Pool, clock: Clock, site: Site
) -> None:
    session = await opened(await pool(), site)
    result = (await session.act(Goto(url=site.add("/many", "slow down", status=429)))).result
    assert (result.code, result.change.http_status, clock.waits) == ("http_error", 429, [1.0, 2.0, 4.0])


async def test_one_that_goes_on_being_busy_is_told_and_left_alone_by_all(pool: Pool, clock: Clock, site: Site) -> None:
    url = site.add("/down", "no", status=503)
    first, second = [await opened(await pool(), site) for _ in range(2)]
    result = (await first.act(Goto(url=url))).result
    assert (result.code, result.change.http_status, clock.waits) == ("http_error", 503, [])
    await second.act(Goto(url=site.add("/well", "<p>x</p>")))
    assert clock.waits == [1.0]
    site.add("/down", "<p>x</p>")
    assert (await first.act(Goto(url=url))).result.ok
    assert clock.waits == [1.0]


async def test_one_that_wants_an_hour_gets_it_and_the_sample_hears_why(pool: Pool, clock: Clock, site: Site) -> None:
    url = site.add("/closed", "no", status=503, headers={"retry-after": "3600"})
    session = await opened(await pool(), site)
    assert (await session.act(Goto(url=url))).result.code == "http_error"
    again = (await session.act(Goto(url=url))).result
    assert (again.code, clock.waits) == ("timeout", [])
    assert "asked to be left alone" in again.message
