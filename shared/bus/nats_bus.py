"""The bus on a real NATS server: asks, stored messages, records and blobs.

One object a process. What handlers may use of it is in `shared.bus.ports`; serving an
actor is in `shared.bus.serving`. Foreign errors are mapped to ours here, once.
"""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from io import BufferedIOBase
from typing import Any, TypeVar, cast
from weakref import WeakValueDictionary

import msgspec
import nats
import nats.errors
import nats.js.errors
from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import (
    ConsumerConfig,
    DeliverPolicy,
    KeyValueConfig,
    ObjectMeta,
    ObjectMetaOptions,
    ObjectStoreConfig,
    RetentionPolicy,
    StreamConfig,
)
from nats.js.kv import KeyValue
from nats.js.object_store import ObjectStore
from nats.nuid import NUID

from shared.bus.arriving import arrived
from shared.bus.blob_io import fetch
from shared.bus.gate import Gate
from shared.bus.liveness import answer_pings, while_there
from shared.bus.ports import Sink, Source
from shared.bus.runner import Delivery
from shared.bus.verdict import backoff_s
from shared.bus.wire import reply_of
from shared.contracts.base import Failure, Message
from shared.errors import DeadlineExceeded, PermanentError, Unavailable
from shared.streams import INBOX, KEY_VALUE_BUCKETS, OBJECT_BUCKETS, SAMPLES, STREAMS, Bucket, Consumer, Stream
from shared.subjects import DEAD_LETTERS, Ask, Stored, message_id, subject_for
from shared.telemetry.tracing import headers_of_current_span

log = logging.getLogger(__name__)

ReqT = TypeVar("ReqT", bound=Message)
RepT = TypeVar("RepT")
MsgT = TypeVar("MsgT", bound=Message)
RecordT = TypeVar("RecordT")

MESSAGE_ID = "Nats-Msg-Id"
MODIFY_TRIES = 200
MIN_CHUNK_BYTES, MAX_CHUNK_BYTES = 128 * 1024, 1024 * 1024
"""Of blobs. Each chunk is a round trip, so a screenshot travels in one."""


