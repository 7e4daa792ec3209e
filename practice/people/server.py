"""Serve the directory on the loopback interface, in the running event loop."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from practice.people.site import Options, PeopleSite
from practice.serving import serve as serve_app

PORT = 8461
"""The port in the task specs."""


def serve(port: int = 0, options: Options | None = None) -> AbstractAsyncContextManager[str]:
    """Yield the base URL while the context is open; ``port`` 0 selects a free one. Raises OSError for a port in use."""
    return serve_app(PeopleSite(options or Options()).app(), port)
