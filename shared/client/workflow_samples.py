"""Recorded samples of a flow over the bus: kept with a version, and loaded again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol
from uuid import uuid4

import msgspec

from shared.bus.ports import Asks, Blobs
from shared.client.workflow_calls import SAMPLES_TIMEOUT_S
from shared.contracts.workflows.library import LoadSamples, WorkflowUnknown, WorkflowVersion
from shared.contracts.workflows.samples import KeptSample, SampleSet
from shared.errors import ExhibitError
from shared.streams import ANSWERS, INPUTS, Bucket
from shared.subjects import LOAD_SAMPLES

__all__ = ["LoadedSamples", "SampleBus", "lent_samples", "load_sample_set", "load_samples"]


class SampleBus(Asks, Blobs, Protocol):
    """The bus: requests, and the bytes of samples."""


@dataclass(frozen=True)
class LoadedSamples:
    """``told``: None: none are kept with this version. ``data``: the bytes of each sample by their SHA-256."""

    workflow: WorkflowVersion
    told: SampleSet | None
    data: Mapping[str, bytes]


@asynccontextmanager
async def lent_samples(bus: SampleBus, samples: SampleSet, data: Mapping[str, bytes]) -> AsyncGenerator[SampleSet]:
    """Put recorded samples on the bus, as `create_workflow` takes them; they are removed at the end of the block.

    Args:
        bus: the bus, such as ``client.bus``.
        samples: the set.
        data: the bytes of each by their SHA-256; those that are not given are in the library already.

    Returns:
        A context with the set that names them on the bus.

    Example:
        async with lent_samples(client.bus, samples, data) as lent:
            await create_workflow(client.bus, "read_ticket", source, samples=lent)
    """
    lent: list[KeptSample] = []
    try:
        for one in samples.samples:
            blob = uuid4().hex if one.sha256 in data else ""
            lent.append(msgspec.structs.replace(one, blob=blob))
            if blob:
                await bus.put(INPUTS, blob, data[one.sha256])
        yield msgspec.structs.replace(samples, samples=tuple(lent))
    finally:
        await _remove(bus, INPUTS, lent)


async def load_samples(bus: SampleBus, name: str) -> LoadedSamples | WorkflowUnknown:
    """Return the recorded samples of a version. `shared.recordings.packing.checked_recording` reads each of them.

    Args:
        bus: the bus, such as ``client.bus``.
        name: of the flow; ``name@hash`` is an old version.

    Returns:
        The samples with their bytes; WorkflowUnknown where there is no such version.

    Raises:
        PermanentError: ``workflow_unreadable``: they are not what was kept.

    Example:
        loaded = await load_samples(client.bus, "read_ticket")
    """
    name, _, hash = name.partition("@")
    reply = await bus.ask(LOAD_SAMPLES, LoadSamples(name=name, hash=hash), timeout_s=SAMPLES_TIMEOUT_S)
    if isinstance(reply, WorkflowUnknown):
        return reply
    if reply.samples is None:
        return LoadedSamples(reply.workflow, None, {})
    lent = reply.samples.samples
    data: dict[str, bytes] = {}
    try:
        for one in lent:
            data[one.sha256] = await bus.get(ANSWERS, one.blob)
    finally:
        await _remove(bus, ANSWERS, lent)
    told = msgspec.structs.replace(reply.samples, samples=tuple(msgspec.structs.replace(one, blob="") for one in lent))
    return LoadedSamples(reply.workflow, told, data)


async def load_sample_set(asks: Asks, name: str) -> SampleSet | None:
    """Return which recorded samples are kept with a version, without their bytes.

    Args:
        asks: the bus, such as ``client.bus``.
        name: of the flow; ``name@hash`` is an old version.

    Returns:
        The set; None where none are kept, or there is no such version.

    Example:
        kept = await load_sample_set(client.bus, "read_ticket")
    """
    name, _, hash = name.partition("@")
    reply = await asks.ask(LOAD_SAMPLES, LoadSamples(name=name, hash=hash, told_only=True))
    return None if isinstance(reply, WorkflowUnknown) else reply.samples


async def _remove(bus: Blobs, bucket: Bucket, lent: Sequence[KeptSample]) -> None:
    for one in lent:
        if one.blob:
            with suppress(ExhibitError):
                await bus.remove(bucket, one.blob)
