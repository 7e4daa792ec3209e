"""`exhibit fleet`: what runs on a bus: services and their load, queues, messages that were given up."""

from __future__ import annotations

from services.console import exits
from services.console.event_loop import run_async
from services.console.options import AsJson, Nats, load_settings
from services.console.outcomes import CommandOutcome, CommandResult


def fleet(nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """Show which services answer on a bus, how busy they are, what waits in the queues, and what was given up."""
    from services.console.text.fleet_lines import fleet_lines  # only here: the options are told without them
    from shared.bus.access.credentials import access_of
    from shared.client.bus_use import OPERATOR
    from shared.host.service_names import NAMES
    from shared.setup.fleet_look import look_at_fleet

    settings = load_settings(nats)
    if settings.nats_url is None:
        raise exits.refused("--nats", "no bus is named: each command starts its own, and ends it")
    facts = run_async(look_at_fleet(settings.nats_url, OPERATOR, access_of(settings)))
    whole = facts.is_user or (all(map(facts.count, NAMES)) and not facts.dead)
    return CommandResult([*fleet_lines(facts, settings.nats_url)], facts, exits.OK if whole else exits.NOT_ALL_DONE)
