"""Serve the site on the loopback interface, in the running event loop."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager

from practice import serving
from practice.tickets.data import DEFAULT_SEED
from practice.tickets.site import Options, TicketSite


@asynccontextmanager
async def serve(
    port: int = 0,
    *,
    seed: int = DEFAULT_SEED,
    latency_ms: int = 250,
    missing: AbstractSet[str] = frozenset(),
    missing_status: int = 200,
) -> AsyncGenerator[str]:
    """Yield the base URL, such as ``http://127.0.0.1:40123``, while the context is open.

    ``port`` 0 selects a free one. Raises OSError for a port in use. The other options are those of :class:`Options`.
    """
    app = TicketSite(Options(seed, latency_ms, missing, missing_status)).app()
    async with serving.serve(app, port) as url:
        yield url
