"""The site's web application: one shell for every page, and JSON that the shell's script asks for."""

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
"""A page that was kept would not know of drift that was turned on since."""
_UNKEPT = {"cache-control": "no-store"}
"""For what is another under drift."""
_HIDDEN = ("hydration_share", "description", "comments", "activity", "related")


@dataclass(frozen=True)
class Options:
    """``latency_ms`` is the longest time a page takes to fill, each ticket its own fifth to whole of it;
    0 is no delay. ``missing`` names tickets that are gone. A page of a ticket that does not exist comes
    with ``missing_status``: 200 as most such sites answer, or 404."""

    seed: int = DEFAULT_SEED
    latency_ms: int = 250
    missing: AbstractSet[str] = field(default_factory=frozenset[str])
    missing_status: int = 200


class TicketSite:
    """Answers for one seeded set of tickets; it holds no state that a visitor could change."""

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
            tickets = [one for ticket in tickets for one in (ticket, self._twin(ticket))]
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
        """The ticket whose number looks like this one's, TCK-10011 beside TCK-1001: what another one says."""
        tickets = list(self._tickets.values())
        other = tickets[(tickets.index(ticket) + 7) % len(tickets)] if ticket in tickets else ticket
        return dataclasses.replace(other, number=f"{ticket.number}1")

    async def _take(self, share: float) -> None:
        await asyncio.sleep(share * self._options.latency_ms / 1000)


def _shell(status: int, drift: Drift) -> Response:
    """One page for all; under drift its script is told of it there."""
    if not drift:
        return FileResponse(_STATIC / "index.html", status_code=status, headers=_HEADERS)
    page = wrapped((_STATIC / "index.html").read_text(encoding="utf-8"), drift)
    told = f'<html data-drift="{drift}" data-suffix="{drift.suffix}"'
    page = page.replace("<html", told, 1).replace("/static/app.css", "/static/app.css?drifted")
    return HTMLResponse(page, status, {**_HEADERS, **_UNKEPT})


def _error(status: int, message: str) -> Response:
    return JSONResponse({"error": message}, status_code=status)


def _page_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else None


def _summary(ticket: Ticket) -> dict[str, Any]:
    whole = _plain(dataclasses.asdict(ticket))
    return {name: value for name, value in whole.items() if name not in _HIDDEN}


def _plain(value: Any) -> Any:
    """``value`` with every date as ISO text, as JSON needs it."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]  # pyright: ignore[reportUnknownVariableType]
    return value
