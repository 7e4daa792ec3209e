"""A web site on loopback, in the event loop of the test; each test adds its paths."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from services.browser_pool.ports import SessionTerms

LOOPBACK = SessionTerms(allowed_hosts=("127.0.0.1", "*.invalid"), private_hosts=("127.0.0.1",))
"""The hosts that sessions of these tests may visit."""


@dataclass
class Answer:
    body: bytes
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    gate: asyncio.Event | None = None
    """The response waits until this is set."""
    stream: Callable[[], AsyncIterator[bytes]] | None = None
    """The rest of the body, streamed in pieces without a content length."""


class Site:
    """Serves pages on a host of this machine, and knows what it was asked for."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.host = host
        self.pages: dict[str, Answer] = {}
        self._asked: dict[str, asyncio.Event] = {}
        self.url = ""
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._connected, self.host, 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        self.url = f"http://{self.host}:{self.port}"

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for answer in self.pages.values():
            if answer.gate is not None:
                answer.gate.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def add(self, path: str, html: str | bytes, **how: object) -> str:
        body = html.encode() if isinstance(html, str) else html
        self.pages[path] = Answer(body, **how)  # type: ignore[arg-type]
        return self.url + path

    def asked_for(self, path: str) -> asyncio.Event:
        """Return an event that is set when `path` is requested."""
        return self._asked.setdefault(path, asyncio.Event())

    @property
    def was_asked(self) -> bool:
        return any(asked.is_set() for asked in self._asked.values())

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._answer(reader, writer)
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        path = head.split(" ", 2)[1].split("?")[0]
        self.asked_for(path).set()
        answer = self.pages.get(path) or Answer(b"<h1>Not here</h1>", 404)
        if answer.gate is not None:
            await answer.gate.wait()
        headers = {
            "content-type": answer.content_type,
            **({} if answer.stream else {"content-length": str(len(answer.body))}),
            "connection": "close",
            **answer.headers,
        }
        lines = [f"HTTP/1.1 {answer.status} X", *(f"{key}: {value}" for key, value in headers.items()), "", ""]
        writer.write("\r\n".join(lines).encode("latin-1") + answer.body)
        await writer.drain()
        if answer.stream is not None:
            async for piece in answer.stream():
                writer.write(piece)
                await writer.drain()
