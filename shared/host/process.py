"""A service as a process of its own: `python -m services.<name>`, or `exhibit serve <name>`."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable

from pydantic import ValidationError

from shared.errors import ExhibitError, Unavailable
from shared.host.services import run_services
from shared.settings import Settings
from shared.telemetry.logs import configure_logs
from shared.telemetry.tracing import export_traces


def main(name: str) -> None:
    """Serve until SIGINT or SIGTERM. Exits with 3 when the bus cannot be reached or the service cannot start."""
    try:
        settings = Settings()
        configure_logs(settings.log_level)
        with export_traces(name, settings.trace_file):
            asyncio.run(serve_until_stopped(settings, (name,)))
    except (ExhibitError, ValidationError) as exc:
        print(f"exhibit: {exc}", file=sys.stderr)
        raise SystemExit(3) from exc


async def serve_until_stopped(
    settings: Settings, names: tuple[str, ...], on_ready: Callable[[], None] = lambda: None
) -> None:
    """Serve ``names`` on the bus of the settings until a signal; call ``on_ready`` once all of them listen.

    Raises Unavailable when the settings name no bus.
    """
    if settings.nats_url is None:
        raise Unavailable(
            "no bus: set EXHIBIT_NATS_URL, for instance to nats://127.0.0.1:4222 (`exhibit up` prints its own)",
            code="no_bus",
        )
    async with run_services(settings, settings.nats_url, names):
        on_ready()
        await wait_for_stop_signal()


async def wait_for_stop_signal() -> None:
    """Return at the first SIGINT or SIGTERM. Further ones have no effect, so that the shutdown is not cut off."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, stop.set)
    await stop.wait()
