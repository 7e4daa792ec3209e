"""The app of the console in the browser: its routes, the files that its pages load, and its errors."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from importlib import resources

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from services.console.web import runs_web, sample_web
from services.console.web.builds import begin_web, builds_web
from services.console.web.builds.build_reader import BuildReader
from services.console.web.desk import Desk, StaticFile, desk_of, page
from services.console.web.finding import finding_web, sql_web
from services.console.web.guard import audit
from services.console.web.library import library_acts, library_web
from services.console.web.live import live_web
from services.console.web.live.live_acts import HoldKeys
from services.console.web.live.live_stream import LiveStreams
from services.console.web.new_run import new_web
from services.console.web.new_run.drafts import Drafts
from services.console.web.operations import fleet_web, settings_web
from services.console.web.review import review_acts, review_web
from services.console.web.steering import controls_web
from shared.errors import ExhibitError, TransientError
from shared.evidence_view.assets import read_parts, status_css, status_js

SAMPLE = "/runs/{run}/samples/{sample}"
PICTURE_PARTS = ("dom.js", "parts.js", "fields.js", "stage.js")
STAGE_PARTS = (*PICTURE_PARTS, "playback.js", "cards.js")
View = Callable[[Request], Awaitable[Response]]


def routes() -> list[Route]:
    """Return every route, each with its method."""
    return [
        Route("/", _told(runs_web.list_runs), methods=["GET"], name="runs"),
        Route(new_web.NEW, _told(new_web.show_new), methods=["GET"], name="new"),
        Route(new_web.NEW, _told(new_web.begin_draft), methods=["POST"], name="begin_draft"),
        Route("/new/{draft}", _told(new_web.show_draft), methods=["GET"], name="draft"),
        Route("/new/{draft}/build", _told(begin_web.begin_build), methods=["POST"], name="begin_build"),
        Route("/new/{draft}/{act}", _told(new_web.change_draft), methods=["POST"], name="change_draft"),
        Route("/runs/{run}", _told(runs_web.show_run), methods=["GET"], name="run"),
        Route("/runs/{run}/now", runs_web.run_now, methods=["GET"], name="run_now"),
        Route("/runs/{run}/cells", runs_web.run_cells, methods=["GET"], name="run_cells"),
        Route("/runs/{run}/events", runs_web.run_events, methods=["GET"], name="run_events"),
        Route("/runs/{run}/control/{control}", _told(controls_web.ask_control), methods=["GET"], name="ask_control"),
        Route("/runs/{run}/control/{control}", _told(controls_web.apply_control), methods=["POST"], name="control"),
        Route("/runs/{run}/answer/{key}", _told(controls_web.answer), methods=["POST"], name="answer"),
        Route("/several/{control}", _told(controls_web.ask_several), methods=["GET"], name="ask_several"),
        Route("/several/{control}", _told(controls_web.apply_several), methods=["POST"], name="several"),
        Route("/values", _told(finding_web.show_values), methods=["GET"], name="values"),
        Route("/views", _told(finding_web.save), methods=["POST"], name="save_view"),
        Route("/views/remove", _told(finding_web.remove), methods=["POST"], name="remove_view"),
        Route("/runs/{run}/samples/{sample}", _told(sample_web.show_sample), methods=["GET"], name="sample"),
        Route(live_web.LIVE, _told(live_web.show_live), methods=["GET"], name="live"),
        Route(f"{live_web.LIVE}/picture", _told(live_web.live_picture), methods=["GET"], name="live_picture"),
        Route(f"{live_web.LIVE}/steer", _told(live_web.steer_live), methods=["POST"], name="live_steer"),
        Route(f"{live_web.LIVE}/frames", _told(live_web.live_frames), methods=["GET"], name="live_frames"),
        Route(
            "/runs/{run}/samples/{sample}/{file}", _told(sample_web.sample_file), methods=["GET"], name="sample_file"
        ),
        Route("/runs/{run}/review", _told(review_web.show_review), methods=["GET"], name="review"),
        Route("/runs/{run}/review/sign", _told(review_web.ask_to_sign), methods=["GET"], name="ask_to_sign"),
        Route("/runs/{run}/review/{act}", _told(review_acts.apply_act), methods=["POST"], name="review_act"),
        Route("/runs/{run}/drift", _told(library_web.show_drift), methods=["GET"], name="drift"),
        Route("/runs/{run}/drift/approve", _told(library_acts.ask_to_approve), methods=["GET"], name="ask_to_approve"),
        Route("/runs/{run}/drift/approve", _told(library_acts.apply_approval), methods=["POST"], name="approve"),
        Route("/flows", _told(library_web.list_flows), methods=["GET"], name="flows"),
        Route("/flows/{name}", _told(library_web.show_flow), methods=["GET"], name="flow"),
        Route("/flows/{name}/diff", _told(library_web.show_difference), methods=["GET"], name="flow_diff"),
        Route("/flows/{name}/rollback", _told(library_acts.ask_to_roll_back), methods=["GET"], name="ask_to_roll_back"),
        Route("/flows/{name}/rollback", _told(library_acts.apply_roll_back), methods=["POST"], name="roll_back"),
        Route("/builds", _told(builds_web.list_builds), methods=["GET"], name="builds"),
        Route("/builds/{build}", _told(builds_web.show_build), methods=["GET"], name="build"),
        Route("/builds/{build}/do", _told(builds_web.apply_order), methods=["POST"], name="build_order"),
        Route("/builds/{build}/go-on", _told(builds_web.go_on), methods=["POST"], name="build_goes_on"),
        Route("/builds/{build}/events", builds_web.build_events, methods=["GET"], name="build_events"),
        Route("/builds/{build}/pictures/{sha256}", builds_web.build_picture, methods=["GET"], name="build_picture"),
        Route("/fleet", _told(fleet_web.show_fleet), methods=["GET"], name="fleet"),
        Route("/settings", _told(settings_web.show_settings), methods=["GET"], name="settings"),
        Route("/settings/checks", _told(settings_web.show_checks), methods=["GET"], name="settings_checks"),
        Route("/sql", _told(sql_web.show_sql), methods=["GET"], name="sql"),
        Route("/sql/answer", _told(sql_web.download_sql), methods=["GET"], name="sql_answer"),
        Route("/static/{name}", _static, methods=["GET"], name="static"),
    ]


def make_app(desk: Desk, drafts: Drafts | None = None) -> Starlette:
    """Return the app. It trusts its caller to be let in: `guard.Guard` is around it.

    ``drafts``: the runs that are being prepared; its own by default.
    """
    app = Starlette(
        routes=routes(),
        exception_handlers={HTTPException: _http_error, ExhibitError: _error, Exception: _error},
    )
    app.state.desk = desk
    app.state.live, app.state.hold_keys = LiveStreams(), HoldKeys()
    app.state.builds = BuildReader()
    app.state.drafts = Drafts() if drafts is None else drafts
    return app


def static_files() -> dict[str, StaticFile]:
    """Return the files that pages load, by name."""
    folder = resources.files("services.console.web") / "static"

    def own(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    styles = f"{read_parts(['report.css', 'playback.css'])}\n{status_css()}"
    strict = f'"use strict";\n{status_js()}'
    texts = {
        "console.css": (f"{styles}\n{own('console.css')}", "text/css"),
        "times.js": (own("times.js"), "text/javascript"),
        "grid.js": (f"{strict}{read_parts(['dom.js'])}\n{own('grid.js')}", "text/javascript"),
        "stage.js": (f"{strict}{read_parts(STAGE_PARTS)}\n{own('stage_page.js')}", "text/javascript"),
        "live.js": (f"{strict}{read_parts(['dom.js'])}\n{own('live.js')}", "text/javascript"),
        "build.js": (f"{strict}{read_parts(['dom.js'])}\n{own('build.js')}", "text/javascript"),
        "review.js": (f"{strict}{read_parts(PICTURE_PARTS)}\n{own('review_desk.js')}", "text/javascript"),
        "icon.svg": (own("icon.svg"), "image/svg+xml"),
    }
    return {
        name: StaticFile(text.encode(), f"{kind}; charset=utf-8", hashlib.sha256(text.encode()).hexdigest()[:16])
        for name, (text, kind) in texts.items()
    }


async def _static(request: Request) -> Response:
    file = desk_of(request).static.get(request.path_params["name"])
    if file is None:
        raise HTTPException(404, "There is no such file.")
    keep = "public, max-age=31536000, immutable" if request.query_params.get("v") == file.version else "no-cache"
    return Response(file.data, media_type=file.media_type, headers={"Cache-Control": keep})


def _told(view: View) -> View:
    """Return the view with a line in the audit log for each time that it is asked: who, what, and what came of it."""

    async def told(request: Request) -> Response:
        begun, status = time.monotonic(), 500
        try:
            answer = await view(request)
            status = answer.status_code
            return answer
        except HTTPException as exc:
            status = exc.status_code
            raise
        finally:
            audit.info(
                "session %d: %s %s, %d in %d ms",
                request.state.session, request.method, request.scope["route"].name, status,
                round(1000 * (time.monotonic() - begun)),
            )  # fmt: skip

    return told


async def _http_error(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, HTTPException)
    named = {404: "Not found", 400: "Not as it should be", 403: "Not allowed", 409: "Not done", 503: "Not available"}
    ours = exc.detail != HTTPStatus(exc.status_code).phrase
    text = exc.detail if ours else "This page is not there."
    return page(request, "error.html", exc.status_code, title=named.get(exc.status_code, "Not there"), message=text)


async def _error(request: Request, exc: Exception) -> Response:
    if isinstance(exc, TransientError):
        text = f"The services do not answer: {exc}. They may be starting again; load the page once more in a moment."
        return page(request, "error.html", 503, title="Not available", message=text)
    if isinstance(exc, ExhibitError):
        return page(request, "error.html", 400, title="Not done", message=str(exc))
    audit.error("a page failed", exc_info=exc)
    return page(request, "error.html", 500, title="A fault of ours", message="The log of the server has the place.")
