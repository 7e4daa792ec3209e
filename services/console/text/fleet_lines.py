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


def _instance(one: FleetInstance) -> str:
    uses = "".join(f", {use.in_use} of {use.most} {what}" for what, use in sorted(one.uses.items()))
    failed = f", {one.failed} failed" if one.failed else ""
    return f"{printable(one.instance_id)}: {one.asks} asks answered, {one.mean_ms:.1f} ms each{failed}{uses}"
