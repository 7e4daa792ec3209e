"""Folders and pages served on loopback, and the state that the pages report themselves.

A page's own probe posts its state to ``/told/NAME``: a report that is independent of the observations and actions under
test.
"""

from __future__ import annotations

import asyncio
import contextlib
import mimetypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from practice.serving import serve


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
        self._served = contextlib.AsyncExitStack()

    async def __aenter__(self) -> FolderSite:
        routes = [Route("/told/{name:path}", self._hear, methods=["POST"]), Route("/{path:path}", self._answer)]
        self.url = await self._served.enter_async_context(serve(Starlette(routes=routes)))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._served.aclose()

    def forget(self, name: str) -> None:
        self._told.pop(name, None)

    async def comes_to(self, name: str, wanted: Callable[[Any], bool], within_s: float) -> Any:
        """Return the report of page ``name`` as soon as it is as wanted, at the latest after ``within_s``; None if
        there is none."""
        async with self._news:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait_for(lambda: wanted(self._told.get(name))), within_s)
        return self._told.get(name)

    async def _hear(self, request: Request) -> Response:
        told = await request.json()
        async with self._news:
            self._told[request.path_params["name"]] = told
            self._news.notify_all()
        return Response(status_code=204)

    async def _answer(self, request: Request) -> Response:
        path = request.url.path
        if path in self.pages:
            return HTMLResponse(self.pages[path])
        if path in self.answers:
            return JSONResponse(self.answers[path])
        for prefix, folder in self._folders.items():
            file = (folder / path.removeprefix(prefix).lstrip("/")).resolve()
            if path.startswith(prefix) and file.is_relative_to(folder.resolve()) and file.is_file():
                kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
                return Response(self._change(path, file.read_bytes()), headers={"content-type": kind})
        return Response("not here", 404)
