"""Serve the three sites on the loopback interface, each on its own port, in the running event loop."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from practice import serving
from practice.code_host.data import DEFAULT_SEED, ground_truth
from practice.code_host.site import Options, ci_app, code_app, tracker_app
from practice.code_host.view import Origins


@asynccontextmanager
async def serve(
    port: int = 0, ci_port: int = 0, tracker_port: int = 0, *, seed: int = DEFAULT_SEED, latency_ms: int = 180
) -> AsyncGenerator[Origins]:
    """Yield the base URLs of the three sites while the context is open.

    A port of 0 selects a free one. Raises OSError for a port in use. The other options are those of :class:`Options`.
    """
    world, origins, options = ground_truth(seed), Origins(), Options(seed, latency_ms)
    async with (
        serving.serve(code_app(world, origins, options), port) as origins.code,
        serving.serve(ci_app(world, origins, options), ci_port) as origins.ci,
        serving.serve(tracker_app(world, origins, options), tracker_port) as origins.tracker,
    ):
        yield origins
