"""The live view of a sample: the page that it is worked on with, as it is now."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from services.console.web.desk import desk_of, page
from services.console.web.live.live_stream import NOBODY, live_events, look
from services.console.web.sample_web import FILE_POLICY
from shared.client.run_client import LOAD_BOUND_S
from shared.contracts.browser.live import PageShown
from shared.contracts.evidence import LoadRun, RunUnknown
from shared.errors import TransientError
from shared.subjects import LOAD_RUN, is_token

LIVE = "/runs/{run}/samples/{sample}/live"
PICTURE_S = 4.0
"""A page that is looked at without scripts waits so long for its picture."""


async def show_live(request: Request) -> Response:
    """Show the live view. Without scripts it has the last picture, and is loaded again for another one."""
    desk, (run_id, sample_id) = desk_of(request), _named(request)
    loaded = await desk.client.bus.ask(LOAD_RUN, LoadRun(run_id=run_id, count_only=True), timeout_s=LOAD_BOUND_S)
    if isinstance(loaded, RunUnknown):
        raise HTTPException(404, "There is no such run. It may be in another place of evidence.")
    return page(
        request, "live.html", run_id=run_id, sample_id=sample_id, task_id=loaded.record.spec.get("task_id", ""),
        ended=loaded.finished is not None,
    )  # fmt: skip


async def live_picture(request: Request) -> Response:
    """Send the page as it is now, as a picture."""
    desk, (run_id, sample_id) = desk_of(request), _named(request)
    try:
        shown = await look(desk, run_id, sample_id, 0, PICTURE_S)
    except TransientError as exc:
        if exc.code not in NOBODY:
            raise
        raise HTTPException(404, "Nobody works on this sample now.") from exc
    if not isinstance(shown, PageShown):
        raise HTTPException(404, "There is no picture of the page now.")
    headers = {"Content-Security-Policy": FILE_POLICY, "Cache-Control": "no-store"}
    return Response(shown.picture, media_type="image/jpeg", headers=headers)


async def live_frames(request: Request) -> Response:
    """Send pictures as events, for as long as the page is open."""
    desk, (run_id, sample_id) = desk_of(request), _named(request)
    events = live_events(desk, request.app.state.live, run_id, sample_id)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream; charset=utf-8", headers=headers)


def _named(request: Request) -> tuple[str, str]:
    """Return run and sample; they become parts of a subject."""
    run_id, sample_id = request.path_params["run"], request.path_params["sample"]
    if not is_token(run_id) or not is_token(sample_id):
        raise HTTPException(404, "There is no such sample.")
    return run_id, sample_id
