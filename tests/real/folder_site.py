"""Folders and pages served on loopback, and the state that the pages report themselves.

A page's own probe posts its state to ``/told/NAME``: a report that is independent of the observations and actions under
test.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import mimetypes
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit


class FolderSite:
    """``folders`` maps URL paths to served folders. ``change`` may alter a file before it is sent."""

    def __init__(self, folders: dict[str, Path], change: Callable[[str, bytes], bytes] | None = None) -> None:
        self.url = ""
        self.pages: dict[str, str] = {}
        self.answers: dict[str, Any] = {}
        """JSON responses by path, for any query."""
        self._folders = folders
        self._change = change or (lambda _, body: body)
        self._told: dict[str, Any] = {}
        self._news = asyncio.Condition()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> FolderSite:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def told(self, name: str) -> Any:
        """Return the last report of page ``name``; None if there is none yet."""
        return self._told.get(name)

    def forget(self, name: str) -> None:
        self._told.pop(name, None)

    async def comes_to(self, name: str, wanted: Callable[[Any], bool], within_s: float) -> Any:
        """Return the report of page ``name`` as soon as it is as wanted, at the latest after ``within_s``."""
        async with self._news:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait_for(lambda: wanted(self._told.get(name))), within_s)
        return self._told.get(name)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await self._answer(reader, writer)
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        method, target, _ = head.split("\r\n", 1)[0].split(" ")
        path = unquote(urlsplit(target).path)
        if method == "POST":
            length = next((int(line[15:]) for line in head.split("\r\n") if line[:15].lower() == "content-length:"), 0)
            await self._heard(path.removeprefix("/told/"), await reader.readexactly(length))
            status, kind, body = 204, "text/plain", b""
        else:
            status, kind, body = self._found(path)
        headers = f"content-type: {kind}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        writer.write(f"HTTP/1.1 {status} X\r\n{headers}".encode("latin-1") + body)
        await writer.drain()

    async def _heard(self, name: str, body: bytes) -> None:
        async with self._news:
            self._told[name] = json.loads(body)
            self._news.notify_all()

    def _found(self, path: str) -> tuple[int, str, bytes]:
        if path in self.pages:
            return 200, "text/html; charset=utf-8", self.pages[path].encode()
        if path in self.answers:
            return 200, "application/json", json.dumps(self.answers[path]).encode()
        for prefix, folder in self._folders.items():
            file = (folder / path.removeprefix(prefix).lstrip("/")).resolve()
            if path.startswith(prefix) and file.is_relative_to(folder.resolve()) and file.is_file():
                kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
                return 200, kind, self._change(path, file.read_bytes())
        return 404, "text/plain", b"not here"
