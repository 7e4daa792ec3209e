"""Recorded samples between a client and the library: nothing is left on the bus that carries them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import msgspec
import pytest

from services.workflows.execution.in_process_executor import InProcessExecutor
from services.workflows.library.storage.bus import BusStorage
from services.workflows.sample_blobs import fetch_sample, lend_samples
from shared.client.workflow_calls import create_workflow
from shared.client.workflow_samples import LoadedSamples, lent_samples, load_sample_set, load_samples
from shared.contracts.workflows.library import SamplesLoaded, WorkflowCreated, WorkflowRefused, WorkflowUnknown
from shared.errors import PermanentError
from shared.streams import ANSWERS, INPUTS
from shared.testing.bus import MemoryBus
from tests.handlers.workflows.flow_samples import packed
from tests.handlers.workflows.service_bench import open_service
from tests.handlers.workflows.storages import GREET, open_library, unique


@pytest.fixture
async def bus(tmp_path: Path) -> AsyncIterator[MemoryBus]:
    async with open_service(tmp_path, InProcessExecutor()) as service:
        yield service.bus


async def is_gone(get: Callable[[], Awaitable[bytes]]) -> bool:
    with pytest.raises(PermanentError) as caught:
        await get()
    return caught.value.code == "no_blob"


async def test_samples_travel_to_the_library_and_back(bus):
    given, name = packed(unique("R1"), unique("R2")), unique("flow")
    async with lent_samples(bus, given.samples, given.data) as lent:
        created = await create_workflow(bus, name, GREET, samples=lent)
    assert isinstance(created, WorkflowCreated)
    for one in lent.samples:
        assert await is_gone(lambda blob=one.blob: bus.get(INPUTS, blob))
    back = await load_samples(bus, name)
    assert isinstance(back, LoadedSamples)
    assert (back.workflow, back.told, back.data) == (created.workflow, given.samples, given.data)
    assert isinstance(await load_samples(bus, unique("nothing")), WorkflowUnknown)


async def test_which_samples_are_kept_is_told_without_their_bytes(bus):
    given, name = packed(unique("R1"), unique("R2")), unique("flow")
    async with lent_samples(bus, given.samples, given.data) as lent:
        await create_workflow(bus, name, GREET, samples=lent)
    assert await load_sample_set(bus, name) == given.samples
    assert await load_sample_set(bus, unique("nothing")) is None


async def test_bytes_that_never_came_or_are_too_many_are_refused_in_words(bus):
    given, name = packed(unique("R1"), unique("R2")), unique("flow")
    first, second = given.samples.samples
    async with lent_samples(bus, given.samples, {**given.data, second.sha256: b"x" * (second.size_bytes + 1)}) as lent:
        await bus.remove(INPUTS, lent.samples[0].blob)
        refused = await create_workflow(bus, name, GREET, samples=lent)
    assert isinstance(refused, WorkflowRefused)
    missing, larger = [one.message for one in refused.findings if one.code == "invalid_sample"]
    assert first.sample_id in missing
    assert f"more than the {second.size_bytes:,} bytes" in larger


async def test_a_lender_that_cannot_read_a_sample_leaves_nothing_on_the_bus():
    bus = MemoryBus()
    library, given = open_library(BusStorage(bus)), packed("R1", "R2")

    async def fetch(one):
        return await fetch_sample(bus, one)

    async with lent_samples(bus, given.samples, given.data) as lent:
        await library.create("flow", GREET, samples=lent, fetch=fetch)
    reply = await library.samples("flow")
    assert isinstance(reply, SamplesLoaded)
    assert reply.samples is not None
    gone = msgspec.structs.replace(reply.samples.samples[1], sha256="0" * 64)
    broken = msgspec.structs.replace(reply.samples, samples=(reply.samples.samples[0], gone))
    with pytest.raises(PermanentError):
        await lend_samples(bus, library, msgspec.structs.replace(reply, samples=broken))
    assert [name for bucket, name in bus._blobs if bucket in (ANSWERS.name, INPUTS.name)] == []
