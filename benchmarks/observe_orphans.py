"""Processes that remain of a browser pool after its service is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import psutil

from benchmarks.report import Row, at_most
from shared.bus.nats_bus import Bus, connect_bus
from shared.contracts.browser_pool import LeaseSession, SessionLeased
from shared.errors import Unavailable
from shared.host.nats_server import nats_server
from shared.subjects import LEASE

SESSIONS = 3
TRIES = 200
GONE_BOUND_S = 10.0


async def orphans(folder: Path) -> Row:
    """Kill a service that has open sessions with SIGKILL; count the processes that remain after 10 s."""
    async with nats_server(folder / "jetstream") as url, connect_bus(url, name="bench") as client:
        environment = {**os.environ, "EXHIBIT_NATS_URL": url, "EXHIBIT_STATE_DIR": str(folder)}
        service = await asyncio.create_subprocess_exec(sys.executable, "-m", "services.browser_pool", env=environment)
        started: list[psutil.Process] = []
        try:
            for _ in range(SESSIONS):
                await _lease(client)
            started = psutil.Process(service.pid).children(recursive=True)
        finally:
            service.send_signal(signal.SIGKILL)
            await service.wait()
    left = await asyncio.to_thread(_left, started)
    return at_most(0, f"of {len(started)} processes left {GONE_BOUND_S:g} s after kill -9", "count", len(left))


async def _lease(client: Bus) -> None:
    for _ in range(TRIES):
        try:
            reply = await client.ask(LEASE, LeaseSession(run_id="bench", sample_id="bench"))
        except Unavailable:  # not up yet
            await asyncio.sleep(0.1)
            continue
        if isinstance(reply, SessionLeased):
            return
        await asyncio.sleep(0.1)
    raise SystemExit("the service to be killed leased no session")


def _left(started: list[psutil.Process]) -> list[psutil.Process]:
    """Kill and return the processes that still run. A zombie counts as ended."""
    _, alive = psutil.wait_procs(started, timeout=GONE_BOUND_S)
    left = [process for process in alive if _runs(process)]
    for process in left:
        process.kill()
    return left


def _runs(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
