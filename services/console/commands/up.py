"""`exhibit up` and `exhibit serve`: run services until they are stopped."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from services.console.commands.web import WebPort, console_of, how_to_have_it
from services.console.event_loop import run_async
from services.console.options import Evidence, Nats, load_settings
from services.console.terminal.plain_output import print_out
from shared.extras import has_extra
from shared.host.service_names import NAMES

if TYPE_CHECKING:
    from shared.settings import Settings


def up(
    evidence: Evidence = None,
    port: Annotated[int, typer.Option(help="Port of the bus on loopback; -1 takes a free one.")] = 4222,
    nats: Nats = None,
    web_port: WebPort = None,
) -> None:
    """Run all services, and a bus, in one process until Ctrl-C."""
    run_async(serve_all(load_settings(nats, evidence), port, web_port))


def serve(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(sorted(NAMES))}.")],
    nats: Nats = None,
    evidence: Evidence = None,
) -> None:
    """Run one service on an existing bus, to scale it by itself."""
    run_async(serve_one(load_settings(nats, evidence), name))


async def serve_all(settings: Settings, port: int, web_port: int | None = None) -> None:
    """Serve all services on the bus of the settings, or on a new one whose streams survive the process, and the console
    in the browser where it is installed."""
    from shared.host.nats_server import nats_server  # only here: `up` is told its options without them
    from shared.host.services import serve_until_stopped

    async with AsyncExitStack() as stack:
        if settings.nats_url is None:
            url = await stack.enter_async_context(nats_server(settings.state_dir / "nats", port=port))
            settings = settings.model_copy(update={"nats_url": url})
        console = await stack.enter_async_context(_console(settings, web_port))
        await serve_until_stopped(settings, NAMES, on_ready=lambda: _print_how_to_use(settings, console))


@asynccontextmanager
async def _console(settings: Settings, port: int | None) -> AsyncGenerator[str]:
    """Serve the console in the browser within the block; yield where it is, or how to have it."""
    from shared.bus.access.credentials import access_of
    from shared.client import connect
    from shared.client.bus_use import OPERATOR

    if not has_extra("web"):
        yield how_to_have_it()
        return
    url = settings.nats_url or ""
    async with connect(url, access_of(settings), OPERATOR) as client, console_of(client, settings, port) as address:
        yield address


async def serve_one(settings: Settings, name: str) -> None:
    """Serve one service. Raises Unsupported when there is none of that name."""
    from shared.host.services import serve_until_stopped, service_module

    service_module(name)
    await serve_until_stopped(settings, (name,), on_ready=lambda: _print(f"{name} serves on {settings.nats_url}"))


def _print_how_to_use(settings: Settings, console: str) -> None:
    where = settings.evidence_bucket or settings.evidence_dir.resolve()
    _print(
        f"exhibit is up on {settings.nats_url}, evidence in {where}\n"
        f"  in a browser:  {console}\n"
        f"  run a batch:   exhibit run SPEC --input FILE --nats {settings.nats_url}\n"
        f"  more browsers: exhibit serve browser_pool --nats {settings.nats_url}"
    )


def _print(text: str) -> None:
    print_out(text + "\n")
