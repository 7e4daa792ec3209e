"""What handlers use of the bus, as Protocols. `shared.bus.nats_bus` implements them; `shared.testing.bus` is a fake."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol, TypeVar

from shared.contracts.base import Message
from shared.streams import Bucket
from shared.subjects import Ask, Stored

ReqT = TypeVar("ReqT", bound=Message)
RepT = TypeVar("RepT")
MsgT = TypeVar("MsgT", bound=Message)
RecordT = TypeVar("RecordT")


PART_BYTES = 500_000
"""Of bytes that travel in asks, in one message: a foreign NATS server allows messages of 1 MB, and bytes are written in
base64."""


class Asks(Protocol):
    async def ask(self, subject: Ask[ReqT, RepT], request: ReqT, *, timeout_s: float = 30.0) -> RepT:
        """Return the reply; raise a failure of the other side as the ExhibitError that it was there.

        Raises Unavailable with the code ``no_responders`` when no instance listens, and ``instance_gone`` as soon as
        the one instance that was asked has died; DeadlineExceeded after ``timeout_s``. An ask that is open when the
        connection to the bus is lost fails at once (``bus_lost``), or is asked again where it is repeatable.
        """
        ...


class Publishes(Protocol):
    async def publish(self, subject: Stored[MsgT], message: MsgT) -> None:
        """Return once the message is stored. The server drops a second message of the same identity."""
        ...


class Seats(Protocol):
    """Which asks of what this process has now (`Ask.held`) it answers. They are counted: a seat that was taken twice is
    left by the second leaving."""

    def take_seat(self, subject: Ask[Any, Any], *keys: str) -> None:
        """Listen to the asks with these keys, soon after the call."""
        ...

    def leave_seat(self, subject: Ask[Any, Any], *keys: str) -> None:
        """Take back one taking of it; after the last one they are listened to no more. None was taken: nothing."""
        ...


class Source(Protocol):
    """Bytes that are read once, from front to back, such as an open binary file."""

    def readinto(self, buffer: bytearray, /) -> int:
        """Fill ``buffer`` from its front and return how many bytes; 0 at the end. Called in a thread."""
        ...


class Sink(Protocol):
    """Takes bytes from front to back, such as an open binary file."""

    def write(self, data: bytes, /) -> object:
        """Called in a thread, one call after the other."""
        ...


class Blobs(Protocol):
    """Bytes that are too large for messages: a message carries their name instead."""

    async def put(self, bucket: Bucket, name: str, data: bytes | Source) -> None:
        """Store the bytes under ``name``. A source is read in pieces; one that fails leaves nothing behind."""
        ...

    async def get(self, bucket: Bucket, name: str) -> bytes:
        """Return the bytes. Raises PermanentError (``no_blob``) when there are none."""
        ...

    async def fetch(self, bucket: Bucket, name: str, sink: Sink) -> None:
        """Write the bytes to ``sink`` in pieces. They are complete, and verified, only when the call has returned.

        Raises PermanentError (``no_blob``) when there are none or too few, and ``blob_damaged`` when they differ from
        what was put. An exception of the sink is raised here.
        """
        ...

    async def remove(self, bucket: Bucket, name: str) -> None:
        """Remove the bytes; idempotent."""
        ...


@dataclass(frozen=True)
class StoredEvent:
    """An event as the stream holds it.

    ``sequence``: grows with every event of any run. ``at``: when it was stored. ``subject`` and ``signature``: as it
    travelled. ``judge``: returns `believed`.
    """

    sequence: int
    at: datetime
    data: bytes
    subject: str = ""
    signature: str = ""
    judge: Callable[[], bool] = field(default=lambda: True, repr=False, compare=False)

    @cached_property
    def believed(self) -> bool:
        """False if it is not signed by a service that may send it, as far as the reader knows. Found out when it is
        first asked for: to check a signature takes as long as to read many events."""
        return self.judge()


class EventReader(Protocol):
    async def read_events(self, subjects: Sequence[str], start: int, limit: int) -> list[StoredEvent]:
        """Return the first ``limit`` events on these subjects from the sequence ``start`` on, in order."""
        ...


class Records(Protocol):
    """Small records that several services share; each bucket has one type."""

    async def create(self, bucket: Bucket, key: str, value: Any) -> bool:
        """Store a new record. Return False, and leave the record as it is, when the key exists."""
        ...

    async def read(self, bucket: Bucket, key: str, type_: type[RecordT]) -> RecordT | None:
        """Return the record, or None when there is none."""
        ...

    async def read_all(self, bucket: Bucket, type_: type[RecordT]) -> dict[str, RecordT]:
        """Return every record of the bucket by its key. A space in a key is returned as ``_``."""
        ...

    async def revision(self, bucket: Bucket) -> int:
        """Return a number that grows with every record that any process stores in the bucket."""
        ...

    async def modify(
        self,
        bucket: Bucket,
        key: str,
        type_: type[RecordT],
        change: Callable[[RecordT | None], RecordT | None],
    ) -> RecordT | None:
        """Replace the record by ``change(record)`` with compare-and-set; ``change`` gets None when there is none.

        When another process stored the key meanwhile, ``change`` is called again with what it stored: it must have no
        effects. Where it returns None nothing is stored.

        Returns the record that was stored, or None. Raises Unavailable (``record_contended``) after too many conflicts.
        """
        ...

    async def watch(self, bucket: Bucket, type_: type[RecordT], on_change: Callable[[str, RecordT], None]) -> None:
        """Call ``on_change`` from now on with key and value of every record that any process stores in the bucket.

        Records that are stored while this process is cut off from the bus are missed.
        """
        ...
