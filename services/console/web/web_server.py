"""Serves the console in the browser on one address of this machine, in the running event loop."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from getpass import getuser

import uvicorn
from starlette.types import ASGIApp

from services.console.web.desk import Desk
from services.console.web.guard import Guard, WebSessions, audit
from services.console.web.logins.open_logins import OpenLogins
from services.console.web.new_run.asked_tasks import AskedTasks
from services.console.web.new_run.drafts import Drafts
from services.console.web.new_run.new_web import NEW
from services.console.web.page_origin import PageOrigin
from services.console.web.people.audit_log import AuditLog, audit_file
from services.console.web.people.kept_sessions import KeptSessions
from services.console.web.people.trusted_proxy import proxy_of
from services.console.web.static_files import static_files
from services.console.web.web_app import make_app
from shared.bus.ports import Asks
from shared.client import Client
from shared.client.workflow_samples import SampleBus
from shared.errors import Unavailable
from shared.settings import Settings

HOST = "127.0.0.1"
WEB_PORT = 4280
END_S = 2
"""How long answers on their way may take when the server ends."""


class _QuietServer(uvicorn.Server):
    """A server that leaves signals to the program that it runs in."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@asynccontextmanager
async def serve_console(
    client: Client,
    settings: Settings,
    port: int | None,
    told: Callable[[str], None] = lambda _: None,
    opens_writer: Callable[[], Awaitable[Asks]] | None = None,
    opens_library: Callable[[], Awaitable[SampleBus]] | None = None,
    reader: Client | None = None,
) -> AsyncGenerator[str]:
    """Serve within the block; yield the address that begins the first session, or that of the proxy of the settings.

    Args:
        client: of the bus, with the rights of the person who looks.
        settings: where the evidence is.
        port: on loopback; 0 takes a free one. None: `WEB_PORT`, or a free one where something else has it.
        opens_writer: as `Desk` has it; so is ``opens_library``.
        told: is called with the address for the next session, each time that one was used.
        reader: as `Desk` has it.

    Raises:
        Unavailable: the port cannot be had.
        PermanentError: the proxy of the settings cannot be believed.
    """
    audit.setLevel(logging.INFO)  # it is kept whatever else is logged
    proxy, log = proxy_of(settings), AuditLog(audit_file(settings))
    sock, page_sock = _listen(settings.web_host, port), _listen(HOST, 0)
    port = sock.getsockname()[1]
    base = f"http://{HOST}:{port}"
    origins = (base, f"http://localhost:{port}")
    pages = PageOrigin(f"http://{HOST}:{page_sock.getsockname()[1]}", origins, settings)
    drafts, asked_tasks, open_logins = Drafts(), AskedTasks(), OpenLogins()
    desk = Desk(
        client, settings, getuser(), static_files(), None if proxy is not None else pages, opens_writer,
        opens_library, draft_of=drafts.of_pilot, reader=reader, behind_proxy=proxy is not None,
        connected=lambda one: one.connected,
    )  # fmt: skip
    kept = KeptSessions(settings.state_dir / f"console/sessions_{port}.json")
    sessions = WebSessions(kept, told=lambda path: told(f"{base}{path}"))
    hosts = {proxy.host} if proxy is not None else {f"{HOST}:{port}", f"localhost:{port}"}
    cookie = "__Host-exhibit" if proxy is not None and proxy.is_https else f"exhibit_{port}"
    app = Guard(make_app(desk, drafts, asked_tasks, open_logins), sessions, hosts, cookie, (NEW,), proxy, log)
    servers = [_server(app), _server(pages.app())]
    serving = [
        asyncio.create_task(server.serve(sockets=[one])) for server, one in zip(servers, (sock, page_sock), strict=True)
    ]
    try:
        yield f"{base}{sessions.way_in}" if proxy is None else f"{proxy.address}/"
    finally:
        desk.closing.set()
        for server in servers:
            server.should_exit = True
        await asyncio.gather(*serving, return_exceptions=True)
        await asked_tasks.aclose()
        await open_logins.aclose()
        sock.close()
        page_sock.close()


def _server(app: ASGIApp) -> _QuietServer:
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, lifespan="off", ws="none",
        timeout_graceful_shutdown=END_S, proxy_headers=False,  # the peer is who is connected, whatever a header says
    )  # fmt: skip
    return _QuietServer(config)


def _listen(host: str, port: int | None) -> socket.socket:
    try:
        return socket.create_server((host, WEB_PORT if port is None else port))
    except OSError as exc:
        if port is None and exc.errno == errno.EADDRINUSE:
            return socket.create_server((host, 0))
        why = "something else has it" if exc.errno == errno.EADDRINUSE else exc.strerror or str(exc)
        raise Unavailable(f"port {port} of {host} cannot be opened: {why}; name another one with --web-port") from exc
