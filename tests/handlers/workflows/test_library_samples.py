"""The recorded samples of a version, over each storage: kept with it, once, whole or not at all."""

from __future__ import annotations

import hashlib

import msgspec
import pytest

from services.workflows.library.storage.bus import BusStorage
from services.workflows.library.storage.library_folder import LIBRARY_FOLDER, FolderStorage
from shared.contracts.workflows.library import SamplesLoaded, WorkflowCreated, WorkflowRefused, WorkflowUnknown
from shared.contracts.workflows.samples import KeptSample, SampleSet
from shared.errors import PermanentError
from shared.recordings.packing import MAX_PACKED_BYTES, MAX_SAMPLES, checked_recording
from shared.streams import WORKFLOW_SAMPLES
from shared.testing.bus import MemoryBus
from shared.zstd import pack_zstd
from tests.handlers.workflows.flow_samples import SPEC, packed, recorded
from tests.handlers.workflows.storages import GREET, GREET_LOUDLY, folder_library, open_library, unique
from tests.raising import raises_code


async def publish(library, name, given, source=GREET, replace=""):
    """Create a version with these samples, as the handler does: those that have a blob are fetched."""
    lent = msgspec.structs.replace(
        given.samples,
        samples=tuple(
            msgspec.structs.replace(one, blob="b" if one.sha256 in given.data else "") for one in given.samples.samples
        ),
    )

    async def fetch(one):
        return given.data[one.sha256]

    return await library.create(name, source, samples=lent, fetch=fetch, replace=replace)


async def published(library, name, given, source=GREET, replace="") -> WorkflowCreated:
    reply = await publish(library, name, given, source, replace)
    assert isinstance(reply, WorkflowCreated), reply
    return reply


async def loaded(library, name, hash=""):
    """Return the samples of a version with what each is used for, and the spec."""
    reply = await library.samples(name, hash)
    assert isinstance(reply, SamplesLoaded)
    if reply.samples is None:
        return None
    found = [(one.use, checked_recording(one, await library.sample_data(one))) for one in reply.samples.samples]
    return found, reply.samples.spec


def wrong(reply):
    assert isinstance(reply, WorkflowRefused)
    assert {one.code for one in reply.findings if one.severity == "error"} == {"invalid_sample"}
    return " / ".join(one.message for one in reply.findings if one.severity == "error")


async def test_a_version_has_its_samples_in_every_process_also_when_it_is_old_or_deleted(opened):
    library, name = open_library(opened.storage), unique("flow")
    first = await published(library, name, packed("R1", "R2"))
    await published(library, name, packed("R2", "R3"), GREET_LOUDLY, replace=first.workflow.hash)
    other = open_library(opened.open_again())
    one, two, three = recorded("R1", "R2", "R3")
    assert await loaded(other, name) == ([("compiled_from", two), ("held_out", three)], SPEC)
    await other.delete(name)
    assert isinstance(await library.samples(name), WorkflowUnknown)
    assert await loaded(library, name, first.workflow.hash) == ([("compiled_from", one), ("held_out", two)], SPEC)


async def test_a_version_without_samples_has_none(opened):
    library, name = open_library(opened.storage), unique("flow")
    await library.create(name, GREET)
    assert await loaded(library, name) is None
    assert isinstance(await library.samples(unique("nothing")), WorkflowUnknown)


async def test_samples_of_the_version_before_are_kept_on_without_being_sent(opened):
    library, name = open_library(opened.storage), unique("flow")
    given = packed("R1", "R2")
    first = await published(library, name, given)
    here = type(given)(given.samples, {})
    second = await published(library, name, here, GREET_LOUDLY, replace=first.workflow.hash)
    assert second.workflow.samples == first.workflow.samples != ""


