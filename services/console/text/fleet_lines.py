"""What runs on a bus, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator

from shared.host.service_names import NAMES
from shared.setup.fleet_facts import FleetFacts, FleetInstance
from shared.text.normal import printable

NOT_SEEN = (
    "This bus has users, and shows nothing of others to the user of this process. Its administrator sees it: "
    "`nats micro stats`, `nats consumer report SAMPLES`, `nats stream view DLQ`."
)


def fleet_lines(facts: FleetFacts, url: str) -> Iterator[str]:
    """Return what answers, what waits and what was given up, and what to do about it."""
    yield f"nats-server {facts.version} at {printable(url)}"
    if facts.is_user:
        yield NOT_SEEN
        return
    yield ""
    for name in NAMES:
        count = facts.count(name)
        yield f"{name:<14} {count or 'not answering: start it with `exhibit serve ' + name + '`'}"
        yield from (f"  {_instance(one)}" for one in facts.instances if one.service == name)
    yield ""
    waiting = sum(one.waiting for one in facts.queues)
    yield f"{waiting} samples wait, {sum(one.at_work for one in facts.queues)} are at work"
    for one in facts.queues:
        again = f", round {one.attempt_base}" if one.attempt_base else ""
        yield f"  {printable(one.run_id)}{again}: {one.waiting} wait, {one.at_work} of at most {one.most} at work"
    if facts.webhooks:
        yield f"{facts.webhooks} webhooks are on their way"
    yield f"{facts.dead or 'no'} {'message was' if facts.dead == 1 else 'messages were'} given up"
    for letter in facts.letters:
        at = f"{letter.at:%Y-%m-%d %H:%M:%S} UTC"
        yield f"  {at}  {printable(letter.kind)}: {printable(letter.code)}: {printable(letter.message)}"


_OF_ONE, _OF_MANY = {"browser_pool": "browser pool"}, {"browser_pool": "browser pools"}


def fleet_sentence(facts: FleetFacts) -> str:
    """Return what works on runs, how much of it is in use, and which services do not answer; on a bus with users, that
    they are not seen."""
    if facts.is_user:
        return "the services that answer you"
    parts: list[str] = []
    for name in ("browser_pool", "planner"):
        count = facts.count(name)
        if count:
            named = _OF_ONE.get(name, name) if count == 1 else _OF_MANY.get(name, f"{name}s")
            parts.append(f"{count} {named}{_use(facts, name)}")
    away = [name.replace("_", " ") for name in NAMES if not facts.count(name)]
    if away:
        parts.append(f"not answering: {', '.join(away)}")
    return "; ".join(parts)


def _use(facts: FleetFacts, service: str) -> str:
    """Return how much of a service is in use, over all of its processes."""
    sums: dict[str, tuple[int, int]] = {}
    for one in facts.instances:
        for what, use in one.uses.items() if one.service == service else ():
            in_use, most = sums.get(what, (0, 0))
            sums[what] = (in_use + use.in_use, most + use.most)
    return "".join(f", {in_use} of {most} {what} in use" for what, (in_use, most) in sorted(sums.items()))


def _instance(one: FleetInstance) -> str:
    uses = "".join(f", {use.in_use} of {use.most} {what}" for what, use in sorted(one.uses.items()))
    return f"{printable(one.instance_id)}: {one.asks} asks taken{uses}"
