"""`exhibit web`: the console in the browser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from services.console.event_loop import run_async
from services.console.options import Evidence, Nats, load_settings
from services.console.terminal.plain_output import print_out
from shared.extras import how_to_install, need_extra

if TYPE_CHECKING:
    from shared.bus.nats_bus import Bus
    from shared.bus.ports import Asks
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

    alone = settings.nats_url is None
    read_only = settings.model_copy(update={"evidence_read_only": alone})
    async with (
        open_client(read_only, ("evidence",)) as client,
        opened_on_demand(lambda: open_client(settings, ("evidence",))) as writer,
        opened_on_demand(lambda: open_client(settings, ("workflows",))) as library,
        console_of(client, settings, port, writer if alone else None, library if alone else None) as address,
    ):
        print_out(f"The console is at {address}\n{way_in(settings)}\n")
        await asyncio.Event().wait()


ONCE = "The address opens one session. Ctrl-C ends the server."
BEHIND = "Its proxy says who looks. Ctrl-C ends the server."


def way_in(settings: Settings) -> str:
    """Return in a sentence how the address is used."""
    return BEHIND if settings.web_proxies else ONCE


@asynccontextmanager
async def opened_on_demand(
    opens: Callable[[], AbstractAsyncContextManager[Client]],
) -> AsyncGenerator[Callable[[], Awaitable[Bus]]]:
    """Yield a function that returns the bus of a client, which is opened when it is first asked for and closed with
    the block: who only looks writes nothing. If it cannot be opened, whoever asks is told, and the next one tries
    again.

    A task of its own opens and closes it, for what is opened in a task is closed in it.
    """
    over, opening = asyncio.Event(), asyncio.Lock()
    holding: list[tuple[asyncio.Task[None], asyncio.Future[Bus]]] = []

    async def hold(opened: asyncio.Future[Bus]) -> None:
        try:
            async with opens() as client:
                opened.set_result(client.bus)
                await over.wait()
        except Exception as exc:
            if opened.done():
                raise
            opened.set_exception(exc)

    async def bus() -> Bus:
        async with opening:
            if not holding or holding[-1][0].done():
                opened: asyncio.Future[Bus] = asyncio.get_running_loop().create_future()
                holding[:] = [(asyncio.create_task(hold(opened)), opened)]
            return await asyncio.shield(holding[-1][1])

    try:
        yield bus
    finally:
        over.set()
        await asyncio.gather(*(task for task, _ in holding))


@asynccontextmanager
async def console_of(
    client: Client,
    settings: Settings,
    port: int | None,
    writer: Callable[[], Awaitable[Asks]] | None = None,
    library: Callable[[], Awaitable[Bus]] | None = None,
) -> AsyncGenerator[str]:
    """Serve the console within the block; yield the address that opens it. ``writer``, ``library``: as `Desk` has
    them."""
    from services.console.web.web_server import serve_console  # needs the extra

    async with (
        _reader(settings) as reader,
        serve_console(client, settings, port, _tell_next, writer, library, reader) as address,
    ):
        yield address


@asynccontextmanager
async def _reader(settings: Settings) -> AsyncGenerator[Client | None]:
    """Yield a client with the rights of reviewers, where the settings have their seed."""
    from shared.bus.access.credentials import access_of
    from shared.client import connect
    from shared.client.bus_use import REVIEWER

    if settings.nats_url is None or settings.web_reviewer_seed is None:
        yield None
        return
    seeded = settings.model_copy(update={"nats_seed": settings.web_reviewer_seed})
    async with connect(settings.nats_url, access_of(seeded), REVIEWER) as client:
        yield client


def _tell_next(address: str) -> None:
    print_out(f"For another browser: {address}\n")


def how_to_have_it() -> str:
    """Return what to do where the packages of the console are not installed."""
    return f"the console in the browser is not installed: {how_to_install('web')}"
