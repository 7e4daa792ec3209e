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

    async def read(self, bucket: Bucket, key: str, type_: type[Any]) -> Any | None: ...

    async def read_revision(self, bucket: Bucket, key: str, type_: type[Any]) -> tuple[Any | None, int]:
        """The record and its revision; nothing and 0 where there is none."""
        ...

    async def update(self, bucket: Bucket, key: str, value: Any, revision: int) -> bool:
        """Stores ``value`` if the record still has that revision (0: if there is none). False where it has not:
        somebody else was first, and nothing was stored."""
        ...

    async def hear(self, bucket: Bucket, type_: type[Any], told: Callable[[str, Any], None]) -> None:
        """From now on ``told`` is called with key and value of every record that is stored in the bucket by
        anybody. What is stored while this process is cut off from the bus is not heard."""
        ...
