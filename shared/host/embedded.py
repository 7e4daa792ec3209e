"""The whole system in one process: a NATS server as its child, all services, and a client."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from shared.client import Client, connect
from shared.host.nats_server import nats_server
from shared.host.services import NAMES, run_services
from shared.settings import Settings


@asynccontextmanager
async def run_embedded(settings: Settings, names: Iterable[str] = NAMES) -> AsyncGenerator[Client]:
    """Run a server and all services, or those named, within the block; yield a client.

    The streams are deleted afterwards: what a run needs to be resumed is in its evidence folder.
    """
    with tempfile.TemporaryDirectory(prefix="exhibit-streams-") as store:
        async with (
            nats_server(Path(store)) as url,
            run_services(settings, url, names),
            connect(url) as client,
        ):
            yield client
