"""Asks the console for a page as a browser with a session does, without a server."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.types import Message, Scope

from services.console.web.guard import CSRF, Guard, WebSessions

HOST = "127.0.0.1:4280"


@dataclass
class SentPage:
    status: int
    headers: dict[str, str]
    data: bytes

    @property
    def text(self) -> str:
        return self.data.decode()


async def ask_page(
    app: Guard, sessions: WebSessions, path: str, form: dict[str, str] | None = None, **headers: str
) -> SentPage:
    """Return what is sent for a path, or for a form. ``headers``: besides, or instead."""
    path, _, query = path.partition("?")
    secret = sessions.begin(sessions.way_in.partition("token=")[2]) or ""
    body = b"" if form is None else urlencode({CSRF: sessions.form_key(secret), **form}).encode()
    given = {"host": HOST, "cookie": f"exhibit_session={secret}", "origin": f"http://{HOST}", **headers}
    scope: Scope = {
        "type": "http", "method": "GET" if form is None else "POST", "path": path, "raw_path": path.encode(),
        "query_string": query.partition("#")[0].encode(), "root_path": "", "scheme": "http", "http_version": "1.1",
        "server": ("127.0.0.1", 4280), "client": ("127.0.0.1", 1),
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }  # fmt: skip
    sent: list[Message] = []

    asked = iter([body])

    async def receive() -> Message:
        for part in asked:
            return {"type": "http.request", "body": part, "more_body": False}
        return await asyncio.Future()  # who asks stays until it is answered

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    heads = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return SentPage(sent[0]["status"], heads, b"".join(one.get("body", b"") for one in sent[1:]))
