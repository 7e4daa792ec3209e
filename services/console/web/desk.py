"""What the pages of one server share: the client of the bus, the templates, who looks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from services.console.web.markup import templates
from services.console.web.page_origin import PageOrigin
from shared.bus.ports import Asks
from shared.client import Client
from shared.client.workflow_samples import SampleBus
from shared.settings import Settings


@dataclass(frozen=True)
class Desk:
    """``person``: whose acts these are. ``closing``: the server ends. ``static``: the files that pages load, with
    their media type and the hash in their address. ``pages``: where stored pages are shown. ``opens_writer``: returns
    the bus whose evidence service files decisions; None: that of the client does. ``opens_library``: where the client
    has no services, returns the bus of one for the library of this machine."""

    client: Client
    settings: Settings
    person: str
    static: dict[str, StaticFile]
    pages: PageOrigin
    opens_writer: Callable[[], Awaitable[Asks]] | None = None
    opens_library: Callable[[], Awaitable[SampleBus]] | None = None
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    costs: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """When the cost of a run at work was asked for, and what it was."""
    templates: Environment = field(default_factory=templates)
    draft_of: Callable[[str], str] = lambda _: ""
    """Returns the draft of a run whose first rows a run has; empty: there is none."""
    checking: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while this set-up is checked."""
    deciding: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a decision is filed: those of one person follow from each other."""

    @property
    def has_services(self) -> bool:
        """Whether runs can be started: the client is one of a bus with all services."""
        return self.opens_writer is None

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
    """A file that pages load. ``version``: in its address, so that a browser keeps it until it is another."""

    data: bytes
    media_type: str
    version: str


def desk_of(request: Request) -> Desk:
    return request.app.state.desk


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
        **facts,
    }
    return HTMLResponse(desk.templates.get_template(template).render(given), status_code)


def page_number(request: Request) -> int:
    """Return the page of a list that the address asks for, from 1."""
    given = request.query_params.get("page", "")
    return max(int(given), 1) if given.isascii() and given.isdecimal() and len(given) < 7 else 1
