"""The browser pool process: settings > browser > sessions > the actor on the bus."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from services.browser_pool.adapters.browser.lifecycle import logins_of, running, secrets_of
from services.browser_pool.deps import Deps
from services.browser_pool.handlers import actor
from shared.bus.nats_bus import Bus
from shared.settings import Settings

NAME = "browser_pool"

__all__ = ["NAME", "actor", "open_deps"]


@asynccontextmanager
async def open_deps(settings: Settings, bus: Bus) -> AsyncGenerator[Deps]:
    async with running(settings, bus, time.monotonic) as sessions:
        yield Deps(
            sessions=sessions,
            blobs=bus,
            instance_id=bus.instance_id,
            new_id=lambda: uuid.uuid4().hex[:16],
            utc_now=lambda: datetime.now(UTC),
            records=bus,
            logins=logins_of(settings),
            missing_secrets=secrets_of(settings).missing,
        )


if __name__ == "__main__":
    from shared.host.process import main

    main(NAME)
