"""The pages of build sessions: the list, one session, its pictures, and that something has happened in it."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from pathlib import PurePosixPath

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from services.console.text.action_lines import InvalidLine
from services.console.text.build_lines import build_help, log_text
from services.console.web.builds.build_facts import (
    SHOWN_KINDS,
    TodoOfBuild,
    has_acted,
    last_picture,
    recording_path,
    shown_todos,
)
from services.console.web.builds.build_looks import BuildLooks, LookedPage, PointedAt, browser_now
from services.console.web.builds.build_orders import KnownSession, order_of
from services.console.web.builds.build_reader import NOT_OPENED, BuildReader, SeenBuild
from services.console.web.builds.build_talk import compiler_log, compiles, talk_lines
from services.console.web.desk import Desk, desk_of, page
from services.console.web.event_stream import event_stream
from services.console.web.library.source_lines import diff_lines, source_lines
from services.console.web.live.live_stream import FRAMES_RETRY_MS
from services.console.web.new_run.new_web import need_services
from services.console.web.sample_web import FILE_POLICY
from shared.contracts.discovery import Sample
from shared.contracts.workflows import builds
from shared.contracts.workflows.build_events import BuildEvent, ModelDecided
from shared.errors import ExhibitError, TransientError
from shared.flows.building.folder import CompilerLine
from shared.flows.files import SOURCE_FILE
from shared.recordings.recording import Recording
from shared.task.row_values import start_url
from shared.task.spec import TaskSpec, check_spec

SHOWN_TALK, SHOWN_COMPILES, SHOWN_LOG = 150, 12, 60
"""Of the newest; the page links to all of what was said."""
DONE_WAIT_S = 4.0
"""How long a page waits for what it has asked for, before it shows that it is still at work."""
NEWS_WAIT_S, KEPT_LOOK_S, AWAY_S = 2.0, 2.0, 1.0
BUILD_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")
GONE = "There is no such build session. All are under Builds."
NOT_OPEN = "The session is not open. Go on with it first: that starts its browser."


def reader_of(request: Request) -> BuildReader:
    return request.app.state.builds


def looks_of(request: Request) -> BuildLooks:
    return request.app.state.build_looks


async def list_builds(request: Request) -> Response:
    """Show the sessions that are kept."""
    desk = desk_of(request)
    listed = await reader_of(request).list(desk.client.bus) if desk.has_services else builds.BuildsListed(builds=())
    return page(request, "builds.html", listed=listed, can_build=desk.has_services)


async def seen_of(request: Request) -> SeenBuild:
    """Return the session of an address. Raises HTTPException (404) without one."""
    desk, build_id = desk_of(request), request.path_params["build"]
    need_services(desk)
    seen = await reader_of(request).see(desk.client.bus, build_id) if BUILD_ID.fullmatch(build_id) else None
    if seen is None:
        raise HTTPException(404, GONE)
    return seen


async def show_build(request: Request) -> Response:
    """Show a session, whole."""
    return await _build_page(request, await seen_of(request))


async def _build_page(request: Request, seen: SeenBuild, status: int = 200, refused: str = "") -> Response:
    desk, reader, state = desk_of(request), reader_of(request), seen.state
    build_id = seen.record.build_id
    sample = await _sample(reader, desk, seen)
    source = await _text(reader, desk, seen, SOURCE_FILE)
    talk = talk_lines(seen.events)
    ended = compiles(seen.events)
    spec, _ = check_spec(seen.record.spec)
    asking = seen.live.questions if seen.live is not None and seen.is_open else ()
    todos = shown_todos(state, seen.events, sample, seen.files)
    shown = page_now(seen)
    looked = None
    if shown is not None and seen.live is not None and seen.is_open:
        looked = await looks_of(request).see(desk, seen.live, shown)
    shows_all = request.query_params.get("all") == "1"
    return page(
        request, "build.html", status, build_id=build_id, seen=seen, record=seen.record, state=state, refused=refused,
        asking=asking, asked=seen.live.asked if seen.live is not None else 0,
        todos=todos,
        picture=last_picture(seen.events, sample, seen.files), acted=has_acted(seen.events),
        shown_page=shown, looked=looked,
        chosen=_chosen(request, shown, looked), next_field=_next_field(todos),
        talk=talk if shows_all else talk[-SHOWN_TALK:], talk_left=0 if shows_all else max(len(talk) - SHOWN_TALK, 0),
        source=source_lines(source) if source is not None else None,
        compiles=[(one, diff_lines(one.event.diff)) for one in ended[:SHOWN_COMPILES]],
        compiles_left=max(len(ended) - SHOWN_COMPILES, 0), log=_log(seen.events)[-SHOWN_LOG:],
        fields=tuple(spec.output_schema) if spec is not None else (), cost=_cost(seen.events),
        more_rows=any(one.sample_id not in {*state.finished, state.sample_id} for one in seen.record.rows),
        help=build_help(), base=f"/builds/{build_id}",
    )  # fmt: skip


def _chosen(request: Request, shown: builds.ShownPage | None, looked: LookedPage | None) -> PointedAt | None:
    """Return the element that the address names, of the look that it names; None: none."""
    asked, of = request.query_params.get("element", ""), request.query_params.get("look", "")
    if shown is None or looked is None or of != shown.snapshot_id:
        return None
    return next((one for one in looked.elements if str(one.ref) == asked), None)


def _next_field(todos: Sequence[TodoOfBuild]) -> str:
    """Return the field that is read next, most likely; empty: none is missing."""
    ordered = sorted(todos, key=lambda one: not one.is_current)
    return next((name for one in ordered for name in one.missing), "")


def page_now(seen: SeenBuild) -> builds.ShownPage | None:
    """Return what the page shows as it is now; None where something was done since it was looked at: its numbers are
    of other elements by then."""
    live = seen.live
    if live is None or live.page is None or not live.page.snapshot_id or live.page.snapshot_id != live.snapshot_id:
        return None
    return live.page


async def _sample(reader: BuildReader, desk: Desk, seen: SeenBuild) -> Recording | None:
    """Return what is recorded of the current row; None: nothing yet."""
    sha256 = seen.files.get(recording_path(seen.state.sample_id), "") if seen.state.sample_id else ""
    return await reader.recording(desk.client.bus, seen.record.build_id, sha256) if sha256 else None


async def _text(reader: BuildReader, desk: Desk, seen: SeenBuild, path: str) -> str | None:
    sha256 = seen.files.get(path, "")
    data = await reader.file(desk.client.bus, seen.record.build_id, sha256) if sha256 else None
    return None if data is None else data.decode("utf-8", "replace")


def _log(events: tuple[BuildEvent, ...]) -> list[str]:
    return [
        log_text(CompilerLine(at=one.at, kind=one.kind, text=one.text, version=one.version, elapsed_s=one.elapsed_s))
        for one in compiler_log(events)
    ]


def _cost(events: tuple[BuildEvent, ...]) -> float:
    return sum(one.usage.cost_usd for one in events if isinstance(one, ModelDecided))


async def apply_order(request: Request) -> Response:
    """Have done what a form asks for, and lead back to the page; where it is refused, show it with the reason."""
    desk, seen = desk_of(request), await seen_of(request)
    order = order_of(request.state.form, known_session(seen, desk.person))
    if isinstance(order, InvalidLine):
        return await _build_page(request, seen, 409, order.message)
    if not seen.is_open:
        return await _build_page(request, seen, 409, NOT_OPEN)
    try:
        await reader_of(request).do(desk.client.bus, seen, order, desk.person, DONE_WAIT_S)
    except TransientError:
        raise
    except ExhibitError as exc:
        return await _build_page(request, seen, 409, str(exc))
    return RedirectResponse(f"/builds/{seen.record.build_id}", 303)


def known_session(seen: SeenBuild, person: str) -> KnownSession:
    """Return what a form of the page refers to."""
    spec, _ = check_spec(seen.record.spec)
    row = next((one for one in seen.record.rows if one.sample_id == seen.state.sample_id), None)
    return KnownSession(
        seen.live.snapshot_id if seen.live is not None else "",
        row.fields if row is not None else {},
        _start_url(spec, row) if spec is not None and row is not None else "",
        seen.live.questions if seen.live is not None else (),
        seen.live.asked if seen.live is not None else 0,
        tuple(spec.output_schema) if spec is not None else (),
        person,
    )


def _start_url(spec: TaskSpec, row: builds.BuildRow) -> str:
    fields = dict(row.fields)
    given = Sample(sample_id=row.sample_id, key=row.sample_id, row=row.number, url=fields.get("url"), fields=fields)
    return start_url(spec, given)


async def go_on(request: Request) -> Response:
    """Open a session that no process has open, and go on where it was left."""
    desk, seen = desk_of(request), await seen_of(request)
    if not seen.is_open:
        record = seen.record
        try:
            await reader_of(request).open(
                desk.client.bus, record.build_id, record.spec, (), desk.person, agent=record.agent
            )
        except TransientError:
            raise
        except ExhibitError as exc:
            return await _build_page(request, seen, 409, str(exc))
    return RedirectResponse(f"/builds/{seen.record.build_id}", 303)


# --- pictures, and news


async def build_picture(request: Request) -> Response:
    """Send a picture of the workspace as it is kept, by the hash that its page names."""
    desk, reader = desk_of(request), reader_of(request)
    need_services(desk)
    build_id, sha256 = request.path_params["build"], request.path_params["sha256"]
    record = await reader.record(desk.client.bus, build_id) if BUILD_ID.fullmatch(build_id) else None
    path = next((path for path, one in record.files.items() if one == sha256), "") if record is not None else ""
    kind = SHOWN_KINDS.get(PurePosixPath(path).suffix.lower())
    data = await reader.file(desk.client.bus, build_id, sha256) if kind is not None else None
    if data is None:
        raise HTTPException(404, "There is no such picture any more. Load the page of the session again.")
    headers = {"Content-Security-Policy": FILE_POLICY, "Cache-Control": "private, max-age=86400, immutable"}
    return Response(data, media_type=kind, headers=headers)


async def looked_picture(request: Request) -> Response:
    """Send the picture of the last look at the page of a session."""
    seen = await seen_of(request)
    key = request.path_params["look"]
    data = looks_of(request).picture(key) if page_now(seen) is not None and key == _look(seen) else None
    if data is None:
        raise HTTPException(404, "There is no such picture any more. Look at the page again.")
    headers = {"Content-Security-Policy": FILE_POLICY, "Cache-Control": "private, max-age=3600, immutable"}
    return Response(data, media_type="image/jpeg", headers=headers)


def _look(seen: SeenBuild) -> str:
    return "" if seen.live is None else seen.live.snapshot_id


async def browser_frames(request: Request) -> Response:
    """Send pictures of the browser of a session as events, for as long as the page is open."""
    desk, seen = desk_of(request), await seen_of(request)
    watched = seen.live.watched if seen.live is not None and seen.is_open else None
    events = browser_now(desk, request.app.state.live, watched)
    return event_stream(events, behind_proxy=desk.behind_proxy, retry_ms=FRAMES_RETRY_MS)


async def build_events(request: Request) -> Response:
    """Send that something has happened in a session, as it does."""
    desk = desk_of(request)
    need_services(desk)
    seen = request.headers.get("last-event-id", "") or request.query_params.get("mark", "")
    news = _news(desk, reader_of(request), request.path_params["build"], seen[:200])
    return event_stream(news, behind_proxy=desk.behind_proxy)


async def _news(desk: Desk, reader: BuildReader, build_id: str, mark: str) -> AsyncGenerator[str]:
    away = False
    while not desk.closing.is_set() and BUILD_ID.fullmatch(build_id):
        try:
            now = await reader.news(desk.client.bus, build_id, mark, NEWS_WAIT_S)
        except TransientError:
            away = True
            yield "event: away\ndata: {}\n\n"
            await desk.pause(AWAY_S)
            continue
        if away:
            away = False
            yield "event: back\ndata: {}\n\n"
        if not now:
            return
        if now != mark:
            mark = now
            yield f"id: {mark}\ndata: {{}}\n\n"
            continue
        yield ": all is well\n\n"
        if mark.endswith(NOT_OPENED):
            await desk.pause(KEPT_LOOK_S)
