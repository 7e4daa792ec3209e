"""What changes of a run while it is at work, besides its samples, in words."""

from __future__ import annotations

from datetime import UTC, datetime

from services.console.web.desk import Desk
from services.console.web.following.fleet_glance import FleetGlance
from services.console.web.markup import money
from services.console.web.run_facts import pace, what_stops
from shared.client.run_client import LOAD_BOUND_S
from shared.contracts.evidence import LoadRun, RunLoaded, RunUnknown
from shared.contracts.sessions.status import NO_SAMPLES, RunStatus
from shared.subjects import LOAD_RUN


async def facts_now(desk: Desk, fleet: FleetGlance, run_id: str) -> dict[str, str]:
    """Return the facts of a run for its pages; none of a run that there is not. Raises as an ask does."""
    status = await desk.client.status(run_id, NO_SAMPLES)
    loaded = await desk.client.bus.ask(LOAD_RUN, LoadRun(run_id=run_id, count_only=True), timeout_s=LOAD_BOUND_S)
    if isinstance(status, RunUnknown) or isinstance(loaded, RunUnknown):
        return {}
    return live_facts(status, loaded) | fleet_fact(desk, fleet)


def fleet_fact(desk: Desk, fleet: FleetGlance) -> dict[str, str]:
    """Return the fleet in words, as it was seen last; nothing before it was."""
    words = fleet.glance(desk.settings)
    return {"fleet": words} if words else {}


def live_facts(status: RunStatus, loaded: RunLoaded) -> dict[str, str]:
    """Return what changes while a run is at work, in words. The time left is told once all samples are known."""
    samples = max(loaded.total, loaded.expected or 0)
    ended = sum(one.samples for one in status.outcomes)
    asked = sum(len(one.questions) for one in status.open_questions)
    at_work = status.in_progress and not status.paused
    return {
        "stops": what_stops(status),
        "asks": f"{asked} {'question waits' if asked == 1 else 'questions wait'} for an answer." if asked else "",
        "pace": pace(
            ended, samples if loaded.expected is not None else None, status.metadata.created_at, datetime.now(UTC)
        )
        if at_work
        else "",
        "cost": money(status.cost_usd),
        "samples": str(samples),
        "state": "paused" if status.paused else "at work" if status.in_progress else "ended",
    }
