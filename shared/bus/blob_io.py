"""Blobs on a NATS server: the object buckets. Pieces are read and written in a thread, and never held all at once."""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
import base64
import hashlib
import io
from collections.abc import Callable
from io import BufferedIOBase
from typing import cast

import nats.js.errors
from nats.aio.client import Client as NatsClient
from nats.js import JetStreamContext
from nats.js.api import ObjectInfo, ObjectMeta, ObjectMetaOptions, RawStreamMsg
from nats.js.object_store import OBJ_CHUNKS_PRE_TEMPLATE, OBJ_STREAM_TEMPLATE, ObjectStore

from shared.bus.ports import Sink, Source
from shared.bus.wire import map_nats_errors
from shared.errors import PermanentError
from shared.streams import Bucket

MIN_CHUNK_BYTES, MAX_CHUNK_BYTES = 128 * 1024, 1024 * 1024
"""Each chunk is a round trip, so a screenshot travels in one."""


class NatsBlobs:
    """See :class:`shared.bus.ports.Blobs`."""

    def __init__(self, nc: NatsClient, js: JetStreamContext) -> None:
        self._nc, self._js = nc, js
        self._objects: dict[str, ObjectStore] = {}

    async def put(self, bucket: Bucket, name: str, data: bytes | Source) -> None:
        """See :class:`shared.bus.ports.Blobs`."""
        store = await self._object_store(bucket)
        wanted_bytes = len(data) if isinstance(data, bytes) else MAX_CHUNK_BYTES
        chunk_bytes = max(MIN_CHUNK_BYTES, min(wanted_bytes, MAX_CHUNK_BYTES, self._nc.max_payload // 2))
        meta = ObjectMeta(name=name, options=ObjectMetaOptions(max_chunk_size=chunk_bytes))
        with map_nats_errors():
            # nats-py asks no more of what it reads from than `readinto`, and calls it in a thread.
            await store.put(name, data if isinstance(data, bytes) else cast("BufferedIOBase", data), meta)

    async def get(self, bucket: Bucket, name: str) -> bytes:
        data = io.BytesIO()
        await self.fetch(bucket, name, data)
        return data.getvalue()

    async def fetch(self, bucket: Bucket, name: str, sink: Sink) -> None:
        """See :class:`shared.bus.ports.Blobs`."""
        store = await self._object_store(bucket)
        try:
            with map_nats_errors():
                await _fetch_chunks(self._js, await store.get_info(name), sink)
        except nats.js.errors.NotFoundError as exc:
            raise PermanentError(f"{bucket.name} has no object {name!r}", code="no_blob") from exc

    async def remove(self, bucket: Bucket, name: str) -> None:
        store = await self._object_store(bucket)
        try:
            with map_nats_errors():
                await store.delete(name)
        except nats.js.errors.NotFoundError:
            return

    async def _object_store(self, bucket: Bucket) -> ObjectStore:
        if bucket.name not in self._objects:
            with map_nats_errors():
                self._objects[bucket.name] = await self._js.object_store(bucket.name)
        return self._objects[bucket.name]


async def _fetch_chunks(js: JetStreamContext, info: ObjectInfo, sink: Sink) -> None:
    """Write an object to ``sink`` chunk by chunk, each requested when the one before has been written.

    nats-py's own `get` has the server push all of them, which takes the right to make a consumer that pushes, and
    leaves its subscription behind when the reader fails. Raises nats.js.errors.NotFoundError when a chunk is missing.
    """
    stream = OBJ_STREAM_TEMPLATE.format(bucket=info.bucket)
    subject = OBJ_CHUNKS_PRE_TEMPLATE.format(bucket=info.bucket, obj=info.nuid)
    sha256, sequence = hashlib.sha256(), 0
    for _ in range(info.chunks or 0):
        chunk = await _next_chunk(js, stream, subject, sequence + 1)
        sequence = chunk.seq or 0
        await asyncio.to_thread(_write, chunk.data or b"", sha256.update, sink)
    digest = base64.urlsafe_b64encode(sha256.digest()).decode()
    if info.digest is not None and info.digest.partition("=")[2] != digest:
        raise PermanentError(f"the bytes of {info.name!r} on the bus are not those that were put", code="blob_damaged")


async def _next_chunk(js: JetStreamContext, stream: str, subject: str, start: int) -> RawStreamMsg:
    try:
        return await js.get_msg(stream, seq=start, subject=subject, direct=True, next=True)
    except nats.js.errors.NotFoundError:  # of a cluster any server has answered, and may be behind; its leader is not
        return await js.get_msg(stream, seq=start, subject=subject, next=True)


def _write(data: bytes, update_hash: Callable[[bytes], object], sink: Sink) -> None:
    update_hash(data)
    sink.write(data)
