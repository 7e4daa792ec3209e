"""Serve the register on the loopback interface, in the running event loop."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from practice.forged.site import ForgedSite, Options
from practice.serving import serve as serve_app


@asynccontextmanager
async def serve(options: Options | None = None, port: int = 0) -> AsyncGenerator[tuple[str, ForgedSite]]:
    """Yield the base URL and the site while the context is open; ``port`` 0 selects a free one.

    Raises OSError for a port in use.
    """
    site = ForgedSite(options or Options())
    async with serve_app(site.app(), port) as url:
        yield url, site
