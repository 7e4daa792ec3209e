"""Services in processes of their own, with a library: two planners and two browser pools, one process of the others."""

from __future__ import annotations

import asyncio
import signal
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from shared.client import Client, connect
from shared.host.nats_server import nats_server
from tests.end_to_end.conftest import Cli
from tests.end_to_end.fleet import Fleet

CONCURRENCY = 5
WORKERS = ("planner 1", "planner 2", "browser_pool 1", "browser_pool 2")
OTHERS = ("evidence", "workflows", "discovery")
VARIABLES = {"EXHIBIT_PLANNER_CAPACITY": "4", "EXHIBIT_BROWSER_CAPACITY": "5"}


@asynccontextmanager
async def running_fleet() -> AsyncGenerator[tuple[Client, Fleet]]:
    """Yield a client and the processes; all of them end with the block, and what they wrote is removed.

    SIGTERM ends this process as Ctrl-C does from then on, so that it leaves no service behind.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="exhibit-fleet-") as temporary:
        folder = Path(temporary)
        cli = Cli(folder)
        cli.env |= {
            **VARIABLES,
            "EXHIBIT_WORKFLOWS_DIR": str(folder / "workflows"),
            "EXHIBIT_TOOLS_DIR": str(folder / "tools"),
        }
        try:
            async with nats_server(folder / "jetstream") as url, connect(url) as client:
                fleet = Fleet(cli, url, folder / "evidence")
                for process in (*OTHERS, *WORKERS):
                    await asyncio.to_thread(fleet.start, process)
                yield client, fleet
        finally:
            await asyncio.to_thread(cli.close)