async def test_samples_that_are_not_what_they_say_refuse_the_version(opened):
    library, name = open_library(opened.storage), unique("flow")
    given = packed(unique("R1"), unique("R2"))
    first, second = given.samples.samples
    lying = {first.sha256: given.data[second.sha256], second.sha256: given.data[second.sha256]}
    assert "not those that were kept" in wrong(await publish(library, name, type(given)(given.samples, lying)))
    assert "not in the library" in wrong(await publish(library, name, type(given)(given.samples, {})))
    renamed = msgspec.structs.replace(first, sample_id="R9")
    swapped = SampleSet(spec=SPEC, samples=(renamed,))
    assert "says that it is" in wrong(await publish(library, name, type(given)(swapped, given.data)))
    for data in (b"no sample", pack_zstd(b"[1]"), pack_zstd(b"[" * 100_000)):
        sha256 = hashlib.sha256(data).hexdigest()
        bad = KeptSample(sample_id="R1", use="held_out", sha256=sha256, size_bytes=len(data))
        refused = await publish(library, name, type(given)(SampleSet(spec=SPEC, samples=(bad,)), {sha256: data}))
        assert "no recorded sample" in wrong(refused)
    assert isinstance(await library.get(name), WorkflowUnknown)


def kept(sample_id="R1", sha256="0" * 64, size_bytes=1):
    return KeptSample(sample_id=sample_id, use="held_out", sha256=sha256, size_bytes=size_bytes)


@pytest.mark.parametrize(
    ("samples", "problem"),
    [
        ([], "no sample"),
        ([kept(str(n)) for n in range(MAX_SAMPLES + 1)], f"{MAX_SAMPLES + 1} samples, at most {MAX_SAMPLES}"),
        ([kept(size_bytes=MAX_PACKED_BYTES + 1)], "at most 16,777,216"),
        ([kept(sha256="../../x")], "SHA-256"),
        ([kept(), kept()], "twice"),
        ([kept(str(n), size_bytes=MAX_PACKED_BYTES) for n in range(9)], "at most 134,217,728"),
    ],
)
async def test_beyond_the_limits_nothing_is_read(tmp_path, samples, problem):
    library = folder_library(tmp_path / "workflows")
    given = SampleSet(spec=SPEC, samples=tuple(samples))
    assert problem in wrong(await library.create("flow", GREET, samples=given))
    assert not (tmp_path / "workflows").exists()


async def test_the_same_sample_is_stored_once(tmp_path):
    folder, bus = tmp_path / "workflows", MemoryBus()
    for storage in (FolderStorage(folder), BusStorage(bus)):
        library = open_library(storage)
        await publish(library, "one", packed("R1", "R2"))
        await publish(library, "two", packed("R1", "R2", "R3"))
    three_and_two_sets = 5
    assert len(list((folder / LIBRARY_FOLDER / "samples").iterdir())) == three_and_two_sets
    assert sum(bucket == WORKFLOW_SAMPLES.name for bucket, _ in bus._blobs) == three_and_two_sets


async def test_a_service_that_is_killed_leaves_no_half_version(opened, monkeypatch):
    library, name = open_library(opened.storage), unique("flow")
    given = packed(unique("R1"), unique("R2"))
    keep, kept = opened.storage.keep, []

    async def killed_at_the_second(sha256, data):
        if kept:
            raise KeyboardInterrupt
        kept.append(sha256)
        await keep(sha256, data)

    with monkeypatch.context() as patched:
        patched.setattr(opened.storage, "keep", killed_at_the_second)
        with pytest.raises(KeyboardInterrupt):
            await publish(library, name, given)
    again = open_library(opened.open_again())
    assert isinstance(await again.get(name), WorkflowUnknown)
    assert await again.history(name) == ()
    assert isinstance(await publish(again, name, given), WorkflowCreated)
    assert await loaded(library, name) is not None


async def test_samples_that_were_changed_in_the_folder_are_told_and_are_mended_by_the_next_version(tmp_path):
    folder = tmp_path / "workflows"
    library, given = folder_library(folder), packed("R1", "R2")
    reply = await published(library, "flow", given)
    (folder / LIBRARY_FOLDER / "samples" / given.samples.samples[0].sha256).write_bytes(b"changed")
    with raises_code(PermanentError, "workflow_unreadable", match="were changed"):
        await loaded(library, "flow")
    await publish(library, "flow", given, GREET_LOUDLY, replace=reply.workflow.hash)
    assert await loaded(library, "flow", reply.workflow.hash) is not None


async def test_a_flow_that_was_edited_by_hand_has_no_samples_of_its_own(tmp_path):
    folder = tmp_path / "workflows"
    library = folder_library(folder)
    first = await published(library, "flow", packed("R1"))
    (folder / "flow.py").write_text(GREET_LOUDLY)
    assert await loaded(library, "flow") is None
    assert await loaded(library, "flow", first.workflow.hash) is not None
