"""An HTTP port for who watches a process: ``/health``, ``/ready`` and ``/metrics``, and nothing else.

It takes GET and HEAD, reads no body, answers one request a connection, and tells neither secrets nor names nor
anything of a page.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus

import msgspec

from shared.errors import Unavailable
from shared.health.readiness import Health
from shared.telemetry import scraping

log = logging.getLogger(__name__)

HEAD_BYTES = 8_192
READ_BOUND_S = 5.0
AT_ONCE = 32
"""Connections; more are closed at once."""
TEXT, JSON = "text/plain; charset=utf-8", "application/json"


@dataclass(frozen=True)
class PortAnswer:
    status: HTTPStatus
    body: bytes
    media_type: str = TEXT


@asynccontextmanager
async def open_http_port(host: str, port: int, health: Health) -> AsyncGenerator[int]:
    """PortAnswer within the block; yield the port, which is another one where 0 was asked for.

    Raises Unavailable when it cannot listen there.
    """
    open_now: set[asyncio.StreamWriter] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(open_now) < AT_ONCE:
            open_now.add(writer)
            with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                await _serve(reader, writer, health)
            open_now.discard(writer)
        writer.close()

    try:
        server = await asyncio.start_server(serve, host, port, limit=HEAD_BYTES)
    except OSError as exc:
        told = f"nothing can listen at {host}:{port}: {exc.strerror or exc}; EXHIBIT_HTTP_PORT names another port"
        raise Unavailable(told) from exc
    async with server:
        yield int(server.sockets[0].getsockname()[1])
        for writer in open_now:
            writer.close()


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, health: Health) -> None:
    async with asyncio.timeout(READ_BOUND_S):
        head = await reader.readuntil(b"\r\n\r\n")
    method, path = _request_line(head)
    answer = await _answer(method, path, health)
    told = {
        "Content-Type": answer.media_type,
        "Content-Length": str(len(answer.body)),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "Connection": "close",
    }
    lines = [f"HTTP/1.1 {answer.status.value} {answer.status.phrase}", *(f"{name}: {told[name]}" for name in told)]
    writer.write("\r\n".join([*lines, "", ""]).encode() + (b"" if method == "HEAD" else answer.body))
    async with asyncio.timeout(READ_BOUND_S):
        await writer.drain()


def _request_line(head: bytes) -> tuple[str, str]:
    """Return method and path, without a query; empty where the line is none of HTTP/1."""
    words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        return "", ""
    return words[0], words[1].partition("?")[0]


async def _answer(method: str, path: str, health: Health) -> PortAnswer:
    if not method:
        return _plain(HTTPStatus.BAD_REQUEST)
    if path not in ("/health", "/ready", "/metrics"):
        return _plain(HTTPStatus.NOT_FOUND)
    if method not in ("GET", "HEAD"):
        return _plain(HTTPStatus.METHOD_NOT_ALLOWED)
    if path == "/health":  # whoever answers this is alive
        return _plain(HTTPStatus.OK)
    if path == "/metrics":
        return PortAnswer(HTTPStatus.OK, scraping.scrape().encode(), scraping.MEDIA_TYPE)
    found = await health.look()
    status = HTTPStatus.OK if found.ready else HTTPStatus.SERVICE_UNAVAILABLE
    return PortAnswer(status, msgspec.json.encode(found), JSON)


def _plain(status: HTTPStatus) -> PortAnswer:
    return PortAnswer(status, f"{status.phrase}\n".encode())
