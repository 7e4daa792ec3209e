"""Serve the portal on the loopback interface, in the running event loop."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from practice.hr_portal.site import Options, PortalSite
from practice.serving import serve as serve_app

PORT = 8462
"""The port in the task spec."""


def serve(port: int = 0, options: Options | None = None) -> AbstractAsyncContextManager[str]:
    """Yield the base URL while the context is open; ``port`` 0 selects a free one. Raises OSError for a port in use."""
    return serve_app(PortalSite(options or Options()).app(), port)
