"""Browser and sessions for as long as the process serves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from services.browser_pool.adapters.chromium import Chromium
from services.browser_pool.adapters.session import Limits
from services.browser_pool.ports import Gate
from services.browser_pool.sessions import Sessions
from shared.settings import Settings

SWEEP_S = 1.0


def chromium_for(settings: Settings) -> Chromium:
    limits = Limits(
        action_s=settings.action_timeout_s,
        navigation_s=settings.navigation_timeout_s,
        settle_s=settings.settle_bound_s,
        download_bytes=settings.max_download_bytes,
    )
    return Chromium(
        chromium=settings.chromium,
        auth_dir=settings.state_dir / "auth",
        limits=limits,
        domain_interval_s=settings.domain_interval_s,
    )


@asynccontextmanager
async def running(settings: Settings, gate: Gate, now_s: Callable[[], float]) -> AsyncGenerator[Sessions]:
    """A warmed-up browser and the sessions on it; both are closed at the end, whatever the reason."""
    browser = chromium_for(settings)
    sessions = Sessions(settings.browser_capacity, browser, gate, now_s)
    browser.warm_up()
    sweeper = asyncio.create_task(_sweep(sessions))
    try:
        yield sessions
    finally:
        sweeper.cancel()
        await asyncio.gather(sweeper, return_exceptions=True)
        await browser.close()


async def _sweep(sessions: Sessions) -> None:
    while True:
        await asyncio.sleep(SWEEP_S)
        await sessions.expire()
