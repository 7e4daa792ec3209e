"""Connects the WebSockets of one browser, after a decision on the address that is really connected to.

The browser pauses no WebSocket for its guard. It sends them through the SOCKS proxy of its settings, and nothing else:
so each browser has one of its own here (RFC 1928, CONNECT only). Names are resolved here, once: what was decided about
is what is connected to.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress

from shared.aio import cancel_and_wait
from shared.network.peers import is_of_user

log = logging.getLogger(__name__)

Refusal = Callable[[str, int, tuple[str, ...]], Awaitable[str | None]]
"""Given a host, a port and its addresses: why no session may connect there, or None."""
Resolve = Callable[[str], Awaitable[tuple[str, ...]]]

MAX_CONNECTIONS = 256
"""Of one browser at a time; more are refused."""
HANDSHAKE_BOUND_S = 10.0
CONNECT_BOUND_S = 10.0
PIECE_BYTES = 65_536
VERSION, CONNECT, NO_AUTHENTICATION = 5, 1, 0
IPV4, NAME, IPV6 = 1, 3, 4
GRANTED, NOT_ALLOWED, UNREACHABLE, UNKNOWN_COMMAND = 0, 2, 4, 7


class SocketProxy:
    """A SOCKS proxy on loopback. Until it is told by whom to decide, it refuses all."""

    def __init__(self, server: asyncio.Server) -> None:
        self._server = server
        self._refusal: Refusal | None = None
        self._resolve: Resolve | None = None
        self._serving: set[asyncio.Task[None]] = set()

    @classmethod
    async def start(cls) -> SocketProxy:
        """Listen on a free port. Raises OSError."""
        proxy: SocketProxy | None = None

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            assert proxy is not None
            await proxy._serve(reader, writer)

        proxy = cls(await asyncio.start_server(connected, "127.0.0.1", 0))
        return proxy

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of a browser that uses it: pages and their parts go directly, WebSockets come here, those to
        loopback too."""
        port = self._server.sockets[0].getsockname()[1]
        rules = f"http=direct://;https=direct://;socks=socks5://127.0.0.1:{port}"
        return (f"--proxy-server={rules}", "--proxy-bypass-list=<-loopback>")

    def decide_by(self, refusal: Refusal, resolve: Resolve) -> None:
        self._refusal, self._resolve = refusal, resolve

    async def close(self) -> None:
        """End all connections. Idempotent."""
        self._server.close()
        await cancel_and_wait(*self._serving)

    # --- one connection

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        try:
            if not await asyncio.to_thread(_is_of_this_user, writer):
                return
            async with asyncio.timeout(HANDSHAKE_BOUND_S):
                target = await _read_request(reader, writer)
            if target is None or len(self._serving) > MAX_CONNECTIONS:
                await _reply(writer, UNKNOWN_COMMAND if target is None else NOT_ALLOWED)
                return
            await self._connect(*target, reader, writer)
        except (OSError, EOFError, TimeoutError, UnicodeDecodeError):
            return  # one side is gone, or it is no client of ours
        finally:
            self._serving.discard(task)
            await _close(writer)

    async def _connect(self, host: str, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        addresses = await self._addresses(host)
        why = await self._refusal(host, port, addresses) if self._refusal is not None else "no session is open"
        if why:
            await _reply(writer, NOT_ALLOWED)
            return
        try:
            async with asyncio.timeout(CONNECT_BOUND_S):
                there_reader, there = await _open_first(addresses, port)
        except (OSError, TimeoutError):
            await _reply(writer, UNREACHABLE)
            return
        try:
            await _reply(writer, GRANTED)
            await _relay(reader, there, there_reader, writer)
        finally:
            await _close(there)

    async def _addresses(self, host: str) -> tuple[str, ...]:
        with suppress(ValueError):
            return (str(ipaddress.ip_address(host)),)
        return await self._resolve(host) if self._resolve is not None else ()


def _is_of_this_user(writer: asyncio.StreamWriter) -> bool:
    """Whether the browser's own user has connected: Chromium can send a proxy of this kind no password."""
    theirs, ours = writer.get_extra_info("peername"), writer.get_extra_info("sockname")
    return theirs is not None and is_of_user(theirs[:2], ours[:2], os.geteuid())


async def _read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[str, int] | None:
    """Return the host and port that are asked for, None if something else is asked for."""
    version, methods = await reader.readexactly(2)
    if version != VERSION or NO_AUTHENTICATION not in await reader.readexactly(methods):
        return None
    writer.write(bytes((VERSION, NO_AUTHENTICATION)))
    version, command, _, kind = await reader.readexactly(4)
    if version != VERSION or command != CONNECT:
        return None
    if kind == NAME:
        (length,) = await reader.readexactly(1)
        host = (await reader.readexactly(length)).decode("ascii")
    elif kind in (IPV4, IPV6):
        host = str(ipaddress.ip_address(await reader.readexactly(4 if kind == IPV4 else 16)))
    else:
        return None
    return host, int.from_bytes(await reader.readexactly(2), "big")


async def _reply(writer: asyncio.StreamWriter, answer: int) -> None:
    writer.write(bytes((VERSION, answer, 0, IPV4, 0, 0, 0, 0, 0, 0)))
    await writer.drain()


async def _open_first(addresses: tuple[str, ...], port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the first address that answers. Raises OSError when none does."""
    last: OSError = OSError("the name has no address")
    for address in addresses:
        try:
            return await asyncio.open_connection(address, port)
        except OSError as error:
            last = error
    raise last


async def _relay(
    reader: asyncio.StreamReader,
    there: asyncio.StreamWriter,
    there_reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    """Pass on both ways until one side has ended."""
    ways = [asyncio.create_task(_pass_on(reader, there)), asyncio.create_task(_pass_on(there_reader, writer))]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await cancel_and_wait(*ways)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(PIECE_BYTES):
            writer.write(piece)
            await writer.drain()


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
