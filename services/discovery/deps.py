"""The ports that discovery needs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from weakref import WeakValueDictionary

from shared.bus.access.use import BusUse
from shared.bus.ports import Asks, Blobs, Publishes, Records
from shared.contracts.base import Message
from shared.streams import (
    FOUND,
    INBOX,
    INPUTS,
    RUN_CONTROL,
    RUNS,
    SAMPLES,
    SCHEDULE_FILES,
    SCHEDULES,
    SUBMISSIONS,
    Consumer,
    Stream,
)
from shared.subjects import (
    CHECK_ACCESS,
    CHECK_PLANNER,
    LOAD_RUN,
    LOAD_STEPS,
    POPULATION_CLOSED,
    RUN_CONTROLLED,
    RUN_REJECTED,
    RUN_STARTED,
    SAMPLE_FOUND,
    WORK_SAMPLE,
    Stored,
)
from shared.tables.workbook import OpenWorkbook

PUBLISH_LIMIT = 100
"""Concurrent publishes: enough to hide the round trip to the server, few enough to limit memory."""


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
    open_workbook: OpenWorkbook
    """Open an Excel file, or raise InvalidMessage. It blocks, and so do its sheets: call it in a thread."""
    now: Callable[[], datetime]
    planners: frozenset[str]
    _locks: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary[str, asyncio.Lock])

    def lock(self, request_id: str) -> asyncio.Lock:
        """Return the lock by which this process works on a request once at a time."""
        return self._locks.setdefault(request_id, asyncio.Lock())


BUS_USE = BusUse(
    asks=(
        CHECK_ACCESS,
        CHECK_PLANNER,
        LOAD_RUN,
        LOAD_STEPS,
    ),
    publishes=(
        RUN_STARTED,
        RUN_REJECTED,
        RUN_CONTROLLED,
        SAMPLE_FOUND,
        POPULATION_CLOSED,
        WORK_SAMPLE,
    ),
    opens=(SAMPLES,),
    reads=(INBOX,),
    records=(
        RUNS,
        RUN_CONTROL,
        FOUND,
        SUBMISSIONS,
        SCHEDULES,
    ),
    lists=(SUBMISSIONS, SCHEDULES),
    gets=(INPUTS, SCHEDULE_FILES),
    puts=(INPUTS, SCHEDULE_FILES),
    removes=(INPUTS, SCHEDULE_FILES),
)
"""What the service does on the bus besides what its actor says; its rights follow from it."""
