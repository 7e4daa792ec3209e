"""The bus on a real NATS server. What handlers may use of it is in `shared.bus.ports`."""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import msgspec
import nats
import nats.errors
import nats.js.errors
from nats.aio.client import Client as NatsClient
from nats.js import JetStreamContext
from nats.js.api import (
    ConsumerConfig,
    DeliverPolicy,
    KeyValueConfig,
    ObjectStoreConfig,
    RetentionPolicy,
    StreamConfig,
)
from nats.nuid import NUID

from shared.bus.blob_io import NatsBlobs
from shared.bus.event_reader import NatsEvents
from shared.bus.records import NatsRecords
from shared.bus.runner import Delivery
from shared.bus.wire import answer_pings, map_nats_errors, parse_reply, run_while_alive
from shared.contracts.base import Failure, Message
from shared.errors import DeadlineExceeded, Unavailable
from shared.streams import INBOX, KEY_VALUE_BUCKETS, OBJECT_BUCKETS, STREAMS, Consumer, Stream
from shared.subjects import DEAD_LETTERS, Ask, Stored, message_id, subject_for
from shared.telemetry.tracing import trace_headers

log = logging.getLogger(__name__)

ReqT = TypeVar("ReqT", bound=Message)
RepT = TypeVar("RepT")
MsgT = TypeVar("MsgT", bound=Message)

MESSAGE_ID = "Nats-Msg-Id"


class AskGate:
    """Whether a gated ask is listened to, with both changes to be waited for. It starts open."""

    def __init__(self) -> None:
        self._open, self._closed = asyncio.Event(), asyncio.Event()
        self._open.set()

    def set(self, is_open: bool) -> None:
        (self._open if is_open else self._closed).set()
        (self._closed if is_open else self._open).clear()

    async def wait_open(self) -> None:
        await self._open.wait()

    async def wait_closed(self) -> None:
        await self._closed.wait()


class Bus(NatsRecords, NatsBlobs, NatsEvents):
    """The connection of one process. Open one with :func:`connect_bus`."""

    def __init__(self, nc: NatsClient, name: str) -> None:
        self.nc = nc
        self.js: JetStreamContext = nc.jetstream(timeout=10)
        self.name = name
        self.instance_id = NUID().next().decode()
        NatsRecords.__init__(self, nc, self.js)
        NatsBlobs.__init__(self, nc, self.js)
        NatsEvents.__init__(self, self.js)
        self._gates: dict[str, AskGate] = {}

    # --- asking and publishing

    async def ask(self, subject: Ask[ReqT, RepT], request: ReqT, *, timeout_s: float = 30.0) -> RepT:
        """See :class:`shared.bus.ports.Asks`."""
        asking = self.nc.request(
            subject_for(subject, request),
            msgspec.json.encode(request),
            timeout=timeout_s,
            headers=trace_headers() or None,
        )
        try:
            if subject.keys:
                msg = await run_while_alive(self.nc, str(getattr(request, subject.keys[-1])), asking)
            else:
                msg = await asking
        except nats.errors.NoRespondersError as exc:
            raise Unavailable(f"nobody answers {subject.pattern}", code="no_responders", retry_after_s=0.2) from exc
        except TimeoutError as exc:
            raise DeadlineExceeded(f"no answer to {subject.pattern} within {timeout_s:g} s") from exc
        except nats.errors.ConnectionClosedError as exc:
            raise Unavailable("the connection to the bus is closed", code="bus_closed") from exc
        return parse_reply(subject, msg)

    async def publish(self, subject: Stored[MsgT], message: MsgT) -> None:
        """See :class:`shared.bus.ports.Publishes`."""
        headers = {**trace_headers(), MESSAGE_ID: message_id(subject, message)}
        with map_nats_errors():
            await self.js.publish(subject_for(subject, message), msgspec.json.encode(message), headers=headers)

    # --- what the runner needs

    async def is_handled(self, message_id: str) -> bool:
        """See :class:`shared.bus.runner.Outbox`."""
        return await self.read(INBOX, message_id, bool) is not None

    async def mark_handled(self, message_id: str) -> None:
        """See :class:`shared.bus.runner.Outbox`."""
        await self.create(INBOX, message_id, True)

    async def dead_letter(self, original: Delivery, failure: Failure) -> None:
        """See :class:`shared.bus.runner.Outbox`. The reason is in a header."""
        log.warning("dead letter from %s: %s: %s", original.subject, failure.code, failure.message)
        kind = ".".join(original.subject.split(".")[2:])
        reason = msgspec.json.encode(failure).decode().encode("ascii", "backslashreplace").decode()
        await self.js.publish(f"{DEAD_LETTERS}.{kind}", original.data, headers={"Exhibit-Failure": reason})

    # --- queues and gates

    async def open_queue(self, consumer: Consumer) -> None:
        """Create the consumer, or leave it as it is where it exists."""
        with map_nats_errors():
            await self.js.add_consumer(consumer.stream, consumer_config(consumer))

    async def close_queue(self, consumer: Consumer) -> None:
        """Remove the consumer with all messages that it still had; idempotent.

        A consumer of another name on the same subjects, opened meanwhile, loses nothing.
        """
        try:
            await self.js.delete_consumer(consumer.stream, consumer.name)
        except nats.js.errors.NotFoundError:
            return
        for subject in consumer.subjects:
            await self.js.purge_stream(consumer.stream, subject=subject)

    async def is_queued(self, stream: Stream, subject: Stored[Any], message: Message) -> bool:
        """Whether the work-queue stream still has a message on the subject of this one."""
        try:
            with map_nats_errors():
                await self.js.get_last_msg(stream.name, subject_for(subject, message))
        except nats.js.errors.NotFoundError:
            return False
        return True

    async def set_open(self, subject: Ask[Any, Any], is_open: bool) -> None:
        """Start or stop listening to a gated ask; requests then go to the instances that listen."""
        self.gate(subject).set(is_open)

    def gate(self, subject: Ask[Any, Any]) -> AskGate:
        return self._gates.setdefault(subject.pattern, AskGate())


@asynccontextmanager
async def connect_bus(url: str, *, name: str) -> AsyncGenerator[Bus]:
    """Connect to the server at ``url`` and create the streams and buckets that it lacks.

    Raises Unavailable, naming the URL, when no server answers.
    """

    async def log_error(error: Exception) -> None:
        log.info("bus: %s", error or type(error).__name__)

    await _check_server(url)
    nc = await nats.connect(
        url, name=f"exhibit-{name}", error_cb=log_error, max_reconnect_attempts=-1, connect_timeout=5
    )
    try:
        bus = Bus(nc, name)
        await answer_pings(nc, bus.instance_id)
        await _create_streams(bus.js)
        yield bus
    finally:
        with suppress(OSError):  # the server may be gone
            await nc.close()


async def _check_server(url: str) -> None:
    """Connect once: a client that reconnects for ever would wait for ever for a server that never was."""

    async def ignore(_: Exception) -> None: ...

    try:
        nc = await nats.connect(
            url, max_reconnect_attempts=1, reconnect_time_wait=0.05, connect_timeout=5, error_cb=ignore
        )
    except (nats.errors.Error, OSError) as exc:
        detail = f" ({exc})" if str(exc) else ""
        raise Unavailable(
            f"no NATS server answers at {url}{detail}; is it running, with JetStream on?", code="no_bus"
        ) from exc
    await nc.close()


async def _create_streams(js: JetStreamContext) -> None:
    """Create the streams and buckets that are missing; processes that start at once may both do it."""
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
