"""Serves the portal on the loopback interface, in the running event loop."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from practice.hr_portal.site import Options, PortalSite
from practice.serving import serve as serve_app

PORT = 8462
"""Where the task spec looks for the portal."""


def serve(port: int = 0, options: Options | None = None) -> AbstractAsyncContextManager[str]:
    """The base URL for as long as the context is open; ``port`` 0 takes a free one, a port in use is an OSError."""
    return serve_app(PortalSite(options or Options()).app(), port)
