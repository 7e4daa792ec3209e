"""The site's web application: one shell for all pages, and the JSON API of its script."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from practice.drift import Drift, DriftCookie, drift_of
from practice.markup import wrapped
from practice.tickets.data import DEFAULT_SEED, Ticket, ground_truth

PAGE_SIZE = 20
_STATIC = Path(__file__).parent / "static"
_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
_HEADERS = {"content-security-policy": _POLICY, "cache-control": "no-cache"}
"""A cached page would not show drift that was turned on later."""
_UNKEPT = {"cache-control": "no-store"}
"""Headers of responses that depend on drift."""
_HIDDEN = ("hydration_share", "description", "comments", "activity", "related")


@dataclass(frozen=True)
class Options:
    """Options of the site.

    ``latency_ms`` is the longest delay of a page; each ticket takes a fifth to the whole of it, 0 is no delay.
    ``missing`` names tickets that do not exist. ``missing_status`` is the status of the page of a missing ticket: 200
    as on most such sites, or 404.
    """

    seed: int = DEFAULT_SEED
    latency_ms: int = 250
    missing: AbstractSet[str] = field(default_factory=frozenset[str])
    missing_status: int = 200


class TicketSite:
    """The application for one seed. It has no state that a visitor can change."""

    def __init__(self, options: Options) -> None:
        self._options = options
        tickets = ground_truth(options.seed)
        self._tickets = {ticket.number: ticket for ticket in tickets if ticket.number not in options.missing}

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/", self._shell),
                Route("/tickets", self._shell),
                Route("/tickets/{number}", self._ticket_shell),
                Route("/api/tickets", self._list),
                Route("/api/tickets/{number}", self._ticket),
                Route("/static/app.css", self._css),
                Mount("/static", StaticFiles(directory=_STATIC)),
                Route("/{path:path}", self._lost_shell),
            ],
            middleware=[Middleware(DriftCookie)],
        )

    async def _shell(self, request: Request) -> Response:
        return _shell(200, drift_of(request))

    async def _ticket_shell(self, request: Request) -> Response:
        known = self._known(request) is not None
        return _shell(200 if known else self._options.missing_status, drift_of(request))

    async def _lost_shell(self, request: Request) -> Response:
        return _shell(404, drift_of(request))

    async def _css(self, request: Request) -> Response:
        drift, path = drift_of(request), _STATIC / "app.css"
        if not drift.has("wrap"):
            return FileResponse(path)
        css = drift.css(path.read_text(encoding="utf-8"))
        return Response(css, headers=_UNKEPT, media_type="text/css")

    async def _list(self, request: Request) -> Response:
        await self._take(0.5)
        pages = -(-len(self._tickets) // PAGE_SIZE)
        page = _page_number(request.query_params.get("page", "1"))
        if page is None or not 1 <= page <= max(pages, 1):
            return _error(404, f"There are pages 1 to {pages}.")
        tickets = list(self._tickets.values())[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
        if drift_of(request).has("lookalike"):
            tickets = [shown for ticket in tickets for shown in (ticket, self._twin(ticket))]
        rows = [_summary(ticket) for ticket in tickets]
        return JSONResponse({"tickets": rows, "page": page, "pages": pages, "total": len(self._tickets)})

    async def _ticket(self, request: Request) -> Response:
        ticket = self._known(request)
        await self._take(ticket.hydration_share if ticket else 0.5)
        if ticket is None:
            return _error(404, "No ticket has this number.")
        related = [_summary(self._tickets[number]) for number in ticket.related if number in self._tickets]
        seen = {"seen_before": _summary(self._twin(ticket))} if drift_of(request).has("lookalike") else {}
        return JSONResponse({**_plain(dataclasses.asdict(ticket)), "related": related, **seen})

    def _known(self, request: Request) -> Ticket | None:
        number = str(request.path_params["number"])
        original = self._tickets.get(number[:-1]) if drift_of(request).has("lookalike") else None
        return self._tickets.get(number) or (self._twin(original) if original and number.endswith("1") else None)

    def _twin(self, ticket: Ticket) -> Ticket:
        """Return the look-alike of a ticket (TCK-10011 for TCK-1001) with the values of another ticket."""
        tickets = list(self._tickets.values())
        other = tickets[(tickets.index(ticket) + 7) % len(tickets)] if ticket in tickets else ticket
        return dataclasses.replace(other, number=f"{ticket.number}1")

    async def _take(self, share: float) -> None:
        await asyncio.sleep(share * self._options.latency_ms / 1000)


def _shell(status: int, drift: Drift) -> Response:
    """Return the shell of all pages; it tells its script which drift is on."""
    if not drift:
        return FileResponse(_STATIC / "index.html", status_code=status, headers=_HEADERS)
    page = wrapped((_STATIC / "index.html").read_text(encoding="utf-8"), drift)
    opening = f'<html data-drift="{drift}" data-suffix="{drift.suffix}"'
    page = page.replace("<html", opening, 1).replace("/static/app.css", "/static/app.css?drifted")
    return HTMLResponse(page, status, {**_HEADERS, **_UNKEPT})


def _error(status: int, message: str) -> Response:
    return JSONResponse({"error": message}, status_code=status)


def _page_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else None


def _summary(ticket: Ticket) -> dict[str, Any]:
    whole = _plain(dataclasses.asdict(ticket))
    return {name: value for name, value in whole.items() if name not in _HIDDEN}


def _plain(value: Any) -> Any:
    """Return ``value`` with every date as ISO text, as JSON needs it."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]  # pyright: ignore[reportUnknownVariableType]
    return value
