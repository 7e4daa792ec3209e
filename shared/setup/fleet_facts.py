"""What runs on a bus, seen from outside: services and their load, queues, messages that were given up. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from shared.bus.instance_use import InstanceUse, use_of
from shared.contracts.base import Part


class FleetInstance(Part, frozen=True, kw_only=True):
    """A service in one process. ``asks``: that it has taken since it runs.
    ``uses``: what it has in use of what it can do at a time, such as ``sessions``."""

    service: str
    instance_id: str
    asks: int
    started_at: str = ""
    uses: dict[str, InstanceUse] = {}


class FleetQueue(Part, frozen=True, kw_only=True):
    """The queue of one round of a run. ``most``: samples that are handed out at a time."""

    run_id: str
    attempt_base: int
    waiting: int
    at_work: int
    most: int


class GivenUp(Part, frozen=True, kw_only=True):
    """A message whose retries are exhausted. ``kind``: what it was, as its subject has it."""

    number: int
    at: datetime
    kind: str
    code: str
    message: str


@dataclass(frozen=True)
class FleetFacts:
    """``is_user``: the server knows us by a key of our own, and shows nothing of others. ``dead``: how many messages
    were given up, of which ``letters`` are the newest. ``webhooks``: that wait, or are at work."""

    version: str
    is_user: bool = False
    instances: tuple[FleetInstance, ...] = ()
    queues: tuple[FleetQueue, ...] = ()
    webhooks: int = 0
    dead: int = 0
    letters: tuple[GivenUp, ...] = ()

    def count(self, service: str) -> int:
        """Return how many processes of a service answer."""
        return sum(one.service == service for one in self.instances)


def instance_of(stats: Mapping[str, Any]) -> FleetInstance:
    """Return what a service answers to nats.micro. Raises KeyError, TypeError and ValueError for another answer."""
    endpoints = [dict(one) for one in stats.get("endpoints") or ()]
    asks = sum(int(one.get("num_requests", 0)) for one in endpoints)
    uses: dict[str, InstanceUse] = {}
    for one in endpoints:
        uses |= use_of(one.get("data"))
    metadata: Mapping[str, Any] = stats.get("metadata") or {}
    return FleetInstance(
        service=str(stats["name"])[:40],
        instance_id=str(metadata.get("instance") or stats["id"])[:40],
        asks=asks,
        started_at=str(stats.get("started", ""))[:40],
        uses=uses,
    )
