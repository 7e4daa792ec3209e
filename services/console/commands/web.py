"""`exhibit web`: the console in the browser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from services.console.event_loop import run_async
from services.console.options import Evidence, Nats, load_settings
from services.console.terminal.plain_output import print_out
from shared.extras import how_to_install, need_extra

if TYPE_CHECKING:
    from shared.client import Client
    from shared.settings import Settings

WebPort = Annotated[
    int | None,
    typer.Option("--web-port", help="Port of the pages; else 4280, or a free one if it is taken."),
]


def web(nats: Nats = None, evidence: Evidence = None, web_port: WebPort = None) -> None:
    """Show runs, samples and their evidence in the browser, until Ctrl-C."""
    need_extra("web")
    run_async(_serve(load_settings(nats, evidence), web_port))


async def _serve(settings: Settings, port: int | None) -> None:
    """Serve as a client of the bus; without one, the evidence of this machine is read here."""
    from shared.host.connections import open_client

    read_only = settings.model_copy(update={"evidence_read_only": settings.nats_url is None})
    async with open_client(read_only, ("evidence",)) as client, console_of(client, settings, port) as address:
        print_out(f"The console is at {address}\n{ONCE}\n")
        await asyncio.Event().wait()


ONCE = "The address opens one session. Ctrl-C ends the server."


@asynccontextmanager
async def console_of(client: Client, settings: Settings, port: int | None) -> AsyncGenerator[str]:
    """Serve the console within the block; yield the address that opens it."""
    from services.console.web.web_server import serve_console  # needs the extra

    async with serve_console(client, settings, port, _tell_next) as address:
        yield address


def _tell_next(address: str) -> None:
    print_out(f"For another browser: {address}\n")


def how_to_have_it() -> str:
    """Return what to do where the packages of the console are not installed."""
    return f"the console in the browser is not installed: {how_to_install('web')}"
