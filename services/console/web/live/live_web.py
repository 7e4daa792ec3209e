"""The live view of a sample: the page that it is worked on with, as it is now, and a person's hands on it."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from services.console.web.desk import NO_RUN, desk_of, page
from services.console.web.event_stream import event_stream
from services.console.web.guard import audit
from services.console.web.live.live_acts import UnreadableActError, as_json, parse_steer, steer
from services.console.web.live.live_stream import FRAMES_RETRY_MS, NOBODY, SampleSeen, live_events, look
from services.console.web.sample_web import FILE_POLICY
from shared.client.run_client import LOAD_BOUND_S
from shared.contracts.browser.live import PageShown
from shared.contracts.evidence import LoadRun, RunUnknown
from shared.errors import ExhibitError, TransientError
from shared.subjects import LOAD_RUN, is_token

LIVE = "/runs/{run}/samples/{sample}/live"
PICTURE_S = 4.0
"""A page that is looked at without scripts waits so long for its picture."""


async def show_live(request: Request) -> Response:
    """Show the live view. Without scripts it has the last picture, and is loaded again for another one."""
    desk, seen = desk_of(request), _seen(request)
    loaded = await desk.client.bus.ask(LOAD_RUN, LoadRun(run_id=seen.run_id, count_only=True), timeout_s=LOAD_BOUND_S)
    if isinstance(loaded, RunUnknown):
        raise HTTPException(404, NO_RUN)
    return page(
        request, "live.html", run_id=seen.run_id, sample_id=seen.sample_id, person=desk.person,
        task_id=loaded.record.spec.get("task_id", ""), ended=loaded.finished is not None,
    )  # fmt: skip


async def live_picture(request: Request) -> Response:
    """Send the page as it is now, as a picture."""
    desk, seen = desk_of(request), _seen(request)
    try:
        shown = await look(desk, seen, 0, PICTURE_S)
    except TransientError as exc:
        if exc.code not in NOBODY:
            raise
        raise HTTPException(404, "Nobody works on this sample now.") from exc
    if not isinstance(shown, PageShown):
        raise HTTPException(404, "There is no picture of the page now.")
    headers = {"Content-Security-Policy": FILE_POLICY, "Cache-Control": "no-store"}
    return Response(shown.picture, media_type="image/jpeg", headers=headers)


async def live_frames(request: Request) -> Response:
    """Send pictures and what is done as events, for as long as the page is open."""
    desk, seen = desk_of(request), _seen(request)
    events = live_events(desk, request.app.state.live, seen)
    return event_stream(events, behind_proxy=desk.behind_proxy, retry_ms=FRAMES_RETRY_MS)


async def steer_live(request: Request) -> Response:
    """Do what a person asks of the sample; answer with what came of it."""
    desk, seen = desk_of(request), _seen(request)
    try:
        command = parse_steer(request.state.form)
        reply = await steer(desk, seen.run_id, seen.sample_id, seen.key, command)
    except UnreadableActError as exc:
        return JSONResponse({"done": False, "ok": False, "message": str(exc), "code": "not_possible"}, 400)
    except ExhibitError as exc:
        gone = exc.code in NOBODY
        message = "Nobody works on this sample any more." if gone else str(exc)
        return JSONResponse({"done": False, "ok": False, "message": message, "code": exc.code})
    told = as_json(reply)
    audit.info("session %d: %s at a sample, %s", request.state.session, request.state.form["steer"],
               "done" if told["done"] else told["code"])  # fmt: skip
    return JSONResponse(told)


def _seen(request: Request) -> SampleSeen:
    """Return what the page is about. Run and sample become parts of a subject."""
    run_id, sample_id = request.path_params["run"], request.path_params["sample"]
    if not is_token(run_id) or not is_token(sample_id):
        raise HTTPException(404, "There is no such sample.")
    return SampleSeen(run_id, sample_id, request.app.state.hold_keys.of(request.state.session))
