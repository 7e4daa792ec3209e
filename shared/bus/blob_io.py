"""Reads an object of an object bucket chunk by chunk, each asked for when the one before has been taken.

nats-py's own `get` has the server push them all, and leaves its subscription behind where the reader fails.
"""

# pyright: reportUnknownMemberType=false
from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import Callable

from nats.js import JetStreamContext
from nats.js.api import ObjectInfo
from nats.js.object_store import OBJ_CHUNKS_PRE_TEMPLATE, OBJ_STREAM_TEMPLATE

from shared.bus.ports import Sink
from shared.errors import PermanentError


async def fetch(js: JetStreamContext, info: ObjectInfo, sink: Sink) -> None:
    """Raises nats.js.errors.NotFoundError where a chunk is not there, or no more."""
    stream = OBJ_STREAM_TEMPLATE.format(bucket=info.bucket)
    subject = OBJ_CHUNKS_PRE_TEMPLATE.format(bucket=info.bucket, obj=info.nuid)
    hashed, sequence = hashlib.sha256(), 0
    for _ in range(info.chunks or 0):
        chunk = await js.get_msg(stream, seq=sequence + 1, subject=subject, direct=True, next=True)
        sequence = chunk.seq or 0
        await asyncio.to_thread(_take, chunk.data or b"", hashed.update, sink)
    digest = base64.urlsafe_b64encode(hashed.digest()).decode()
    if info.digest is not None and info.digest.partition("=")[2] != digest:
        raise PermanentError(f"the bytes of {info.name!r} on the bus are not those that were put", code="blob_damaged")


def _take(data: bytes, hash_too: Callable[[bytes], object], sink: Sink) -> None:
    hash_too(data)
    sink.write(data)
