"""Records on a NATS server: the key-value buckets."""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import TypeVar
from weakref import WeakValueDictionary

import msgspec
import nats.js.errors
from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.kv import KeyValue

from shared.bus.decoding import decode
from shared.bus.verdict import backoff_s
from shared.bus.wire import flush, map_nats_errors
from shared.errors import Unavailable
from shared.streams import Bucket

RecordT = TypeVar("RecordT")
MODIFY_TRIES = 200
READ_ALL_TIMEOUT_S = 30.0
"""For one batch of records."""
BATCH = 500


class NatsRecords:
    """See :class:`shared.bus.ports.Records`."""

    def __init__(self, nc: NatsClient, js: JetStreamContext) -> None:
        self._nc, self._js = nc, js
        self._kv: dict[str, KeyValue] = {}
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def create(self, bucket: Bucket, key: str, value: object) -> bool:
        """See :class:`shared.bus.ports.Records`."""
        kv = await self._key_value(bucket)
        try:
            with map_nats_errors():
                await kv.create(_key(key), msgspec.json.encode(value), validate_keys=False)
        except nats.js.errors.KeyWrongLastSequenceError:
            return False
        return True

    async def read(self, bucket: Bucket, key: str, type_: type[RecordT]) -> RecordT | None:
        """See :class:`shared.bus.ports.Records`."""
        record, _ = await self._read_revision(bucket, key, type_)
        return record

    async def modify(
        self,
        bucket: Bucket,
        key: str,
        type_: type[RecordT],
        change: Callable[[RecordT | None], RecordT | None],
    ) -> RecordT | None:
        """See :class:`shared.bus.ports.Records`."""
        async with self._lock(bucket, key):
            for attempt in range(1, MODIFY_TRIES + 1):
                record, revision = await self._read_revision(bucket, key, type_)
                changed = change(record)
                if changed is None or await self._compare_and_set(bucket, key, changed, revision):
                    return changed
                # At random, so that processes that collided do not collide again.
                await asyncio.sleep(random.uniform(0.0, backoff_s(attempt, base_s=0.001, cap_s=0.05)))
        raise Unavailable(f"the record {key} in {bucket.name} changes too fast", code="record_contended")

    def _lock(self, bucket: Bucket, key: str) -> asyncio.Lock:
        """Calls of this process that modify the same record take turns instead of conflicting."""
        return self._locks.setdefault((bucket.name, key), asyncio.Lock())

    async def _read_revision(self, bucket: Bucket, key: str, type_: type[RecordT]) -> tuple[RecordT | None, int]:
        """Return the record and its revision, or None and 0."""
        kv = await self._key_value(bucket)
        try:
            with map_nats_errors():
                entry = await kv.get(_key(key), validate_keys=False)
        except nats.js.errors.KeyNotFoundError:
            return None, 0
        return decode(entry.value or b"null", type_), entry.revision or 0

    async def _compare_and_set(self, bucket: Bucket, key: str, value: object, revision: int) -> bool:
        """Store ``value`` and return True if the record still has that revision (0: no record)."""
        kv = await self._key_value(bucket)
        try:
            with map_nats_errors():
                await kv.update(_key(key), msgspec.json.encode(value), last=revision, validate_keys=False)
        except nats.js.errors.KeyWrongLastSequenceError:
            return False
        return True

    async def watch(self, bucket: Bucket, type_: type[RecordT], on_change: Callable[[str, RecordT], None]) -> None:
        """See :class:`shared.bus.ports.Records`.

        A plain subscription to the bucket's subjects: unlike nats-py's own watch it survives a restart of the server.
        """
        prefix = f"$KV.{bucket.name}."

        async def on_message(msg: Msg) -> None:
            on_change(msg.subject.removeprefix(prefix), decode(msg.data, type_))

        await self._nc.subscribe(f"{prefix}>", cb=on_message)
        await flush(self._nc)

    async def read_all(self, bucket: Bucket, type_: type[RecordT]) -> dict[str, RecordT]:
        """See :class:`shared.bus.ports.Records`.

        A pull consumer tells exactly how much is to come. The watch of nats-py may say that a bucket is empty while its
        records are on their way.
        """
        prefix = f"$KV.{bucket.name}."
        config = ConsumerConfig(deliver_policy=DeliverPolicy.LAST_PER_SUBJECT, ack_policy=AckPolicy.NONE)
        found: dict[str, RecordT] = {}
        with map_nats_errors():
            records = await self._js.pull_subscribe(f"{prefix}>", stream=f"KV_{bucket.name}", config=config)
            try:
                left = (await records.consumer_info()).num_pending or 0
                while left:
                    for msg in await records.fetch(min(left, BATCH), timeout=READ_ALL_TIMEOUT_S):
                        left = msg.metadata.num_pending
                        if not (msg.headers or {}).get("KV-Operation"):
                            key = msg.subject.removeprefix(prefix)
                            found[key] = decode(msg.data, type_)
            finally:
                await records.unsubscribe()
        return found

    async def revision(self, bucket: Bucket) -> int:
        """See :class:`shared.bus.ports.Records`."""
        kv = await self._key_value(bucket)
        with map_nats_errors():
            status = await kv.status()
        return status.stream_info.state.last_seq

    async def _key_value(self, bucket: Bucket) -> KeyValue:
        if bucket.name not in self._kv:
            with map_nats_errors():
                self._kv[bucket.name] = await self._js.key_value(bucket.name)
        return self._kv[bucket.name]


def _key(text: str) -> str:
    """Keys of NATS buckets are subject tokens; ours are made of safe names joined by ``/``."""
    return text.replace(" ", "_")
