"""What discovery needs of the world."""

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
"""Publishes under way at a time: enough to hide the server's round trip, few enough to bound what is held."""
Grid = Sequence[Sequence[object]]
"""A sheet as it was read: rows of cells, the header row among them."""


class RunQueues(Protocol):
    async def open_queue(self, consumer: Consumer) -> None:
        """From now on planners may pull from this queue; opening it twice is no error."""
        ...

    async def close_queue(self, consumer: Consumer) -> None:
        """Ends the queue with what is left in it; closing what is not open is no error."""
        ...

    async def is_queued(self, stream: Stream, subject: Stored[Any], message: Message) -> bool:
        """Whether work of this subject still stands in its queue, or is in somebody's hands."""
        ...


@dataclass
class Deps:
    """``now`` is aware UTC; ``planners`` are the names a request may ask for."""

    asks: Asks
    publishes: Publishes
    blobs: Blobs
    records: Records
    queues: RunQueues
    read_sheet: Callable[[bytes], Grid]
    """The first sheet of an Excel file; InvalidMessage where the bytes are none. It blocks, so it runs in a thread."""
    now: Callable[[], datetime]
    planners: frozenset[str]
