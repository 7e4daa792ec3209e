"""The browser pool process: builds the browser and its sessions, and serves the actor on the bus."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from services.browser_pool.adapters.browser.lifecycle import login_store, pool_secrets, run_pool
from services.browser_pool.deps import BUS_USE, BrowserPoolDeps
from services.browser_pool.handlers import actor
from services.browser_pool.setup_checks import SETUP_CHECKS
from shared.bus.nats_bus import Bus
from shared.health.readiness import ReadyCheck
from shared.settings import Settings

NAME = "browser_pool"

__all__ = ["BUS_USE", "NAME", "READY_WHEN", "SETUP_CHECKS", "actor", "open_deps"]


async def _try_page(deps: BrowserPoolDeps) -> None:
    await deps.sessions.browser.try_page()


READY_WHEN = (ReadyCheck("opens a page", _try_page),)
"""A pool that is full is ready: it takes no leases then, and others do."""


@asynccontextmanager
async def open_deps(settings: Settings, bus: Bus) -> AsyncGenerator[BrowserPoolDeps]:
    """Yield what the handlers need; the browser ends when the block does."""
    async with run_pool(settings, bus, time.monotonic) as sessions:
        yield BrowserPoolDeps(
            sessions=sessions,
            blobs=bus,
            instance_id=bus.instance_id,
            new_id=lambda: uuid.uuid4().hex[:16],
            utc_now=lambda: datetime.now(UTC),
            records=bus,
            logins=login_store(settings),
            secrets=pool_secrets(settings),
        )


if __name__ == "__main__":
    from shared.host.services import main

    main(NAME)
