"""Streams, buckets and consumers as a NATS server is told of them: who makes them, and who waits until they are there.

Only one user may make streams: a server checks the name of a stream that is made, and not the subjects that it takes,
so that whoever may make one on a new bus could take in the events of all.
"""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Generator
from contextlib import contextmanager

import nats.errors
import nats.js.errors
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, DeliverPolicy, KeyValueConfig, ObjectStoreConfig, RetentionPolicy, StreamConfig

from shared.errors import PermanentError, Unavailable
from shared.streams import KEY_VALUE_BUCKETS, OBJECT_BUCKETS, STREAMS, Bucket, Consumer, Stream

log = logging.getLogger(__name__)

OTHER_CONFIG, NO_CLUSTER = 10058, 10074
"""Error codes of a server: there is such a stream with another configuration; it has no others to share one with."""
AWAIT_S, AWAIT_EVERY_S = 60.0, 0.25
"""How long a service waits for the streams of a new bus, and how often it looks."""


async def create_streams(js: JetStreamContext, replicas: int) -> None:
    """Create the streams and buckets that are missing; processes that start at once may both do it."""
    with _told_of_replicas(replicas):
        for stream in STREAMS:
            await js.add_stream(stream_config(stream, replicas))
        for bucket in KEY_VALUE_BUCKETS:
            kept = KeyValueConfig(bucket=bucket.name, ttl=bucket.max_age_s or None, replicas=replicas)
            await js.create_key_value(kept)
        for bucket in OBJECT_BUCKETS:
            ttl, most = bucket.max_age_s or None, bucket.max_bytes or None
            with _if_made_otherwise(bucket):
                config = ObjectStoreConfig(ttl=ttl, max_bytes=most, replicas=replicas)
                await js.create_object_store(bucket.name, config)


async def await_streams(js: JetStreamContext, names: Collection[str]) -> None:
    """Return once these streams are there. Raises Unavailable (``bus_unavailable``) after `AWAIT_S`."""
    begun_s, loop = asyncio.get_running_loop().time(), asyncio.get_running_loop()
    for name in sorted(names):
        while not await _is_there(js, name):
            if loop.time() - begun_s > AWAIT_S:
                raise Unavailable(
                    f"the bus has no stream {name}: the evidence service makes them when it starts, and has not in "
                    f"{AWAIT_S:g} s",
                    code="bus_unavailable",
                )
            await asyncio.sleep(AWAIT_EVERY_S)


async def _is_there(js: JetStreamContext, name: str) -> bool:
    try:
        await js.stream_info(name)
    except (nats.js.errors.NotFoundError, nats.js.errors.ServiceUnavailableError, nats.errors.TimeoutError):
        return False
    return True


@contextmanager
def _told_of_replicas(replicas: int) -> Generator[None]:
    """Raise PermanentError where the streams are not, or cannot be, held by so many servers."""
    try:
        yield
    except nats.js.errors.APIError as exc:
        if exc.err_code not in (NO_CLUSTER, OTHER_CONFIG):
            raise
        told = f"EXHIBIT_NATS_REPLICAS is {replicas}, and the streams of this bus cannot be that: {exc.description}"
        raise PermanentError(told, code="bus_refused") from exc


@contextmanager
def _if_made_otherwise(bucket: Bucket) -> Generator[None]:
    """Leave a bucket as it is that another version has made with other limits: nobody has the right to change it."""
    try:
        yield
    except nats.js.errors.BadRequestError as exc:
        if exc.err_code != OTHER_CONFIG:
            raise
        log.warning("the bucket %s has the limits of another version; they stay until it is removed", bucket.name)


def stream_config(stream: Stream, replicas: int = 1) -> StreamConfig:
    return StreamConfig(
        name=stream.name,
        subjects=list(stream.subjects),
        retention=RetentionPolicy.WORK_QUEUE if stream.work_queue else RetentionPolicy.LIMITS,
        max_age=stream.max_age_s,
        duplicate_window=stream.duplicate_window_s,
        num_replicas=replicas,
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
