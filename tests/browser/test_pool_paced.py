"""Pacing of real documents, for every kind of navigation; a site that asks for a pause gets it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from itertools import count

import pytest
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


HOSTS = (f"127.0.9.{n}" for n in count(1))


@dataclass
class Pools:
    """Two pools that share their pace."""

    clock: Clock
    chromiums: list[Chromium]

    async def opened(self, site: Site, *, nth: int = 0, **polite: float) -> PageSession:
        host = site.url.removeprefix("http://")
        pace = Politeness(**polite)  # type: ignore[arg-type]
        terms = SessionTerms(allowed_hosts=(host,), private_hosts=(host,), politeness=pace)
        return await self.chromiums[nth].open_session(terms)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def both(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Pools]:
    bus, pools = MemoryBus(), Pools(Clock(), [])
    logins = LoginFolder(tmp_path_factory.mktemp("auth"))
    for _ in range(2):
        pacing = Pacing(bus, lambda: pools.clock.now_s, lambda pause_s: pools.clock.sleep(pause_s))
        await pacing.start()
        pools.chromiums.append(Chromium(chromium=Settings().chromium, logins=logins, limits=LIMITS, pacing=pacing))
    yield pools
    for browser in pools.chromiums:
        await browser.close()


@pytest.fixture
def pools(both: Pools) -> Pools:
    both.clock.waits, both.clock.meanwhile = [], lambda: None
    return both


@pytest.fixture
def clock(pools: Pools) -> Clock:
    return pools.clock


@pytest_asyncio.fixture(loop_scope="session")
async def site() -> AsyncIterator[Site]:
    """A site of a host that has no pace yet."""
    served = Site(next(HOSTS))
    await served.start()
    yield served
    await served.stop()


async def test_addresses_and_clicks_wait_for_their_turn_and_pools_share_it(
    pools: Pools, clock: Clock, site: Site
) -> None:
    site.add("/next", "<p>there</p>")
    url = site.add("/paced", "<a href='/next'>On</a>")
    first, second = [await pools.opened(site, nth=nth, interval_s=5.0) for nth in (0, 1)]
    await first.act(Goto(url=url))
    assert clock.waits == []
    await second.act(Goto(url=url))
    assert clock.waits == [5.0]
    on = await first.act(Click(target=ByText(text="On")))
    assert on.result.change.url_after == f"{site.url}/next"
    assert clock.waits == [5.0, 5.0]


async def test_a_page_that_says_when_to_come_back_is_asked_again_then(pools: Pools, clock: Clock, site: Site) -> None:
    url = site.add("/busy", "slow down", status=429, headers={"retry-after": "7"})
    clock.meanwhile = lambda: site.add("/busy", "<h1>Ticket</h1>")
    session = await pools.opened(site)
    result = (await session.act(Goto(url=url))).result
    assert (result.ok, result.change.http_status, clock.waits) == (True, 200, [7.0])
    assert "HTTP 429 before" in result.message


async def test_one_that_says_no_time_is_asked_later_and_later_and_then_told(
    pools: Pools, clock: Clock, site: Site
) -> None:
    session = await pools.opened(site)
    result = (await session.act(Goto(url=site.add("/many", "slow down", status=429)))).result
    assert (result.code, result.change.http_status, clock.waits) == ("http_error", 429, [1.0, 2.0, 4.0])


async def test_one_that_goes_on_being_busy_is_left_alone_by_all(pools: Pools, clock: Clock, site: Site) -> None:
    url = site.add("/down", "no", status=503)
    first, second = [await pools.opened(site, nth=nth) for nth in (0, 1)]
    result = (await first.act(Goto(url=url))).result
    assert (result.code, result.change.http_status, clock.waits) == ("http_error", 503, [])
    await second.act(Goto(url=site.add("/well", "<p>x</p>")))
    assert clock.waits == [1.0]
    site.add("/down", "<p>x</p>")
    assert (await first.act(Goto(url=url))).result.ok
    assert clock.waits == [1.0]


async def test_one_that_wants_an_hour_gets_it_and_the_sample_hears_why(pools: Pools, clock: Clock, site: Site) -> None:
    url = site.add("/closed", "no", status=503, headers={"retry-after": "3600"})
    session = await pools.opened(site)
    assert (await session.act(Goto(url=url))).result.code == "http_error"
    again = (await session.act(Goto(url=url))).result
    assert (again.code, clock.waits) == ("timeout", [])
    assert "asked to be left alone" in again.message
