"""How much of what one process can do at a time is in use, as it tells nats.micro. Pure."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, cast, get_args

from shared.streams import QueueUse

InstanceUseOf = Literal["sessions", QueueUse]
"""``sessions``: browser sessions that are leased. The others: messages of these queues at work."""


class InstanceUse(NamedTuple):
    in_use: int
    most: int


def use_of(data: Any) -> dict[str, InstanceUse]:
    """Return what a process has told; nothing of what is none of that, for whoever is on the bus may answer."""
    given = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    pairs = {what: _pair(given.get(what)) for what in get_args(InstanceUseOf)}
    return {what: pair for what, pair in pairs.items() if pair is not None}


def _pair(data: Any) -> InstanceUse | None:
    numbers = cast("list[Any]", data) if isinstance(data, list) else []
    is_one = len(numbers) == 2 and all(type(one) is int and one >= 0 for one in numbers)
    return InstanceUse(*numbers) if is_one else None
