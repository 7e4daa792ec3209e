"""What the pages of one server share: the client of the bus, the templates, who looks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from jinja2 import Environment
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from services.console.web.markup import templates
from services.console.web.page_origin import PageOrigin
from services.console.web.people.audit_log import AuditLog, audit_file
from services.console.web.people.roles import ALL_ROLES, WebPerson, WebRole, may
from shared.bus.ports import Asks
from shared.client import Client
from shared.client.run_client import LOAD_BOUND_S
from shared.client.workflow_samples import SampleBus
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import LoadRun, RunUnknown, SqlRefused
from shared.settings import Settings
from shared.subjects import LOAD_RUN

NO_RUN = "There is no such run. It may be in another place of evidence."


@dataclass(frozen=True)
class Desk:
    """``person``: whose acts these are, and ``roles`` what he may do. ``closing``: the server ends. ``static``: the
    files that pages load, with their media type and the hash in their address. ``pages``: where stored pages are
    shown; None: nowhere, as behind a proxy. ``reader``: the client of whoever is no preparer; None: ``client``.
    ``opens_writer``: returns the bus whose evidence service files decisions; None: that of the client does.
    ``opens_library``: where the client has no services, returns the bus of one for the library of this machine."""

    client: Client
    settings: Settings
    person: str
    static: dict[str, StaticFile]
    pages: PageOrigin | None
    opens_writer: Callable[[], Awaitable[Asks]] | None = None
    opens_library: Callable[[], Awaitable[SampleBus]] | None = None
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    templates: Environment = field(default_factory=templates)
    draft_of: Callable[[str], str] = lambda _: ""
    """Returns the draft of a run whose first rows a run has; empty: there is none."""
    checking: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while this set-up is checked."""
    downloads: set[str] = field(default_factory=set[str])
    """Folders with a file that is being made, or is on its way to somebody."""
    handing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a run is checked against its seal, or put into a file."""
    deciding: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a decision is filed: those of one person follow from each other."""
    roles: frozenset[WebRole] = ALL_ROLES
    reader: Client | None = None
    behind_proxy: bool = False
    connected: Callable[[Client], bool] = lambda _: True
    """Whether the bus of a client is there."""

    @property
    def has_bus(self) -> bool:
        """Whether the bus is there, for the client with which whoever asks is asked for."""
        return self.connected(self.client)

    @property
    def has_services(self) -> bool:
        """Whether runs can be started: the client is one of a bus with all services."""
        return self.opens_writer is None

    @property
    def audit_log(self) -> AuditLog:
        return AuditLog(audit_file(self.settings))

    def seen_by(self, person: WebPerson) -> Desk:
        """Return the desk of somebody whom the proxy has named: his name, his roles, and no more rights than those."""
        limited = self.reader is not None and WebRole.PREPARER not in person.roles
        client = self.reader if limited and self.reader is not None else self.client
        return replace(self, person=person.name, roles=person.roles, client=client)

    async def pause(self, seconds: float) -> None:
        """Wait so long, or until the server ends."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.closing.wait(), seconds)

    async def writer(self) -> Asks:
        """Return the bus whose evidence service files decisions."""
        return self.client.bus if self.opens_writer is None else await self.opens_writer()

    async def library(self) -> SampleBus | None:
        """Return the bus of the library of flows and workflows; None where there is no library."""
        if self.has_services:
            return self.client.bus
        if self.opens_library is None or not await asyncio.to_thread(self.settings.workflows_dir.exists):
            return None
        return await self.opens_library()


@dataclass(frozen=True)
class StaticFile:
    """A file that pages load. ``version``: in its address, so that a browser keeps it until it is another.
    ``packed``: its bytes in gzip."""

    data: bytes
    media_type: str
    version: str
    packed: bytes


def desk_of(request: Request) -> Desk:
    """Return the desk as whoever asks has it."""
    desk: Desk = request.app.state.desk
    person: WebPerson | None = request.scope["state"].get("person")
    return desk if person is None else desk.seen_by(person)


def page(request: Request, template: str, status_code: int = 200, /, **facts: Any) -> Response:
    """Return a page, whole."""
    desk = desk_of(request)

    def static(name: str) -> str:
        return f"/static/{name}?v={desk.static[name].version}"

    given: dict[str, Any] = {
        "form_key": request.state.form_key,
        "path": request.url.path,
        "address": request.url,
        "static": static,
        "can_open": partial(may, desk.roles),
        "signed_in": WebPerson(desk.person, desk.roles) if desk.behind_proxy else None,
        **facts,
    }
    return HTMLResponse(desk.templates.get_template(template).render(given), status_code)


async def ask_rows(desk: Desk, query: str, *runs: str, max_rows: int = 10) -> list[dict[str, Any]]:
    """Return the rows of a query of ours."""
    answer = await desk.client.sql(query, runs, max_rows=max_rows)
    if isinstance(answer, SqlRefused):
        raise HTTPException(503, f"The evidence could not be asked: {answer.message}")
    return json.loads(answer[1])


async def ended_run(desk: Desk, run_id: str, not_ended: str) -> RunRecord:
    """Return what is known of a run. Raises HTTPException (404) without one, and (409, as told) while it is at work."""
    loaded = await desk.client.bus.ask(LOAD_RUN, LoadRun(run_id=run_id, count_only=True), timeout_s=LOAD_BOUND_S)
    if isinstance(loaded, RunUnknown):
        raise HTTPException(404, NO_RUN)
    if loaded.finished is None:
        raise HTTPException(409, not_ended)
    return loaded.record


def page_number(request: Request) -> int:
    """Return the page of a list that the address asks for, from 1."""
    given = request.query_params.get("page", "")
    return max(int(given), 1) if given.isascii() and given.isdecimal() and len(given) < 7 else 1
