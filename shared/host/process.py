"""A service as a process of its own: `python -m services.<name>`, or `exhibit serve <name>`."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable

from pydantic import ValidationError

from shared.errors import ExhibitError, Unavailable
from shared.host.services import running
from shared.settings import Settings
from shared.telemetry.logs import configure
from shared.telemetry.tracing import exporting


def main(name: str) -> None:
    """Serves until SIGINT or SIGTERM. Exits with 3 where the bus cannot be reached or the service cannot start."""
    try:
        settings = Settings()
        configure(settings.log_level)
        with exporting(name, settings.trace_file):
            asyncio.run(serve_until_told(settings, (name,)))
    except (ExhibitError, ValidationError) as exc:
        print(f"exhibit: {exc}", file=sys.stderr)
        raise SystemExit(3) from exc


async def serve_until_told(
    settings: Settings, names: tuple[str, ...], on_ready: Callable[[], None] = lambda: None
) -> None:
    """Serves ``names`` on the bus the settings name; ``on_ready`` is called once they all listen."""
    if settings.nats_url is None:
        raise Unavailable(
            "no bus: set EXHIBIT_NATS_URL, for instance to nats://127.0.0.1:4222 (`exhibit up` prints its own)",
            code="no_bus",
        )
    async with running(settings, settings.nats_url, names):
        on_ready()
        await told_to_stop()


async def told_to_stop() -> None:
    """Returns at the first SIGINT or SIGTERM. Further ones change nothing: what was begun is ended in order."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, told.set)
    await told.wait()
