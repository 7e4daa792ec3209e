"""Everything on one machine: a server of its own, all services, and a client, in one process."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from shared.client import Client, connected
from shared.host.nats_server import nats_server
from shared.host.services import NAMES, running
from shared.settings import Settings


@asynccontextmanager
async def embedded(settings: Settings, names: Iterable[str] = NAMES) -> AsyncGenerator[Client]:
    """A whole system for as long as the block lasts, or those services of it that are named.

    Its streams are thrown away afterwards: what a run needs to be resumed is in its evidence folder.
    """
    with tempfile.TemporaryDirectory(prefix="exhibit-streams-") as store:
        async with (
            nats_server(Path(store)) as url,
            running(settings, url, names),
            connected(url) as client,
        ):
            yield client
