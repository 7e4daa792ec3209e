"""A real Chromium for the whole test run, and a session of it for each test."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Error

from services.browser_pool.__main__ import open_deps
from services.browser_pool.adapters.browser.chromium import Chromium, PoolSession
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.adapters.rest import RestState
from services.browser_pool.adapters.session import SessionLimits
from services.browser_pool.deps import BrowserPoolDeps
from services.browser_pool.handlers import actor
from services.browser_pool.page.snapshot import compose
from shared.contracts.browser_pool import PageObserved
from shared.secrets.store import SecretStore
from shared.settings import Settings
from shared.testing.bus import MemoryBus
from tests.browser.site import LOOPBACK, Site

LIMITS = SessionLimits(action_s=30.0, navigation_s=60.0, rest_s=1.0, download_bytes=50_000)
"""Sufficient on a busy machine; tests of timeouts set their own."""
HASTY = replace(LIMITS, patience=0.1)
"""For pages that are set as a whole and change at once or never."""

Look = Callable[..., Awaitable[PageObserved]]
snapshot_ids = (f"s{n}" for n in count(1))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Chromium]:
    browser = Chromium(chromium=Settings().chromium, logins=LoginFolder(tmp_path_factory.mktemp("auth")), limits=LIMITS)
    # Without a browser these tests fail: passing over them would hide a set-up that does not work.
    await (await browser.open_session(LOOPBACK)).close()
    yield browser
    await browser.close()


class SessionKeeper:
    """Lends one session to one test after the other, each time with an empty page; a new one where it is spent."""

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium
        self._kept: PoolSession | None = None

    async def lend(self) -> PoolSession:
        if self._kept is None:
            self._kept = await self._chromium.open_session(LOOPBACK)
        self._kept.limits = HASTY
        return self._kept

    async def take_back(self) -> None:
        kept = self._kept
        assert kept is not None
        if kept.lost or kept.tabs.waiting is not None or len(kept.tabs.open_pages()) > 1 or not await _emptied(kept):
            await self.close()

    async def close(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            await kept.close()


async def _emptied(session: PoolSession) -> bool:
    try:
        await session.page.goto("about:blank", timeout=3000)
        await session.page.mouse.move(0, 0)
    except Error:  # its script never ends
        return False
    session.rest = RestState(True, None)
    session.network.begin_action()
    return True


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def keeper(chromium: Chromium) -> AsyncIterator[SessionKeeper]:
    kept = SessionKeeper(chromium)
    yield kept
    await kept.close()


@pytest_asyncio.fixture(loop_scope="session")
async def session(
    request: pytest.FixtureRequest, chromium: Chromium, keeper: SessionKeeper
) -> AsyncIterator[PoolSession]:
    """A new session for tests with a site; else the kept one, which waits a tenth for what may come late."""
    if "site" in request.fixturenames:
        leased = await chromium.open_session(LOOPBACK)
        yield leased
        await leased.close()
    else:
        yield await keeper.lend()
        await keeper.take_back()


@pytest.fixture
def patient(session: PoolSession) -> None:
    """What the page does late is waited for as in the product: far longer than its timers take."""
    session.limits = LIMITS


PASSWORD, ODD = "correct horse & battery", 'horse & "battery" é<staple>'
SEED = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
SECRETS = {"portal": PASSWORD, "mirror": "torrecc eshor & yrettab", "odd": ODD, "code": json.dumps({"totp": SEED})}
SECRETS["pin"] = json.dumps({"value": "0042 0043", "hosts": ["localhost"]})


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def secret_chromium(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Chromium]:
    """A browser whose sessions may have the secrets above."""
    known = SecretStore(None, {f"EXHIBIT_SECRET_{name.upper()}": value for name, value in SECRETS.items()})
    folder = LoginFolder(tmp_path_factory.mktemp("auth"))
    browser = Chromium(chromium=Settings().chromium, logins=folder, limits=LIMITS, secrets=known)
    yield browser
    await browser.close()


@dataclass
class Pool:
    """A real pool on a bus in memory."""

    bus: MemoryBus
    deps: BrowserPoolDeps

    @property
    def leased(self) -> int:
        return len(self.deps.sessions.held)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def running_pool(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Pool]:
    folder = tmp_path_factory.mktemp("pool")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EXHIBIT_SECRET_PORTAL", PASSWORD)
        bus = MemoryBus()
        settings = Settings(state_dir=folder / "state", evidence_dir=folder / "evidence")
        async with open_deps(settings, bus) as deps:  # type: ignore[arg-type]
            bus.host(actor, deps)
            yield Pool(bus, deps)


@pytest.fixture
def pool(running_pool: Pool) -> Iterator[Pool]:
    assert running_pool.leased == 0
    yield running_pool
    assert running_pool.leased == 0


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def site() -> AsyncIterator[Site]:
    served = Site()
    await served.start()
    yield served
    await served.stop()


@pytest.fixture
def look(session: PoolSession) -> Look:
    """Observe a page: `await look(html)` sets its content first, `await look()` observes the current one."""

    async def look_at(html: str | None = None, **how: object) -> PageObserved:
        if html is not None:
            await session.page.set_content(html)
        snapshot_id = next(snapshot_ids)
        return compose(await session.observe(snapshot_id, **how), snapshot_id)  # type: ignore[arg-type]

    return look_at


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # One browser serves all tests here, so all of them run on the loop that started it.
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and inspect.iscoroutinefunction(getattr(item, "function", None)):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
