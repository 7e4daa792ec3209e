"""What handlers need of the bus, as Protocols: `Bus` is the real one, `shared.testing.bus.MemoryBus` the fake."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from shared.contracts.base import Message
from shared.streams import Bucket
from shared.subjects import Ask, Stored

ReqT = TypeVar("ReqT", bound=Message)
RepT = TypeVar("RepT")
MsgT = TypeVar("MsgT", bound=Message)
RecordT = TypeVar("RecordT")


class Asks(Protocol):
    async def ask(self, subject: Ask[ReqT, RepT], request: ReqT, *, timeout_s: float = 30.0) -> RepT:
        """The reply; a failure on the other side is raised as the ExhibitError it was,
        and nobody listening as Unavailable with the code ``no_responders``. Where one instance is asked
        and it dies meanwhile, that is said at once: ``instance_gone``."""
        ...


class Publishes(Protocol):
    async def publish(self, subject: Stored[MsgT], message: MsgT) -> None:
        """Stored once the call returns; a second publishing of the same identity is dropped by the server."""
        ...


class Source(Protocol):
    """Bytes to be read once, from front to back: a binary file that is open, for instance."""

    def readinto(self, buffer: bytearray, /) -> int:
        """Fills ``buffer`` from its front and says how far; 0 at the end. It is called in a thread."""
        ...


class Sink(Protocol):
    """Takes bytes from front to back: a binary file that is open, for instance."""

    def write(self, data: bytes, /) -> object:
        """It is called in a thread, one call after the other."""
        ...


class Blobs(Protocol):
    """Bytes too large for messages: put under a name, taken by whoever got the name in a message."""

    async def put(self, bucket: Bucket, name: str, data: bytes | Source) -> None:
        """A source is read piece by piece and never held whole; one that fails leaves nothing under the name."""
        ...

    async def get(self, bucket: Bucket, name: str) -> bytes:
        """The bytes; PermanentError with the code ``no_blob`` when there are none."""
        ...

    async def fetch(self, bucket: Bucket, name: str, sink: Sink) -> None:
        """As `get`, piece by piece and never held whole. Until the call returns it is not said that the pieces are all
        there are: PermanentError with the code ``no_blob`` where they end too soon, ``blob_damaged`` where they are
        others than were put. What the sink raises is raised here."""
        ...

    async def remove(self, bucket: Bucket, name: str) -> None:
        """Removing what is not there is no error."""
        ...


class Records(Protocol):
    """Small records that several services read: key to one contract type."""

    async def create(self, bucket: Bucket, key: str, value: Any) -> bool:
        """False when the key exists already; the stored value is then left as it is."""
        ...

    async def read(self, bucket: Bucket, key: str, type_: type[RecordT]) -> RecordT | None:
        """Return the record, or None when there is none."""
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
