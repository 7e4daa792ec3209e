"""Stored responses served on loopback, one server for each stored origin."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response as HttpResponse
from starlette.routing import Route

from practice.serving import serve
from tests.corpus.stored import Response

TEXTS = re.compile(r"text/|json|javascript|xml|svg")
"""Media types of bodies in which addresses are written."""


@dataclass
class Origins:
    """The stored hosts, such as ``127.0.0.1:47100``, and those that are served now. Both have as many characters."""

    live: dict[str, str] = field(default_factory=dict[str, str])

    def to_live(self, text: str) -> str:
        return _replaced(text, self.live)

    def to_stored(self, text: str) -> str:
        return _replaced(text, {now: stored for stored, now in self.live.items()})


def _replaced(text: str, hosts: Mapping[str, str]) -> str:
    if not hosts:
        return text
    return re.sub("|".join(map(re.escape, hosts)), lambda found: hosts[found[0]], text)


def body_with(hosts: Mapping[str, str], media_type: str, body: bytes) -> bytes:
    """Return the body with other hosts. Bytes that are no text stay as they are."""
    if not TEXTS.search(media_type):
        return body
    return _replaced(body.decode("latin-1"), hosts).encode("latin-1")


@contextlib.asynccontextmanager
async def served(responses: Mapping[str, Response]) -> AsyncGenerator[Origins]:
    """Serve the responses under new ports while the context is open."""
    origins = Origins()
    async with contextlib.AsyncExitStack() as stack:
        for host in sorted({urlsplit(url).netloc for url in responses}):
            url = await stack.enter_async_context(serve(_app(host, responses, origins)))
            origins.live[host] = urlsplit(url).netloc
        yield origins


def _app(host: str, responses: Mapping[str, Response], origins: Origins) -> Starlette:
    async def answer(request: Request) -> HttpResponse:
        path = request.url.path if not request.url.query else f"{request.url.path}?{request.url.query}"
        found = responses.get(f"http://{host}{origins.to_stored(path)}")
        if found is None:
            return HttpResponse("not stored", 404)
        body = await asyncio.to_thread(body_with, origins.live, found.media_type, found.body)
        return HttpResponse(body, found.status, media_type=None, headers={"content-type": found.media_type})

    return Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST"])])
