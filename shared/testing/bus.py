"""A fake bus in memory. It passes the same suite as the real one (tests/handlers/shared/bus_suite.py)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any, TypeVar

import msgspec

from shared.bus.actor import Actor
from shared.bus.decoding import decode
from shared.bus.instance_use import InstanceUse, InstanceUseOf
from shared.bus.ports import Sink, Source, StoredEvent
from shared.bus.runner import Runner
from shared.contracts.base import Failure, Message
from shared.errors import PermanentError, Unavailable, from_failure
from shared.host.nats_server import MAX_PAYLOAD_BYTES
from shared.streams import Bucket, Consumer, Stream
from shared.subjects import Ask, Stored, message_id, subject_for

ReqT = TypeVar("ReqT", bound=Message)
RepT = TypeVar("RepT")
MsgT = TypeVar("MsgT", bound=Message)
RecordT = TypeVar("RecordT")

CHUNK_BYTES = 128 * 1024


class MemoryBus:
    """Asks go to the actors that `host` has added; ``published`` has all stored messages in order."""

    def __init__(self, instance_id: str = "memory") -> None:
        self.instance_id = instance_id
        self.published: list[tuple[str, Message]] = []
        self._published_at: list[datetime] = []
        self.queues: dict[str, Consumer] = {}
        self.closed_asks: set[str] = set()
        self.seats: Counter[str] = Counter()
        self._ids: set[str] = set()
        self._records: dict[tuple[str, str], bytes] = {}
        self._revisions: dict[str, int] = {}
        self._watches: list[tuple[str, type[Any], Callable[[str, Any], None]]] = []
        self.uses: dict[str, InstanceUse] = {}
        self._blobs: dict[tuple[str, str], bytes] = {}
        self._actors: list[tuple[Actor[Any], Runner[Any]]] = []

    def host(self, actor: Actor[Any], deps: Any) -> None:
        """Have ``actor`` answer its asks from now on, before actors that were added earlier."""
        self._actors.append((actor, Runner(deps, _NoOutbox())))

    def events(self, type_: type[MsgT]) -> list[MsgT]:
        """Return the published messages of one type, in order."""
        return [message for _, message in self.published if isinstance(message, type_)]

    async def ask(self, subject: Ask[ReqT, RepT], request: ReqT, *, timeout_s: float = 30.0) -> RepT:
        for actor, runner in reversed(self._actors):
            route = actor.asks.get(subject.pattern)
            if route is not None and subject.pattern not in self.closed_asks and self._listens(subject, request):
                answer = await runner.answer(route, msgspec.json.encode(request), {})
                if isinstance(answer, Failure):
                    raise from_failure(answer)
                if len(answer) > MAX_PAYLOAD_BYTES:
                    raise PermanentError("the answer is larger than the bus allows", code="too_large")
                reply: Any = decode(answer, subject.reply)
                return reply
        raise Unavailable(f"nobody answers {subject.pattern}", code="no_responders", retry_after_s=0.2)

    def _listens(self, subject: Ask[Any, Any], request: Message) -> bool:
        return not subject.held or self.seats[subject_for(subject, request)] > 0

    def take_seat(self, subject: Ask[Any, Any], *keys: str) -> None:
        self.seats[".".join((subject.pattern, *keys))] += 1

    def leave_seat(self, subject: Ask[Any, Any], *keys: str) -> None:
        where = ".".join((subject.pattern, *keys))
        self.seats[where] = max(self.seats[where] - 1, 0)

    async def publish(self, subject: Stored[MsgT], message: MsgT) -> None:
        identity = message_id(subject, message)
        if identity not in self._ids:
            self._ids.add(identity)
            decoded = msgspec.json.decode(msgspec.json.encode(message), type=subject.message)
            self.published.append((subject_for(subject, message), decoded))
            self._published_at.append(datetime.now(UTC))

    async def read_events(self, subjects: Sequence[str], start: int, limit: int) -> list[StoredEvent]:
        found = [
            StoredEvent(number, self._published_at[number - 1], msgspec.json.encode(message))
            for number, (subject, message) in enumerate(self.published, 1)
            if number >= start and any(fnmatchcase(subject, pattern) for pattern in subjects)
        ]
        return found[:limit]

    async def create(self, bucket: Bucket, key: str, value: Any) -> bool:
        if (bucket.name, key) in self._records:
            return False
        self._store(bucket, key, value)
        return True

    async def read(self, bucket: Bucket, key: str, type_: type[RecordT]) -> RecordT | None:
        data = self._records.get((bucket.name, key))
        return None if data is None else msgspec.json.decode(data, type=type_)

    async def read_all(self, bucket: Bucket, type_: type[RecordT]) -> dict[str, RecordT]:
        return {
            key.replace(" ", "_"): msgspec.json.decode(data, type=type_)
            for (name, key), data in self._records.items()
            if name == bucket.name
        }

    async def revision(self, bucket: Bucket) -> int:
        return self._revisions.get(bucket.name, 0)

    async def modify(
        self,
        bucket: Bucket,
        key: str,
        type_: type[RecordT],
        change: Callable[[RecordT | None], RecordT | None],
    ) -> RecordT | None:
        changed = change(await self.read(bucket, key, type_))
        if changed is not None:
            self._store(bucket, key, changed)
        return changed

    async def watch(self, bucket: Bucket, type_: type[RecordT], on_change: Callable[[str, RecordT], None]) -> None:
        self._watches.append((bucket.name, type_, on_change))

    def _store(self, bucket: Bucket, key: str, value: Any) -> None:
        data = msgspec.json.encode(value)
        self._records[bucket.name, key] = data
        self._revisions[bucket.name] = self._revisions.get(bucket.name, 0) + 1
        for name, type_, on_change in self._watches:
            if name == bucket.name:
                on_change(key, msgspec.json.decode(data, type=type_))

    async def put(self, bucket: Bucket, name: str, data: bytes | Source) -> None:
        self._blobs[bucket.name, name] = data if isinstance(data, bytes) else await _read(data)

    async def get(self, bucket: Bucket, name: str) -> bytes:
        if (bucket.name, name) not in self._blobs:
            raise PermanentError(f"{bucket.name} has no object {name!r}", code="no_blob")
        return self._blobs[bucket.name, name]

    async def fetch(self, bucket: Bucket, name: str, sink: Sink) -> None:
        data = await self.get(bucket, name)
        for start in range(0, len(data), CHUNK_BYTES):
            await asyncio.to_thread(sink.write, data[start : start + CHUNK_BYTES])

    async def remove(self, bucket: Bucket, name: str) -> None:
        self._blobs.pop((bucket.name, name), None)

    async def open_queue(self, consumer: Consumer) -> None:
        self.queues.setdefault(consumer.name, consumer)

    async def close_queue(self, consumer: Consumer) -> None:
        self.queues.pop(consumer.name, None)

    async def is_queued(self, stream: Stream, subject: Stored[Any], message: Message) -> bool:
        wanted = subject_for(subject, message)
        return any(there == wanted for there, _ in self.published)

    async def set_open(self, subject: Ask[Any, Any], is_open: bool) -> None:
        (self.closed_asks.discard if is_open else self.closed_asks.add)(subject.pattern)

    def tell_use(self, what: InstanceUseOf, in_use: int, most: int) -> None:
        self.uses[what] = InstanceUse(in_use, most)


async def _read(source: Source) -> bytes:
    pieces: list[bytes] = []
    buffer = bytearray(CHUNK_BYTES)
    while count := await asyncio.to_thread(source.readinto, buffer):
        pieces.append(bytes(buffer[:count]))
    return b"".join(pieces)


class _NoOutbox:
    """For asks, which publish nothing."""

    async def publish(self, subject: Stored[Any], message: Any) -> None:
        raise NotImplementedError

    async def is_handled(self, message_id: str) -> bool:
        return False

    async def mark_handled(self, message_id: str) -> None: ...

    async def dead_letter(self, original: Any, failure: Failure) -> None: ...
