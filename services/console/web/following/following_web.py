"""What the page of a run at work is sent: its cells, and its events as they happen."""

from __future__ import annotations

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from services.console.web.desk import desk_of
from services.console.web.event_stream import event_stream
from services.console.web.review.decided_samples import DecidedSamples, decided_samples
from services.console.web.run_facts import status_of
from shared.contracts.evidence import RunUnknown
from shared.evidence_format.review.amounts import act_words
from shared.statuses import GROUPS
from shared.subjects import is_token


async def run_cells(request: Request) -> Response:
    """Return one cell a sample: its id, key and status, and how it was decided where that is asked for."""
    desk, run_id = desk_of(request), request.path_params["run"]
    loaded = await desk.client.load(run_id)
    if isinstance(loaded, RunUnknown):
        raise HTTPException(404, "There is no such run.")
    asked = "decided" in request.query_params
    acts = (await decided_samples(desk, run_id) if asked else DecidedSamples()).acts
    cells = [
        [one.sample.sample_id, one.sample.key, status_of(one), act_words(acts.get(one.sample.sample_id, ""))]
        for one in loaded.samples
    ]
    return Response(msgspec.json.encode({"cells": cells, "groups": list(GROUPS)}), media_type="application/json")


async def run_events(request: Request) -> Response:
    """Send the events of a run as they happen, from the one after Last-Event-ID on, or after that of the address where
    a page begins again by itself."""
    desk, run_id = desk_of(request), request.path_params["run"]
    if not is_token(run_id):
        raise HTTPException(404, "There is no such run.")
    given = request.headers.get("last-event-id") or request.query_params.get("after", "")
    since = int(given) + 1 if given.isascii() and given.isdecimal() and len(given) < 20 else 0
    return event_stream(request.app.state.feeds.told(run_id, since), behind_proxy=desk.behind_proxy)
