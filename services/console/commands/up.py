"""`exhibit up` and `exhibit serve`: services that stand until they are told to stop."""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack

from shared.host.nats_server import nats_server
from shared.host.process import serve_until_stopped
from shared.host.services import NAMES, service_module
from shared.settings import Settings


async def up_all(settings: Settings, port: int) -> None:
    """All services on a bus of our own, whose streams outlive the process; or on the bus the settings name."""
    async with AsyncExitStack() as stack:
        if settings.nats_url is None:
            url = await stack.enter_async_context(nats_server(settings.state_dir / "nats", port=port))
            settings = settings.model_copy(update={"nats_url": url})
        await serve_until_stopped(settings, NAMES, on_ready=lambda: _say_up(settings))


async def serve_one(settings: Settings, name: str) -> None:
    """One service; Unsupported where there is none of that name."""
    service_module(name)
    await serve_until_stopped(settings, (name,), on_ready=lambda: _say(f"{name} serves on {settings.nats_url}"))


def _say_up(settings: Settings) -> None:
    where = settings.evidence_bucket or settings.evidence_dir.resolve()
    _say(
        f"exhibit is up on {settings.nats_url}, evidence in {where}\n"
        f"  run a batch:   exhibit run SPEC --input FILE --nats {settings.nats_url}\n"
        f"  more browsers: exhibit serve browser_pool --nats {settings.nats_url}"
    )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
