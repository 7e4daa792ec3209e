"""The pages about runs: the list, one run with its samples, its events as they happen, and its controls."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from services.console.web.desk import Desk, desk_of, page, page_number
from services.console.web.finding.saved_views import query_of, read_views
from services.console.web.markup import money
from services.console.web.review.desk_reviewer import reviewer_of
from services.console.web.run_facts import (
    PAGE_ROWS,
    RUNS_QUERY,
    WAITING,
    RunFilters,
    SampleFilters,
    counts_of,
    fitting,
    fitting_samples,
    pace,
    run_line,
    status_of,
    terms_of,
    what_stops,
)
from shared.client.run_client import LOAD_BOUND_S
from shared.contracts.evidence import LoadRun, RunFinished, RunLoaded, RunUnknown, SqlRefused
from shared.contracts.sessions.events import LoggedEvent
from shared.contracts.sessions.reviewing import ReviewLoaded
from shared.contracts.sessions.status import RunStatus
from shared.errors import ExhibitError, TransientError
from shared.statuses import GROUPS, STATUSES
from shared.subjects import LOAD_RUN

MOST_RUNS = 2000
NO_ITEMS = 1 << 40
"""More than a review has: with as many skipped, none is answered."""
EVENTS_AT_ONCE = 500
LOOK_S, QUIET_S = 0.2, 15.0
"""How often a page that looks at a run at work asks for its events, and after how long it hears that all is well."""
COST_S, MOST_COSTS = 5.0, 1000


async def list_runs(request: Request) -> Response:
    """Show one line a run."""
    desk = desk_of(request)
    views = await asyncio.to_thread(read_views, desk.settings)
    filters = RunFilters(request.query_params.get("q", "").strip(), request.query_params.get("state", ""))
    rows = await ask_rows(desk, RUNS_QUERY, max_rows=MOST_RUNS)
    lines = [run_line(row) for row in rows]
    found = fitting(lines, filters)
    number = page_number(request)
    shown = found[(number - 1) * PAGE_ROWS : number * PAGE_ROWS]
    return page(
        request, "runs.html", lines=shown, found=len(found), known=len(lines), filters=filters, number=number,
        pages=-(-len(found) // PAGE_ROWS), more=len(rows) == MOST_RUNS, can_run=desk.has_services, views=views,
        here=query_of(request.url.query),
    )  # fmt: skip


async def ask_rows(desk: Desk, query: str, *runs: str, max_rows: int = 10) -> list[dict[str, Any]]:
    """Return the rows of a query of ours."""
    answer = await desk.client.sql(query, runs, max_rows=max_rows)
    if isinstance(answer, SqlRefused):
        raise HTTPException(503, f"The evidence could not be asked: {answer.message}")
    return json.loads(answer[1])


async def show_run(request: Request) -> Response:
    """Show a run: its population, what stops it, its samples."""
    desk, run_id = desk_of(request), request.path_params["run"]
    status, loaded = await load_both(desk, run_id)
    asked = request.query_params
    filters = SampleFilters(asked.get("q", "").strip(), asked.get("status", ""), page_number(request))
    found = fitting_samples(loaded.samples, filters)
    counts = counts_of(status)
    samples = max(loaded.total, loaded.expected or 0)
    begin = (filters.page - 1) * PAGE_ROWS
    facts = await live_facts(desk, status, samples, None if status.in_progress else loaded.finished)
    return page(
        request, "run.html", status=status, loaded=loaded, spec=loaded.record.spec, samples=samples,
        terms=terms_of(counts, samples), waiting=samples - sum(counts.values()), filters=filters, found=len(found),
        shown=found[begin : begin + PAGE_ROWS], pages=-(-len(found) // PAGE_ROWS), statuses=(*STATUSES, WAITING),
        status_of=status_of, facts=facts, query=urlencode({"run": run_id}),
        review=None if status.in_progress else await _review_of(desk, run_id), can_run=desk.has_services,
        draft=desk.draft_of(run_id), by_flow="flow" in status.workflow_metadata.decided_by,
    )  # fmt: skip


async def _review_of(desk: Desk, run_id: str) -> ReviewLoaded | None:
    """Return how the review of a run stands, without its items; None where that is not told. The page of the review
    says why."""
    try:
        return await (await reviewer_of(desk)).load(desk.client.bus, run_id, skip=NO_ITEMS)
    except ExhibitError:
        return None


async def load_both(desk: Desk, run_id: str) -> tuple[RunStatus, RunLoaded]:
    """Return the status record of a run and the run with its samples. Raises HTTPException (404) without a run."""
    status = await desk.client.status(run_id)
    loaded = await desk.client.load(run_id)
    if isinstance(status, RunUnknown) or isinstance(loaded, RunUnknown):
        raise HTTPException(404, "There is no such run. It may be in another place of evidence.")
    return status, loaded


async def live_facts(desk: Desk, status: RunStatus, samples: int, finished: RunFinished | None) -> dict[str, str]:
    """Return what changes while a run is at work, in words."""
    ended = sum(one.samples for one in status.outcomes)
    asked = sum(len(one.questions) for one in status.open_questions)
    at_work = status.in_progress and not status.paused
    cost = await _cost_now(desk, status.run_id) if finished is None else finished.cost_usd
    return {
        "stops": what_stops(status),
        "asks": f"{asked} {'question waits' if asked == 1 else 'questions wait'} for an answer." if asked else "",
        "pace": pace(ended, samples, status.metadata.created_at, datetime.now(UTC)) if at_work else "",
        "cost": money(cost),
        "state": "paused" if status.paused else "at work" if status.in_progress else "ended",
    }


async def _cost_now(desk: Desk, run_id: str) -> float:
    """Return what the models of a run at work have cost, as it was `COST_S` ago at most: evidence paces queries."""
    at, cost = desk.costs.get(run_id, (-COST_S, 0.0))
    if time.monotonic() - at >= COST_S:
        rows = await ask_rows(desk, "select cost_usd from runs", run_id)
        cost = float(rows[0]["cost_usd"] or 0) if rows else 0.0
        if len(desk.costs) >= MOST_COSTS:
            desk.costs.clear()
        desk.costs[run_id] = (time.monotonic(), cost)
    return cost


async def run_now(request: Request) -> Response:
    """Return the facts of a run that change, for its page."""
    desk, run_id = desk_of(request), request.path_params["run"]
    status = await desk.client.status(run_id)
    loaded = await desk.client.bus.ask(LOAD_RUN, LoadRun(run_id=run_id, count_only=True), timeout_s=LOAD_BOUND_S)
    if isinstance(status, RunUnknown) or isinstance(loaded, RunUnknown):
        raise HTTPException(404, "There is no such run.")
    finished = None if status.in_progress else loaded.finished
    return JSONResponse(await live_facts(desk, status, max(loaded.total, loaded.expected or 0), finished))


async def run_cells(request: Request) -> Response:
    """Return one cell a sample, and the index from which on the events tell more."""
    desk, run_id = desk_of(request), request.path_params["run"]
    loaded = await desk.client.load(run_id)
    if isinstance(loaded, RunUnknown):
        raise HTTPException(404, "There is no such run.")
    cells = [[one.sample.sample_id, one.sample.key, status_of(one)] for one in loaded.samples]
    return JSONResponse({"cells": cells, "groups": list(GROUPS)})


async def run_events(request: Request) -> Response:
    """Send the events of a run as they happen, from the one after Last-Event-ID on."""
    desk, run_id = desk_of(request), request.path_params["run"]
    given = request.headers.get("last-event-id", "")
    since = int(given) + 1 if given.isascii() and given.isdecimal() else 0
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(
        _events(desk, run_id, since), media_type="text/event-stream; charset=utf-8", headers=headers
    )


async def _events(desk: Desk, run_id: str, since: int) -> AsyncGenerator[str]:
    yield "retry: 1000\n\n"
    quiet_s = 0.0
    while not desk.closing.is_set():
        try:
            got = await desk.client.events(run_id, since, EVENTS_AT_ONCE)
        except TransientError:
            yield "event: away\ndata: {}\n\n"
            await _pause(desk, 1.0)
            continue
        if isinstance(got, RunUnknown):
            return
        for event in got.events:
            yield f"id: {event.index}\ndata: {_told(event)}\n\n"
        since, quiet_s = got.next_index, 0.0 if got.events else quiet_s + LOOK_S
        if quiet_s >= QUIET_S:
            quiet_s = 0.0
            yield ": all is well\n\n"
        if not got.more:
            await _pause(desk, LOOK_S)


async def _pause(desk: Desk, seconds: float) -> None:
    """Wait, and less when the server ends."""
    try:
        await asyncio.wait_for(desk.closing.wait(), seconds)
    except TimeoutError:
        return


def _told(event: LoggedEvent) -> str:
    told = {
        "event": event.event, "sample": event.sample_id, "status": event.status, "tool": event.tool, "text": event.text,
    }  # fmt: skip
    return msgspec.json.encode(told).decode()
