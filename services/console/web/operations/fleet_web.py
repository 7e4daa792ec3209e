"""The page about what runs: services and their load, queues, messages that were given up."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from services.console.text.fleet_lines import NOT_SEEN
from services.console.web.desk import desk_of, page
from shared.bus.access.credentials import access_of
from shared.client.bus_use import OPERATOR
from shared.host.service_names import NAMES
from shared.setup.fleet_look import look_at_fleet

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
    services = [(name, WHAT[name], [one for one in facts.instances if one.service == name]) for name in NAMES]
    return page(request, "fleet.html", facts=facts, services=services, not_seen=NOT_SEEN)
