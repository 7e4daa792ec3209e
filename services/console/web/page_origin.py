"""The second origin: stored pages, each at an address that cannot be guessed, and shown in a sandbox of the console.

It has no session: a page that was captured must not be of one origin with the console, nor see its cookie's pages.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from services.console.web.stored_page import document_of
from services.console.web.stored_samples import read_one
from shared.settings import Settings

SUFFIX = ".mhtml.zst"
POLICY = (
    "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline' data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors {console}; sandbox"
)


@dataclass(frozen=True)
class PageOrigin:
    """``base``: its address. ``console``: those that may frame it."""

    base: str
    console: tuple[str, ...]
    settings: Settings
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def address(self, run_id: str, sample_id: str, name: str) -> str:
        """Return where a stored page is shown."""
        return f"{self.base}/{self._mark(run_id, sample_id, name)}/{run_id}/{sample_id}/{name}"

    def _mark(self, *names: str) -> str:
        return hmac.new(self.key, "/".join(names).encode(), hashlib.sha256).hexdigest()

    async def show(self, request: Request) -> Response:
        """Send the stored page of an address that the console has given."""
        run_id, sample_id, name, mark = (request.path_params[one] for one in ("run", "sample", "file", "mark"))
        known = hmac.compare_digest(mark.encode(), self._mark(run_id, sample_id, name).encode())
        if not known or request.headers.get("host") != self.base.removeprefix("http://"):
            raise HTTPException(404)
        packed = await asyncio.to_thread(read_one, self.settings, run_id, sample_id, name)
        document = None if packed is None else await asyncio.to_thread(document_of, packed)
        headers = {
            "Content-Security-Policy": POLICY.format(console=" ".join(self.console)),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-site",
            "Cache-Control": "no-store",
        }
        text = "This stored page cannot be shown. Save its file instead." if document is None else document
        return HTMLResponse(text, headers=headers)

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{mark}/{run}/{sample}/{file}", self.show, methods=["GET"])])
