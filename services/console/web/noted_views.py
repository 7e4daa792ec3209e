"""What is done around each view of the console: the right to it is checked, a bus that is away is waited for, and what
came of it is noted in the audit log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from services.console.web.desk import Desk, desk_of
from services.console.web.guard import audit
from services.console.web.people.audit_log import MOST_ID_CHARS, AuditEntry
from services.console.web.people.roles import NEEDS, WebPerson, may
from shared.errors import ExhibitError, TransientError, Unavailable

BUS_BACK_S, BUS_LOOK_S = 2.0, 0.1
"""How long a page waits for a bus that is away, and how often it looks."""
WITHOUT_BUS = frozenset({
    "draft", "specs", "spec", "spec_file", "spec_picture", "change_spec", "use_spec", "save_view", "remove_view",
    "settings", "settings_checks", "asked", "wait_for_asked", "change_asked", "logins", "login", "login_picture",
})  # fmt: skip
"""Pages and acts that ask nothing of the bus, by the name of the route: they wait for none."""
View = Callable[[Request], Awaitable[Response]]


def noted(view: View) -> View:
    """Return the view with a line in the audit log for each time that it is asked: who, what, and what came of it; for
    an act one before it as well. Who has not the role for it is refused."""

    async def noted_view(request: Request) -> Response:
        begun, status = time.monotonic(), 500
        desk, name = desk_of(request), request.scope["route"].name
        try:
            if not may(desk.roles, name):
                raise HTTPException(403, f"This is for {' or '.join(sorted(NEEDS[name]))}s. You are {_told(desk)}.")
            if request.method == "POST":  # an act that cannot be noted is not done
                _note(request, desk, name, 0, 0)
            if name not in WITHOUT_BUS:
                await _wait_for_bus(desk)
            answer = await view(request)
            status = answer.status_code
            return answer
        except HTTPException as exc:
            status = exc.status_code
            raise
        except ExhibitError as exc:
            status = 503 if isinstance(exc, TransientError) else 400
            raise
        finally:
            took_ms = round(1000 * (time.monotonic() - begun))
            _note(request, desk, name, status, took_ms)

    return noted_view


async def _wait_for_bus(desk: Desk) -> None:
    """Raises Unavailable where the bus is away for longer than a moment: an ask would wait for it until its bound."""
    until_s = time.monotonic() + BUS_BACK_S
    while not desk.has_bus:
        if time.monotonic() >= until_s:
            raise Unavailable("the bus is away", code="bus_lost")
        await asyncio.sleep(BUS_LOOK_S)


def _told(desk: Desk) -> str:
    return WebPerson(desk.person, desk.roles).told


def _note(request: Request, desk: Desk, name: str, status: int, took_ms: int) -> None:
    """Raises Unavailable where it cannot be noted: the page is not shown then."""
    audit.info("session %d: %s %s, %d in %d ms", request.state.session, request.method, name, status, took_ms)
    asked = {key: str(value)[:MOST_ID_CHARS] for key, value in request.path_params.items()}
    named = str(getattr(request.state, "named", ""))[:MOST_ID_CHARS]
    named = named or next((value for key, value in asked.items() if key not in ("run", "sample")), "")
    desk.audit_log.add(
        AuditEntry(
            at=datetime.now(UTC),
            person=desk.person,
            roles=tuple(sorted(desk.roles)) if desk.behind_proxy else (),
            session=request.state.session,
            peer=request.client.host if request.client is not None else "",
            method=request.method,
            page=name,
            run=asked.get("run", ""),
            sample=asked.get("sample", ""),
            named=named,
            status=status,
            ms=took_ms,
        )
    )
