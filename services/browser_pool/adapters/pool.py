"""Browser and sessions for as long as the process serves."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Protocol

from services.browser_pool import politeness
from services.browser_pool.adapters.chromium import Chromium
from services.browser_pool.adapters.pacing import Pacing
from services.browser_pool.adapters.session import Limits
from services.browser_pool.ports import Gate
from services.browser_pool.sessions import Sessions
from shared.actor.ports import Records
from shared.settings import Settings

SWEEP_S = 1.0


class PoolBus(Gate, Records, Protocol):
    """What the pool needs of the bus for itself."""


def chromium_for(settings: Settings, pacing: Pacing) -> Chromium:
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
        pacing=pacing,
        polite=politeness.Limits(settings.domain_interval_s, settings.domain_max_in_flight),
    )


@asynccontextmanager
async def running(settings: Settings, bus: PoolBus, now_s: Callable[[], float]) -> AsyncGenerator[Sessions]:
    """A warmed-up browser and the sessions on it; both are closed at the end, whatever the reason."""
    pacing = Pacing(bus, time.time, hold_s=settings.navigation_timeout_s + 5.0)
    await pacing.start()
    browser = chromium_for(settings, pacing)
    sessions = Sessions(settings.browser_capacity, browser, bus, now_s)
    browser.warm_up()
    sweeper = asyncio.create_task(_sweep(sessions))
    try:
        yield sessions
    finally:
        sweeper.cancel()
        await asyncio.gather(sweeper, return_exceptions=True)
        await browser.close()
        await pacing.drained()


async def _sweep(sessions: Sessions) -> None:
    while True:
        await asyncio.sleep(SWEEP_S)
        await sessions.expire()