class Bus:
    """A connection to NATS that speaks our subjects. Make one with :func:`connect`."""

    def __init__(self, nc: NatsClient, name: str) -> None:
        self.nc = nc
        self.js: JetStreamContext = nc.jetstream(timeout=10)
        self.name = name
        self.instance_id = NUID().next().decode()
        self._kv: dict[str, KeyValue] = {}
        self._objects: dict[str, ObjectStore] = {}
        self._gates: dict[str, Gate] = {}
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    # --- asking and publishing

    async def ask(self, subject: Ask[ReqT, RepT], request: ReqT, *, timeout_s: float = 30.0) -> RepT:
        """See :class:`shared.bus.ports.Asks`."""
        asking = self.nc.request(
            subject_for(subject, request),
            msgspec.json.encode(request),
            timeout=timeout_s,
            headers=headers_of_current_span() or None,
        )
        try:
            if subject.keys:
                msg = await while_there(self.nc, str(getattr(request, subject.keys[-1])), asking)
            else:
                msg = await asking
        except nats.errors.NoRespondersError as exc:
            raise Unavailable(f"nobody answers {subject.pattern}", code="no_responders", retry_after_s=0.2) from exc
        except TimeoutError as exc:
            raise DeadlineExceeded(f"no answer to {subject.pattern} within {timeout_s:g} s") from exc
        except nats.errors.ConnectionClosedError as exc:
            raise Unavailable("the connection to the bus is closed", code="bus_closed") from exc
        return reply_of(subject, msg)

    async def publish(self, subject: Stored[MsgT], message: MsgT) -> None:
        """See :class:`shared.bus.ports.Publishes`."""
        headers = {**headers_of_current_span(), MESSAGE_ID: message_id(subject, message)}
        with _mapped():
            await self.js.publish(subject_for(subject, message), msgspec.json.encode(message), headers=headers)

    # --- what the runner needs

    async def handled(self, message_id: str) -> bool:
        return await self.read(INBOX, message_id, bool) is not None

    async def record(self, message_id: str) -> None:
        kv = await self._key_value(INBOX)
        await kv.put(_key(message_id), b"true", validate_keys=False)

    async def dead_letter(self, original: Delivery, failure: Failure) -> None:
        """Keeps the bytes that were given up, with the reason in a header."""
        log.warning("dead letter from %s: %s: %s", original.subject, failure.code, failure.message)
        kind = ".".join(original.subject.split(".")[2:])
        reason = msgspec.json.encode(failure).decode().encode("ascii", "backslashreplace").decode()
        await self.js.publish(f"{DEAD_LETTERS}.{kind}", original.data, headers={"Exhibit-Failure": reason})

    # --- records and blobs

    async def create(self, bucket: Bucket, key: str, value: Any) -> bool:
        """See :class:`shared.bus.ports.Records`."""
        kv = await self._key_value(bucket)
        try:
            with _mapped():
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
            with _mapped():
                entry = await kv.get(_key(key), validate_keys=False)
        except nats.js.errors.KeyNotFoundError:
            return None, 0
        return msgspec.json.decode(entry.value or b"null", type=type_), entry.revision or 0

    async def _compare_and_set(self, bucket: Bucket, key: str, value: object, revision: int) -> bool:
        """Store ``value`` and return True if the record still has that revision (0: no record)."""
        kv = await self._key_value(bucket)
        try:
            with _mapped():
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
            on_change(msg.subject.removeprefix(prefix), msgspec.json.decode(msg.data, type=type_))

        await self.nc.subscribe(f"{prefix}>", cb=on_message)
        await arrived(self.nc)

    async def put(self, bucket: Bucket, name: str, data: bytes | Source) -> None:
        """See :class:`shared.bus.ports.Blobs`."""
        store = await self._object_store(bucket)
        wanted_bytes = len(data) if isinstance(data, bytes) else MAX_CHUNK_BYTES
        chunk_bytes = max(MIN_CHUNK_BYTES, min(wanted_bytes, MAX_CHUNK_BYTES, self.nc.max_payload // 2))
        meta = ObjectMeta(name=name, options=ObjectMetaOptions(max_chunk_size=chunk_bytes))
        with _mapped():
            # nats-py asks no more of what it reads from than `readinto`, and calls it in a thread.
            await store.put(name, data if isinstance(data, bytes) else cast("BufferedIOBase", data), meta)

    async def get(self, bucket: Bucket, name: str) -> bytes:
        store = await self._object_store(bucket)
        try:
            with _mapped():
                result = await store.get(name)
        except nats.js.errors.NotFoundError as exc:
            raise PermanentError(f"{bucket.name} has no object {name!r}", code="no_blob") from exc
        return result.data or b""

    async def fetch(self, bucket: Bucket, name: str, sink: Sink) -> None:
        """See :class:`shared.bus.ports.Blobs`."""
        store = await self._object_store(bucket)
        try:
            with _mapped():
                await fetch(self.js, await store.get_info(name), sink)
        except nats.js.errors.NotFoundError as exc:
            raise PermanentError(f"{bucket.name} has no object {name!r}", code="no_blob") from exc

    async def remove(self, bucket: Bucket, name: str) -> None:
        store = await self._object_store(bucket)
        try:
            await store.delete(name)
        except nats.js.errors.NotFoundError:
            return

    # --- queues and gates

    async def open_queue(self, consumer: Consumer) -> None:
        """Makes the consumer, or leaves it as it is where it exists already."""
        with _mapped():
            await self.js.add_consumer(consumer.stream, consumer_config(consumer))

    async def close_queue(self, consumer: Consumer) -> None:
        """Ends the queue with all that is still in it. Closing what is not open is no error, and takes nothing
        from a queue of another name on the same subjects."""
        try:
            await self.js.delete_consumer(consumer.stream, consumer.name)
        except nats.js.errors.NotFoundError:
            return
        for subject in consumer.subjects:
            await self.js.purge_stream(consumer.stream, subject=subject)

    async def holds(self, subject: Stored[Any], message: Message) -> bool:
        """Whether the work queue still has a message on the subject of this one."""
        try:
            with _mapped():
                await self.js.get_last_msg(SAMPLES.name, subject_for(subject, message))
        except nats.js.errors.NotFoundError:
            return False
        return True

    async def set_open(self, subject: Ask[Any, Any], is_open: bool) -> None:
        """Starts or stops listening to a gated ask; the requests then go to instances that do listen."""
        self.gate(subject).set(is_open)

    def gate(self, subject: Ask[Any, Any]) -> Gate:
        return self._gates.setdefault(subject.pattern, Gate())

    async def _key_value(self, bucket: Bucket) -> KeyValue:
        if bucket.name not in self._kv:
            self._kv[bucket.name] = await self.js.key_value(bucket.name)
        return self._kv[bucket.name]

    async def _object_store(self, bucket: Bucket) -> ObjectStore:
        if bucket.name not in self._objects:
            self._objects[bucket.name] = await self.js.object_store(bucket.name)
        return self._objects[bucket.name]


@asynccontextmanager
async def connect(url: str, *, name: str) -> AsyncGenerator[Bus]:
    """A bus whose streams and buckets exist. Raises Unavailable, naming the URL, where no server answers."""

    async def say(error: Exception) -> None:
        log.info("bus: %s", error or type(error).__name__)

    await _must_answer(url)
    nc = await nats.connect(url, name=f"exhibit-{name}", error_cb=say, max_reconnect_attempts=-1, connect_timeout=5)
    try:
        bus = Bus(nc, name)
        await answer_pings(nc, bus.instance_id)
        await _declare(bus.js)
        yield bus
    finally:
        with suppress(OSError):  # a server that is gone already is no reason to fail
            await nc.close()


async def _must_answer(url: str) -> None:
    """One try: a client that reconnects for ever would wait for ever for a server that never was."""

    async def quiet(_: Exception) -> None: ...

    try:
        nc = await nats.connect(
            url, max_reconnect_attempts=1, reconnect_time_wait=0.05, connect_timeout=5, error_cb=quiet
        )
    except (nats.errors.Error, OSError) as exc:
        detail = f" ({exc})" if str(exc) else ""
        raise Unavailable(
            f"no NATS server answers at {url}{detail}; is it running, with JetStream on?", code="no_bus"
        ) from exc
    await nc.close()


async def _declare(js: JetStreamContext) -> None:
    """Streams and buckets, made where they are missing; concurrent starts may both do it."""
    for stream in STREAMS:
        await js.add_stream(stream_config(stream))
    for bucket in KEY_VALUE_BUCKETS:
        await js.create_key_value(KeyValueConfig(bucket=bucket.name, ttl=bucket.max_age_s or None))
    for bucket in OBJECT_BUCKETS:
        await js.create_object_store(bucket.name, ObjectStoreConfig(ttl=bucket.max_age_s or None))


def stream_config(stream: Stream) -> StreamConfig:
    return StreamConfig(
        name=stream.name,
        subjects=list(stream.subjects),
        retention=RetentionPolicy.WORK_QUEUE if stream.work_queue else RetentionPolicy.LIMITS,
        max_age=stream.max_age_s,
        duplicate_window=stream.duplicate_window_s,
    )


def consumer_config(consumer: Consumer) -> ConsumerConfig:
    """``max_deliver`` is unlimited: the runner counts, so that nothing is dropped without a word."""
    return ConsumerConfig(
        name=consumer.name,
        durable_name=consumer.name,
        filter_subjects=list(consumer.subjects),
        deliver_policy=DeliverPolicy.ALL,
        ack_wait=consumer.ack_wait_s,
        max_ack_pending=consumer.max_ack_pending,
        max_deliver=-1,
    )


def _key(text: str) -> str:
    """Keys of NATS buckets are subject tokens; ours are made of safe names joined by ``/``."""
    return text.replace(" ", "_")


@contextmanager
def _mapped() -> Generator[None]:
    try:
        yield
    except (TimeoutError, nats.js.errors.NoStreamResponseError) as exc:
        raise Unavailable("the bus did not answer in time", code="bus_slow") from exc
    except (nats.js.errors.ServiceUnavailableError, nats.errors.ConnectionClosedError) as exc:
        raise Unavailable(f"the bus cannot store messages now: {exc}", code="bus_unavailable") from exc
    except nats.errors.MaxPayloadError as exc:
        raise PermanentError("the message is larger than the bus allows", code="too_large") from exc
