"""Recorded samples on the bus: from a client into the library, and back to one."""

from __future__ import annotations

import io
from contextlib import suppress
from uuid import uuid4

import msgspec

from services.workflows.library.library import Library
from shared.bus.ports import Blobs
from shared.contracts.workflows.library import SamplesLoaded
from shared.contracts.workflows.samples import KeptSample
from shared.errors import ExhibitError, PermanentError
from shared.streams import ANSWERS, INPUTS


class BoundedSink:
    """Takes at most ``most_bytes``; raises PermanentError (``too_large``) beyond."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._data = io.BytesIO()

    def write(self, data: bytes, /) -> None:
        if self._data.tell() + len(data) > self._most_bytes:
            raise PermanentError(
                f"it has more than the {self._most_bytes:,} bytes that it should have", code="too_large"
            )
        self._data.write(data)

    def content(self) -> bytes:
        return self._data.getvalue()


async def fetch_sample(blobs: Blobs, one: KeptSample) -> bytes:
    """Return the bytes that a client has put on the bus; the client removes them. Raises PermanentError."""
    sink = BoundedSink(one.size_bytes)
    try:
        await blobs.fetch(INPUTS, one.blob, sink)
    except PermanentError as exc:
        raise PermanentError(f"the sample {one.sample_id!r} cannot be read: {exc}", code="no_blob") from exc
    return sink.content()


async def lend_samples(blobs: Blobs, library: Library, loaded: SamplesLoaded) -> SamplesLoaded:
    """Copy the bytes of the samples to the bus, from where the caller removes them."""
    if loaded.samples is None:
        return loaded
    lent: list[KeptSample] = []
    try:
        for one in loaded.samples.samples:
            blob = uuid4().hex
            data = await library.sample_data(one)
            lent.append(msgspec.structs.replace(one, blob=blob))
            await blobs.put(ANSWERS, blob, data)
    except BaseException:
        for one in lent:
            with suppress(ExhibitError):
                await blobs.remove(ANSWERS, one.blob)
        raise
    samples = msgspec.structs.replace(loaded.samples, samples=tuple(lent))
    return msgspec.structs.replace(loaded, samples=samples)
