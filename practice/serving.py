"""Serve an ASGI app on one address, in the running event loop."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp

HOST = "127.0.0.1"


class _Embedded(uvicorn.Server):
    """A server that sets ``ready`` after its start and leaves signals to the program it runs in."""

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
async def serve(app: ASGIApp, port: int = 0, *, host: str = HOST) -> AsyncGenerator[str]:
    """Serve the app within the block and yield its base URL, such as ``http://127.0.0.1:40123``.

    ``port`` 0 takes a free one. Raises OSError for a port that is in use.
    """
    sock = _listen(host, port)
    server = _Embedded(_config(app))
    task = asyncio.create_task(server.serve(sockets=[sock]))
    try:
        await _wait_until_ready(server, task)
        yield f"http://{host}:{sock.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
        sock.close()


async def wait_for_stop_signal() -> None:
    """Return at SIGINT (Ctrl-C) or SIGTERM."""
    stop = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    await stop.wait()


def _listen(host: str, port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
    except OSError:
        sock.close()
        raise
    return sock


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=2,
    )


async def _wait_until_ready(server: _Embedded, task: asyncio.Task[None]) -> None:
    """Return once requests are answered; raise the error of a server that failed before that."""
    ready = asyncio.create_task(server.ready.wait())
    await asyncio.wait({ready, task}, return_when=asyncio.FIRST_COMPLETED)
    ready.cancel()
    if task.done():
        task.result()
