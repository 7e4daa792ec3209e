"""The ports that discovery needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from shared.bus.ports import Asks, Blobs, Publishes, Records
from shared.contracts.base import Message
from shared.streams import Consumer, Stream
from shared.subjects import Stored

PUBLISH_LIMIT = 100
"""Concurrent publishes: enough to hide the round trip to the server, few enough to limit memory."""
SheetGrid = Sequence[Sequence[object]]
"""The rows of a sheet, including the header row."""


class RunQueues(Protocol):
    async def open_queue(self, consumer: Consumer) -> None:
        """Create the queue that planners pull from. Idempotent."""
        ...

    async def close_queue(self, consumer: Consumer) -> None:
        """Delete the queue and what is left in it. Idempotent."""
        ...

    async def is_queued(self, stream: Stream, subject: Stored[Any], message: Message) -> bool:
        """Return whether the work is still queued or being worked on."""
        ...


@dataclass
class DiscoveryDeps:
    """What the actor needs. ``now`` returns aware UTC; ``planners`` are the names that a request may use."""

    asks: Asks
    publishes: Publishes
    blobs: Blobs
    records: Records
    queues: RunQueues
    read_sheet: Callable[[bytes], SheetGrid]
    """Return the first sheet of an Excel file, or raise InvalidMessage. It blocks: call it in a thread."""
    now: Callable[[], datetime]
    planners: frozenset[str]
