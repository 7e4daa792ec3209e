"""The page about what runs: services and their load, queues, messages that were given up."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from services.console.text.fleet_lines import NOT_SEEN
from services.console.web.desk import ask_rows, desk_of, page
from services.console.web.operations.seen_with_rights import look_by_asking
from services.console.web.run_facts import RUNS_QUERY, RunLine, run_line
from shared.bus.access.credentials import access_of
from shared.client.bus_use import OPERATOR
from shared.errors import ExhibitError
from shared.host.service_names import NAMES
from shared.setup.fleet_facts import FleetFacts
from shared.setup.fleet_look import look_at_fleet

MOST_RUNS = 200
"""Of the latest, among which those at work are looked for."""
WHAT = {
    "evidence": "files what was captured, seals runs, answers SQL",
    "browser_pool": "opens browsers, reads pages, clicks and types",
    "workflows": "keeps flows and workflows, and runs their code",
    "vision": "answers questions about pictures",
    "planner": "decides what is done on each sample",
    "discovery": "takes requests for runs, finds their samples",
}


async def show_fleet(request: Request) -> Response:
    """Show what answers on the bus, what waits, and what was given up."""
    desk = desk_of(request)
    if desk.settings.nats_url is None or not desk.has_services:
        return page(request, "fleet.html", facts=None)
    facts = await look_at_fleet(desk.settings.nats_url, OPERATOR, access_of(desk.settings))
    if facts.is_user:
        return await _show_seen(request, facts)
    services = [(name, WHAT[name], [one for one in facts.instances if one.service == name]) for name in NAMES]
    return page(request, "fleet.html", facts=facts, services=services, not_seen=NOT_SEEN)


async def _show_seen(request: Request, facts: FleetFacts) -> Response:
    """Show what the rights of whoever looks allow: which services answer him, and which runs are at work."""
    desk = desk_of(request)
    seen = await look_by_asking(desk.client.bus, tuple(NAMES))
    lost, runs = "", list[RunLine]()
    try:
        lines = [run_line(row) for row in await ask_rows(desk, RUNS_QUERY, max_rows=MOST_RUNS)]
        runs = [one for one in lines if one.at_work]
    except (ExhibitError, HTTPException) as exc:
        lost = str(exc)
    return page(
        request, "fleet.html", facts=facts, seen=[(one, WHAT[one.service]) for one in seen], runs=runs, lost=lost,
        not_seen=NOT_SEEN,
    )  # fmt: skip
