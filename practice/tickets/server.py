"""Serves the site on the loopback interface, in the running event loop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Generator
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager, contextmanager

import uvicorn

from practice.tickets.data import DEFAULT_SEED
from practice.tickets.site import Options, TicketSite

HOST = "127.0.0.1"


class _Embedded(uvicorn.Server):
    """Says when it has started, and leaves the signals to the program it runs in."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.ready.set()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


@asynccontextmanager
async def serve(
    port: int = 0,
    *,
    seed: int = DEFAULT_SEED,
    latency_ms: int = 250,
    missing: AbstractSet[str] = frozenset(),
    missing_status: int = 200,
) -> AsyncGenerator[str]:
    """The base URL, such as ``http://127.0.0.1:40123``, for as long as the context is open.

    ``port`` 0 takes a free one; a port in use is an OSError. The other options are those of :class:`Options`.
    """
    app = TicketSite(Options(seed, latency_ms, missing, missing_status)).app()
    sock = _listening(port)
    server = _Embedded(_config(app))
    task = asyncio.create_task(server.serve(sockets=[sock]))
    try:
        await _started(server, task)
        yield f"http://{HOST}:{sock.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
        sock.close()


def _listening(port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((HOST, port))
    except OSError:
        sock.close()
        raise
    return sock


def _config(app: object) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # pyright: ignore[reportArgumentType]  Starlette is an ASGI app; the declared union is narrower
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=2,
    )


async def _started(server: _Embedded, task: asyncio.Task[None]) -> None:
    """Returns once requests are answered; a server that ended before that is raised as what ended it."""
    ready = asyncio.create_task(server.ready.wait())
    await asyncio.wait({ready, task}, return_when=asyncio.FIRST_COMPLETED)
    ready.cancel()
    if task.done():
        task.result()
