"""The pages about runs: the list, and one run with its samples."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from services.console.web.desk import NO_RUN, Desk, ask_rows, desk_of, page, page_number
from services.console.web.finding.saved_views import query_of, read_views
from services.console.web.following.live_facts import fleet_fact, live_facts
from services.console.web.review.decided_samples import DecidedSamples, decided_samples
from services.console.web.review.desk_reviewer import reviewer_of
from services.console.web.review.table_facts import DECISION_SIGNS
from services.console.web.run_facts import (
    LISTED_QUERY,
    MOST_RUNS,
    PAGE_ROWS,
    SIGNED_QUERY,
    RunFilters,
    SampleFilters,
    SignedOff,
    counts_of,
    fitting,
    outcomes_of,
    run_line,
    status_of,
    terms_of,
)
from shared.client.run_client import LOAD_BOUND_S
from shared.contracts.evidence import WAITING, LoadRun, RunLoaded, RunUnknown
from shared.contracts.sessions.reviewing import ReviewLoaded
from shared.contracts.sessions.status import NO_SAMPLES, RunStatus
from shared.errors import ExhibitError
from shared.evidence_format.files.tags import MOST_TAG_CHARS, MOST_TAGS, folded
from shared.evidence_format.review.amounts import amount_words
from shared.statuses import STATUSES, group_of
from shared.subjects import LOAD_RUN

NO_ITEMS = 1 << 40
"""More than a review has: with as many skipped, none is answered."""


async def list_runs(request: Request) -> Response:
    """Show one line a run."""
    desk = desk_of(request)
    views = await asyncio.to_thread(read_views, desk.settings)
    asked = request.query_params
    filters = RunFilters(asked.get("q", "").strip(), asked.get("state", ""), folded(asked.get("tag", "")))
    rows = await ask_rows(desk, LISTED_QUERY, max_rows=MOST_RUNS)
    lines = [run_line(row, SignedOff.of(row) if row["people"] else None) for row in rows]
    found = fitting(lines, filters)
    number = page_number(request)
    shown = found[(number - 1) * PAGE_ROWS : number * PAGE_ROWS]
    return page(
        request, "runs.html", lines=shown, found=len(found), known=len(lines), filters=filters, number=number,
        pages=-(-len(found) // PAGE_ROWS), more=len(rows) == MOST_RUNS, can_run=desk.has_services, views=views,
        here=query_of(request.url.query), tags=sorted({tag for line in lines for tag in line.tags}),
    )  # fmt: skip


async def _signed_off(desk: Desk, *run_ids: str) -> dict[str, SignedOff]:
    """Return the reviews that were signed off, of these runs or of all; none where that cannot be asked."""
    try:
        rows = await ask_rows(desk, SIGNED_QUERY, *run_ids, max_rows=MOST_RUNS)
    except (HTTPException, ExhibitError):
        return {}
    return {row["run_id"]: SignedOff.of(row) for row in rows}


async def show_run(request: Request) -> Response:
    """Show a run: its population, what stops it, its samples."""
    desk, run_id = desk_of(request), request.path_params["run"]
    asked = request.query_params
    filters = SampleFilters(asked.get("q", "").strip(), asked.get("status", ""), page_number(request))
    (status, loaded), review = await asyncio.gather(load_both(desk, run_id, filters), _review_of(desk, run_id))
    counts = counts_of(status)
    samples = max(loaded.total, loaded.expected or 0)
    review = None if status.in_progress else review  # that of a round before is none of this one
    signed_off = review is not None and review.state == "signed_off"
    signed, decided = None, DecidedSamples()
    if signed_off:
        offs, decided = await asyncio.gather(_signed_off(desk, run_id), decided_samples(desk, run_id))
        signed = offs.get(run_id)
    facts = live_facts(status, loaded) | (fleet_fact(desk, request.app.state.fleet) if status.in_progress else {})
    return page(
        request, "run.html", status=status, loaded=loaded, spec=loaded.record.spec, samples=samples,
        terms=terms_of(counts, samples, settled=signed_off), waiting=samples - sum(counts.values()), filters=filters,
        outcomes=outcomes_of(status, decided.words_of), decided=decided.acts, decision_signs=DECISION_SIGNS,
        signed_off=signed_off, reviewed=[one for one in STATUSES if signed_off and group_of(one) == "review"],
        pages=-(-loaded.fitting // PAGE_ROWS), statuses=(*STATUSES, WAITING),
        status_of=status_of, facts=facts, has_fleet=desk.settings.nats_url is not None,
        query=urlencode({"run": run_id}),
        review=review, amount_words=amount_words, signed=signed, can_run=desk.has_services,
        draft=desk.draft_of(run_id), by_flow=sum(one.samples for one in status.worked if "flow" in one.drivers),
        flow_did=sum(one.done for one in status.worked if one.drivers == ("flow",)),
        asked_model=any(one.llm_calls for one in status.worked),
        has_moved=any("flow" in one.drivers and one.done for one in status.worked),
        most_tags=MOST_TAGS, most_tag_chars=MOST_TAG_CHARS,
    )  # fmt: skip


async def _review_of(desk: Desk, run_id: str) -> ReviewLoaded | None:
    """Return how the review of a run stands, without its items; None where that is not told. The page of the review
    says why."""
    try:
        return await (await reviewer_of(desk)).load(desk.client.bus, run_id, skip=NO_ITEMS)
    except ExhibitError:
        return None


async def load_both(desk: Desk, run_id: str, filters: SampleFilters) -> tuple[RunStatus, RunLoaded]:
    """Return the status record of a run and the run with a page of its samples. Raises HTTPException (404) without a
    run."""
    request = LoadRun(
        run_id=run_id, text=filters.text, status=filters.status, skip=(filters.page - 1) * PAGE_ROWS, limit=PAGE_ROWS
    )
    status, loaded = await asyncio.gather(
        desk.client.status(run_id, NO_SAMPLES), desk.client.bus.ask(LOAD_RUN, request, timeout_s=LOAD_BOUND_S)
    )
    if isinstance(status, RunUnknown) or isinstance(loaded, RunUnknown):
        raise HTTPException(404, NO_RUN)
    return status, loaded
