"""The app of the console in the browser: its routes, the files that its pages load, and its errors."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from importlib import resources

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from services.console.web import model_talk, runs_web, sample_web
from services.console.web.builds import begin_web, builds_web
from services.console.web.builds.build_looks import BuildLooks
from services.console.web.builds.build_reader import BuildReader
from services.console.web.desk import Desk, StaticFile, desk_of, page
from services.console.web.finding import finding_web, sql_web, tags_web
from services.console.web.following import following_web
from services.console.web.following.fleet_glance import FleetGlance
from services.console.web.following.live_facts import facts_now
from services.console.web.following.run_feed import RunFeeds
from services.console.web.guard import audit
from services.console.web.library import library_acts, library_web
from services.console.web.live import live_web
from services.console.web.live.live_acts import HoldKeys
from services.console.web.live.live_stream import LiveStreams
from services.console.web.logins import login_web
from services.console.web.logins.open_logins import OpenLogins
from services.console.web.new_run import asking_web, new_web
from services.console.web.new_run.asked_tasks import AskedTasks
from services.console.web.new_run.drafts import Drafts
from services.console.web.operations import fleet_web, settings_web
from services.console.web.papers import papers_web
from services.console.web.people.audit_log import MOST_ID_CHARS, AuditEntry
from services.console.web.people.roles import NEEDS, WebPerson, may
from services.console.web.pointing import list_web, spec_web
from services.console.web.pointing.kept_drafts import SpecDrafts
from services.console.web.review import review_acts, review_web, table_web
from services.console.web.steering import controls_web
from shared.errors import ExhibitError, TransientError, Unavailable
from shared.evidence_view.assets import read_parts, status_css, status_js

SAMPLE = "/runs/{run}/samples/{sample}"
DOM_PARTS = ("dom.js",)
PICTURE_PARTS = ("dom.js", "parts.js", "fields.js", "stage.js")
STAGE_PARTS = (*PICTURE_PARTS, "playback.js", "cards.js")
BUS_BACK_S, BUS_LOOK_S = 2.0, 0.1
"""How long a page waits for a bus that is away, and how often it looks."""
WITHOUT_BUS = frozenset({
    "draft", "specs", "spec", "spec_file", "spec_picture", "change_spec", "use_spec", "save_view", "remove_view",
    "settings", "settings_checks", "asked", "wait_for_asked", "change_asked", "logins", "login", "login_picture",
})  # fmt: skip
"""Pages and acts that ask nothing of the bus, by the name of the route: they wait for none."""
View = Callable[[Request], Awaitable[Response]]


def routes() -> list[Route]:
    """Return every route, each with its method."""
    return [
        Route("/", _noted(runs_web.list_runs), methods=["GET"], name="runs"),
        Route(new_web.NEW, _noted(new_web.show_new), methods=["GET"], name="new"),
        Route(new_web.NEW, _noted(new_web.begin_draft), methods=["POST"], name="begin_draft"),
        Route(asking_web.ASK, _noted(asking_web.begin_asking), methods=["POST"], name="begin_asking"),
        Route("/new/ask/{asked}", _noted(asking_web.show_asked), methods=["GET"], name="asked"),
        Route("/new/ask/{asked}/wait", _noted(asking_web.wait_for_asked), methods=["GET"], name="wait_for_asked"),
        Route("/new/ask/{asked}/{act}", _noted(asking_web.change_asked), methods=["POST"], name="change_asked"),
        Route("/new/{draft}", _noted(new_web.show_draft), methods=["GET"], name="draft"),
        Route("/new/{draft}/build", _noted(begin_web.begin_build), methods=["POST"], name="begin_build"),
        Route("/new/{draft}/{act}", _noted(new_web.change_draft), methods=["POST"], name="change_draft"),
        Route(spec_web.SPECS, _noted(spec_web.show_specs), methods=["GET"], name="specs"),
        Route(spec_web.SPECS, _noted(spec_web.open_address), methods=["POST"], name="open_address"),
        Route("/specs/{draft}", _noted(spec_web.show_spec), methods=["GET"], name="spec"),
        Route("/specs/{draft}/use", _noted(spec_web.use_spec), methods=["POST"], name="use_spec"),
        Route("/specs/{draft}/try", _noted(spec_web.try_spec), methods=["POST"], name="try_spec"),
        Route("/specs/{draft}/learn", _noted(spec_web.learn_spec), methods=["POST"], name="learn_spec"),
        Route("/specs/{draft}/spec.json", _noted(spec_web.download_spec), methods=["GET"], name="spec_file"),
        Route("/specs/{draft}/pictures/{sha256}", _noted(spec_web.spec_picture), methods=["GET"], name="spec_picture"),
        Route("/specs/{draft}/list", _noted(list_web.show_list), methods=["GET"], name="list"),
        Route("/specs/{draft}/list.json", _noted(list_web.download_list), methods=["GET"], name="list_file"),
        Route("/specs/{draft}/list/{act}", _noted(list_web.change_list), methods=["POST"], name="change_list"),
        Route("/specs/{draft}/{act}", _noted(spec_web.change_spec), methods=["POST"], name="change_spec"),
        Route("/runs/{run}", _noted(runs_web.show_run), methods=["GET"], name="run"),
        Route("/runs/{run}/cells", _noted(following_web.run_cells), methods=["GET"], name="run_cells"),
        Route("/runs/{run}/events", _noted(following_web.run_events), methods=["GET"], name="run_events"),
        Route("/runs/{run}/control/{control}", _noted(controls_web.ask_control), methods=["GET"], name="ask_control"),
        Route("/runs/{run}/control/{control}", _noted(controls_web.apply_control), methods=["POST"], name="control"),
        Route("/runs/{run}/answer/{key}", _noted(controls_web.answer), methods=["POST"], name="answer"),
        Route("/runs/{run}/tags", _noted(tags_web.tag_run), methods=["POST"], name="tag_run"),
        Route("/several/{control}", _noted(controls_web.ask_several), methods=["GET"], name="ask_several"),
        Route("/several/{control}", _noted(controls_web.apply_several), methods=["POST"], name="several"),
        Route("/values", _noted(finding_web.show_values), methods=["GET"], name="values"),
        Route("/views", _noted(finding_web.save), methods=["POST"], name="save_view"),
        Route("/views/remove", _noted(finding_web.remove), methods=["POST"], name="remove_view"),
        Route("/runs/{run}/samples/{sample}", _noted(sample_web.show_sample), methods=["GET"], name="sample"),
        Route(live_web.LIVE, _noted(live_web.show_live), methods=["GET"], name="live"),
        Route(f"{live_web.LIVE}/picture", _noted(live_web.live_picture), methods=["GET"], name="live_picture"),
        Route(f"{live_web.LIVE}/steer", _noted(live_web.steer_live), methods=["POST"], name="live_steer"),
        Route(f"{live_web.LIVE}/frames", _noted(live_web.live_frames), methods=["GET"], name="live_frames"),
        Route("/runs/{run}/samples/{sample}/model", _noted(model_talk.show_model), methods=["GET"], name="model"),
        Route(
            "/runs/{run}/samples/{sample}/{file}", _noted(sample_web.sample_file), methods=["GET"], name="sample_file"
        ),
        Route("/runs/{run}/review", _noted(review_web.show_review), methods=["GET"], name="review"),
        Route("/runs/{run}/review/sign", _noted(review_web.ask_to_sign), methods=["GET"], name="ask_to_sign"),
        Route("/runs/{run}/review/key", _noted(review_acts.make_own_key), methods=["POST"], name="make_key"),
        Route("/runs/{run}/review/{act}", _noted(review_acts.apply_act), methods=["POST"], name="review_act"),
        Route("/runs/{run}/papers", _noted(papers_web.show_papers), methods=["GET"], name="papers"),
        Route("/runs/{run}/seal", _noted(papers_web.check_seal), methods=["GET"], name="seal"),
        Route("/runs/{run}/export/{form}", _noted(papers_web.export_run), methods=["GET"], name="export"),
        Route("/runs/{run}/table", _noted(table_web.show_table), methods=["GET"], name="table"),
        Route("/runs/{run}/table/{cell}", _noted(table_web.show_cell), methods=["GET"], name="table_cell"),
        Route("/runs/{run}/drift", _noted(library_web.show_drift), methods=["GET"], name="drift"),
        Route("/runs/{run}/drift/approve", _noted(library_acts.ask_to_approve), methods=["GET"], name="ask_to_approve"),
        Route("/runs/{run}/drift/approve", _noted(library_acts.apply_approval), methods=["POST"], name="approve"),
        Route("/flows", _noted(library_web.list_flows), methods=["GET"], name="flows"),
        Route("/flows/{name}", _noted(library_web.show_flow), methods=["GET"], name="flow"),
        Route("/flows/{name}/diff", _noted(library_web.show_difference), methods=["GET"], name="flow_diff"),
        Route(
            "/flows/{name}/rollback", _noted(library_acts.ask_to_roll_back), methods=["GET"], name="ask_to_roll_back"
        ),
        Route("/flows/{name}/rollback", _noted(library_acts.apply_roll_back), methods=["POST"], name="roll_back"),
        Route("/builds", _noted(builds_web.list_builds), methods=["GET"], name="builds"),
        Route("/builds/{build}", _noted(builds_web.show_build), methods=["GET"], name="build"),
        Route("/builds/{build}/do", _noted(builds_web.apply_order), methods=["POST"], name="build_order"),
        Route("/builds/{build}/go-on", _noted(builds_web.go_on), methods=["POST"], name="build_goes_on"),
        Route("/builds/{build}/events", _noted(builds_web.build_events), methods=["GET"], name="build_events"),
        Route("/builds/{build}/frames", _noted(builds_web.browser_frames), methods=["GET"], name="build_frames"),
        Route("/builds/{build}/looks/{look}", _noted(builds_web.looked_picture), methods=["GET"], name="build_look"),
        Route(
            "/builds/{build}/pictures/{sha256}", _noted(builds_web.build_picture), methods=["GET"], name="build_picture"
        ),
        Route("/fleet", _noted(fleet_web.show_fleet), methods=["GET"], name="fleet"),
        Route("/settings", _noted(settings_web.show_settings), methods=["GET"], name="settings"),
        Route("/settings/checks", _noted(settings_web.show_checks), methods=["GET"], name="settings_checks"),
        Route(login_web.LOGINS, _noted(login_web.show_logins), methods=["GET"], name="logins"),
        Route(login_web.LOGINS, _noted(login_web.begin_login), methods=["POST"], name="begin_login"),
        Route(f"{login_web.LOGINS}/{{login}}", _noted(login_web.show_login), methods=["GET"], name="login"),
        Route(
            f"{login_web.LOGINS}/{{login}}/pictures/{{sha256}}",
            _noted(login_web.login_picture),
            methods=["GET"],
            name="login_picture",
        ),
        Route(
            f"{login_web.LOGINS}/{{login}}/{{act}}",
            _noted(login_web.change_login),
            methods=["POST"],
            name="change_login",
        ),
        Route("/sql", _noted(sql_web.show_sql), methods=["GET"], name="sql"),
        Route("/sql/answer", _noted(sql_web.download_sql), methods=["GET"], name="sql_answer"),
        Route("/static/{name}", _static, methods=["GET"], name="static"),
    ]


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


def static_files() -> dict[str, StaticFile]:
    """Return the files that pages load, by name."""
    folder = resources.files("services.console.web") / "static"

    def own(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    def joined(*names: str) -> str:
        return "\n".join(own(f"{name}.js") for name in names)

    def script(parts: Sequence[str], *names: str) -> tuple[str, str]:
        return f"{strict}{read_parts(parts)}\n{joined(*names)}", "text/javascript"

    styles = f"{read_parts(['report.css', 'playback.css'])}\n{status_css()}"
    strict = f'"use strict";\n{status_js()}'
    bundle = (folder / "codemirror.js").read_bytes()
    editor = own("editor.js").replace('from "codemirror"', f'from "/static/codemirror.js?v={_version(bundle)}"')
    texts = {
        "console.css": (f"{styles}\n{own('console.css')}", "text/css"),
        "times.js": (f"{strict}{joined('moments', 'times')}", "text/javascript"),
        "grid.js": script(DOM_PARTS, "grid"),
        "stage.js": script(STAGE_PARTS, "stage_page"),
        "live.js": script(DOM_PARTS, "frames", "live"),
        "build.js": script(DOM_PARTS, "frames", "moments", "asking", "build"),
        "table.js": script(DOM_PARTS, "asking", "decision_forms", "table"),
        "review.js": script(PICTURE_PARTS, "decision_forms", "review_desk"),
        "pointing.js": (f"{strict}{joined('kept_place', 'busy')}", "text/javascript"),
        "asked.js": (own("asked.js"), "text/javascript"),
        "editor.js": (f"{strict}{read_parts(DOM_PARTS)}\n{editor}", "text/javascript"),
        "codemirror.js": (bundle.decode(), "text/javascript"),
        "icon.svg": (own("icon.svg"), "image/svg+xml"),
    }
    return {name: _file(text.encode(), kind) for name, (text, kind) in texts.items()}


def _file(data: bytes, kind: str) -> StaticFile:
    return StaticFile(data, f"{kind}; charset=utf-8", _version(data), gzip.compress(data, 9, mtime=0))


def _version(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


async def _static(request: Request) -> Response:
    file = desk_of(request).static.get(request.path_params["name"])
    if file is None:
        raise HTTPException(404, "There is no such file.")
    keep = "public, max-age=31536000, immutable" if request.query_params.get("v") == file.version else "no-cache"
    headers = {"Cache-Control": keep, "Vary": "Accept-Encoding"}
    # Only these are packed: a page has a key of its session beside what others have written.
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.packed, media_type=file.media_type, headers={**headers, "Content-Encoding": "gzip"})
    return Response(file.data, media_type=file.media_type, headers=headers)


def _noted(view: View) -> View:
    """Return the view with a line in the audit log for each time that it is asked: who, what, and what came of it; for
    an act one before it as well. Who has not the role for it is refused."""

    async def noted(request: Request) -> Response:
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

    return noted


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
