"""A real nats-server whose users `exhibit bus-config` has made."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nats
import nats.errors
from nats.aio.client import Client as NatsClient

from services.console.commands.bus_config import write_bus_config
from shared.bus.access.credentials import BusAccess, connect_options
from shared.bus.access.server_config import USERS_CONF
from shared.host.nats_server import run_server


@dataclass(frozen=True)
class BusWithUsers:
    url: str
    access: BusAccess

    @asynccontextmanager
    async def raw(self, user: str) -> AsyncGenerator[tuple[NatsClient, list[str]]]:
        """Connect a user in plain nats-py; yield what the server refuses too."""
        refused: list[str] = []

        async def note(error: Exception) -> None:
            refused.append(str(error).lower())

        options = connect_options(self.url, user, self.access)
        nc = await nats.connect(self.url, allow_reconnect=False, error_cb=note, **options.named)
        try:
            yield nc, refused
        finally:
            await nc.close()


async def is_refused(url: str, **options: Any) -> bool:
    """Try to connect in plain nats-py. Return whether the server says that this is no user of it."""
    nc = NatsClient()
    told: list[str] = []

    async def note(error: Exception) -> None:
        told.append(str(error))

    with suppress(nats.errors.NoServersError):
        # One more try, for without any nats-py leaves the connection open.
        await nc.connect(url, max_reconnect_attempts=1, reconnect_time_wait=0, error_cb=note, **options)
        await nc.close()
    return any("Authorization Violation" in one for one in told)


@asynccontextmanager
async def bus_with_users(folder: Path, more: str = "") -> AsyncGenerator[BusWithUsers]:
    keys = folder / "keys"
    write_bus_config(keys)
    # Not the whole nats.conf: that says where a container listens and keeps its streams.
    users = (keys / USERS_CONF).read_text(encoding="utf-8")
    async with run_server(folder / "jetstream", f"{users}\n{more}") as (url, _):
        yield BusWithUsers(url, BusAccess(seeds=keys))
