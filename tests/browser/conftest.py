"""A real Chromium for the whole test run, and a new session of it for each test."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from services.browser_pool.adapters.browser.chromium import Chromium, PoolSession
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.adapters.session import SessionLimits
from services.browser_pool.page.snapshot import compose
from shared.contracts.browser_pool import PageObserved
from shared.settings import Settings
from tests.browser.site import LOOPBACK, Site

LIMITS = SessionLimits(action_s=8.0, navigation_s=20.0, settle_s=1.0, download_bytes=50_000)
"""Sufficient on a busy machine; tests of timeouts set their own."""

Look = Callable[..., Awaitable[PageObserved]]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Chromium]:
    browser = Chromium(chromium=Settings().chromium, logins=LoginFolder(tmp_path_factory.mktemp("auth")), limits=LIMITS)
    # Without a browser these tests fail: passing over them would hide a set-up that does not work.
    await (await browser.open_session(LOOPBACK)).close()
    yield browser
    await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def session(chromium: Chromium) -> AsyncIterator[PoolSession]:
    leased = await chromium.open_session(LOOPBACK)
    yield leased
    await leased.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def site() -> AsyncIterator[Site]:
    served = Site()
    await served.start()
    yield served
    await served.stop()


@pytest.fixture
def look(session: PoolSession) -> Look:
    """Observe a page: `await look(html)` sets its content first, `await look()` observes the current one."""
    counter = iter(range(1, 1000))

    async def look_at(html: str | None = None, **how: object) -> PageObserved:
        if html is not None:
            await session.page.set_content(html)
        snapshot_id = f"s{next(counter)}"
        return compose(await session.observe(snapshot_id, **how), snapshot_id)  # type: ignore[arg-type]

    return look_at


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # One browser serves all tests here, so all of them run on the loop that started it.
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and inspect.iscoroutinefunction(getattr(item, "function", None)):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
