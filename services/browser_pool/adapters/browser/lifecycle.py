"""Runs browser and sessions for the life of the process."""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Protocol

from services.browser_pool.adapters.browser import memory
from services.browser_pool.adapters.browser.chromium import BrowserUpkeep, Chromium
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.adapters.guard.pacing import Pacing
from services.browser_pool.adapters.session import SessionLimits
from services.browser_pool.ports import Gate
from services.browser_pool.safety import politeness
from services.browser_pool.safety.limits import UseLimits
from services.browser_pool.sessions import Sessions
from shared.aio import run_alongside
from shared.bus.access.contexts import find_context
from shared.bus.ports import Records
from shared.secrets.store import SecretStore, secret_store
from shared.settings import Settings
from shared.setup.login_facts import login_folder

log = logging.getLogger(__name__)

SWEEP_S = 1.0
MAINTAIN_EVERY_SWEEPS = 5
"""Measuring the memory of a browser takes milliseconds per process."""
SPARES = 3


class PoolBus(Gate, Records, Protocol):
    """What the pool itself needs of the bus."""


def login_store(settings: Settings) -> LoginFolder:
    return LoginFolder(login_folder(settings), settings.evidence_dir)


def pool_secrets(settings: Settings) -> SecretStore:
    """Return the secrets of this pool. On a bus that a command of this user has started, nobody else leases; on any
    other one, a secret is for the hosts that are written with it, and one without is for none."""
    own_bus = settings.nats_url is None or find_context(settings.nats_url) is not None
    return secret_store(settings, bound_only=not own_bus)


def new_chromium(settings: Settings, pacing: Pacing) -> Chromium:
    limits = SessionLimits(
        action_s=settings.action_timeout_s,
        navigation_s=settings.navigation_timeout_s,
        rest_s=settings.settle_bound_s,
        download_bytes=settings.max_download_bytes,
        upload_dir=settings.upload_dir,
        use=UseLimits(
            tabs=settings.session_max_tabs,
            frames=settings.session_max_frames,
            workers=settings.session_max_workers,
            page_memory_mb=settings.page_memory_mb,
        ),
    )
    return Chromium(
        chromium=settings.chromium,
        logins=login_store(settings),
        limits=limits,
        pacing=pacing,
        polite=politeness.PaceLimits(settings.domain_interval_s, settings.domain_max_in_flight),
        upkeep=BrowserUpkeep(
            min(SPARES, settings.browser_capacity), settings.browser_max_leases, float(settings.browser_memory_mb)
        ),
        headed=settings.browser_headed,
        secrets=pool_secrets(settings),
    )


@asynccontextmanager
async def run_pool(settings: Settings, bus: PoolBus, now_s: Callable[[], float]) -> AsyncGenerator[Sessions]:
    """Yield the sessions on a warmed-up browser; both are closed at the end."""
    pacing = Pacing(bus, time.time, hold_s=settings.navigation_timeout_s + 5.0)
    await pacing.start()
    browser = new_chromium(settings, pacing)
    sessions = Sessions(
        settings.browser_capacity, browser, bus, now_s, lambda: memory.free_mb() >= settings.min_free_memory_mb
    )
    browser.warm_up()
    try:
        async with run_alongside(_sweep(sessions, browser)):
            yield sessions
    finally:
        await browser.close()
        await pacing.drain()


async def _sweep(sessions: Sessions, browser: Chromium) -> None:
    for count in itertools.count(1):
        await asyncio.sleep(SWEEP_S)
        try:
            await sessions.expire()
            if count % MAINTAIN_EVERY_SWEEPS == 0:
                await browser.maintain()
        except Exception:
            # A failed sweep must not stop the loop: sessions would never expire again.
            log.exception("a sweep of the sessions ended badly")
