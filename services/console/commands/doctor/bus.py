"""Checks of the bus: that it takes us and stores messages, what waits on it, and who answers."""

from __future__ import annotations

from shared.bus.access.credentials import access_of
from shared.client.bus_use import OPERATOR
from shared.host.nats_server import server_version
from shared.host.services import NAMES
from shared.settings import Settings
from shared.setup.bus_facts import BusFacts, look_at_bus
from shared.setup.check import SetupCheck, SetupFinding, fine, problem, warning


async def check_bus(settings: Settings) -> SetupFinding:
    if settings.nats_url is None:
        return fine(f"no bus is named: each command starts its own, {await server_version()}")
    return bus_finding(settings.nats_url, await look_at_bus(settings.nats_url, OPERATOR, access_of(settings)))


def bus_finding(url: str, facts: BusFacts) -> SetupFinding:
    """Return what follows from the facts, the worst first."""
    told = f"nats-server {facts.version} at {url}"
    if not facts.stores:
        return problem(f"{told} stores nothing", "Start it with JetStream: nats-server -js.")
    if not facts.has_key:
        return warning(
            f"{told} takes everybody, without a key",
            "`exhibit bus-config` makes one with users and rights.",
        )
    if facts.is_user:
        return fine(f"{told} takes the key of this process")
    known = {name: count for name, count in facts.services.items() if name in NAMES}
    told += f"; answering: {', '.join(f'{name} {count}' for name, count in known.items()) or 'no service'}"
    told += f"; {facts.waiting} samples wait" if facts.waiting else ""
    if facts.dead:
        return warning(f"{told}; {facts.dead} messages were given up", "`nats stream view DLQ` shows them, and why.")
    missing = [name for name in NAMES if name not in known]
    if missing:
        return warning(f"{told}; not answering: {', '.join(missing)}", "Start them with `exhibit serve NAME`.")
    return fine(told)


BUS_CHECKS = (SetupCheck("bus", check_bus, 15.0, "Look whether EXHIBIT_NATS_URL is right, and its server runs."),)
