"""The app of the console in the browser: what its pages share, and what they show of an error."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from services.console.web.builds.build_looks import BuildLooks
from services.console.web.builds.build_reader import BuildReader
from services.console.web.desk import Desk, page
from services.console.web.following.fleet_glance import FleetGlance
from services.console.web.following.live_facts import facts_now
from services.console.web.following.run_feed import RunFeeds
from services.console.web.guard import audit
from services.console.web.live.live_acts import HoldKeys
from services.console.web.live.live_stream import LiveStreams
from services.console.web.logins.open_logins import OpenLogins
from services.console.web.new_run.asked_tasks import AskedTasks
from services.console.web.new_run.drafts import Drafts
from services.console.web.pointing.kept_drafts import SpecDrafts
from services.console.web.routes import routes
from shared.errors import ExhibitError, TransientError


def make_app(
    desk: Desk,
    drafts: Drafts | None = None,
    asked_tasks: AskedTasks | None = None,
    open_logins: OpenLogins | None = None,
) -> Starlette:
    """Return the app. It trusts its caller to be let in: `guard.Guard` is around it.

    ``drafts``: the runs that are being prepared; its own by default. So are the ``asked_tasks`` and the
    ``open_logins``, which the caller closes.
    """
    app = Starlette(
        routes=routes(),
        exception_handlers={HTTPException: _http_error, ExhibitError: _error, Exception: _error},
    )
    app.state.desk = desk
    app.state.live, app.state.hold_keys = LiveStreams(), HoldKeys()
    app.state.builds, app.state.build_looks = BuildReader(), BuildLooks()
    app.state.fleet = FleetGlance()
    app.state.feeds = RunFeeds(desk.client, partial(facts_now, desk, app.state.fleet), desk.closing)
    app.state.spec_drafts = SpecDrafts()
    app.state.asked_tasks = AskedTasks() if asked_tasks is None else asked_tasks
    app.state.open_logins = OpenLogins() if open_logins is None else open_logins
    app.state.drafts = Drafts() if drafts is None else drafts
    return app


async def _http_error(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, HTTPException)
    named = {404: "Not found", 400: "Not as it should be", 403: "Not allowed", 409: "Not done", 503: "Not available"}
    ours = exc.detail != HTTPStatus(exc.status_code).phrase
    text = exc.detail if ours else "This page is not there."
    return page(request, "error.html", exc.status_code, title=named.get(exc.status_code, "Not there"), message=text)


async def _error(request: Request, exc: Exception) -> Response:
    if isinstance(exc, TransientError):
        text = f"The services do not answer: {exc}. They may be starting again."
        again = request.method == "GET"
        return page(request, "error.html", 503, title="Not available", message=text, again=again)
    if isinstance(exc, ExhibitError):
        return page(request, "error.html", 400, title="Not done", message=str(exc))
    audit.error("a page failed", exc_info=exc)
    return page(request, "error.html", 500, title="A fault of ours", message="The log of the server has the place.")
