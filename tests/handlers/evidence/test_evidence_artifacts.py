"""Artifacts from the bus into the store: hashed in transit, streamed, refused if the hash differs."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from services.evidence.deps import EvidenceDeps
from services.evidence.ingest.filing import store_artifact
from services.evidence.store.folder_store import FolderStore
from shared.contracts.results import Artifact
from shared.contracts.steps import FiledArtifact
from shared.errors import PermanentError, Unavailable
from shared.evidence_format.files.json_files import ArtifactProblem
from shared.streams import ARTIFACTS
from shared.testing.bus import MemoryBus
from tests.handlers.evidence.evidence_desk import NOW, sample, took

OF = {"source_url": "http://x", "captured_at": NOW}


def filed_as(data: bytes, name: str = "01_t.png", **changed) -> FiledArtifact:
    said = {"sha256": hashlib.sha256(data).hexdigest(), "size_bytes": len(data), **changed}
    artifact = Artifact(kind="screenshot", label="t", blob="b", media_type="image/png", suffix=".png", **OF, **said)
    return FiledArtifact(filename=name, artifact=artifact)


@pytest.fixture
def deps(tmp_path: Path) -> EvidenceDeps:
    return EvidenceDeps(store=FolderStore(tmp_path), blobs=MemoryBus(), now=lambda: NOW)


async def filing(deps: EvidenceDeps, filed: FiledArtifact, data: bytes | None) -> ArtifactProblem | None:
    if data is not None:
        await deps.blobs.put(ARTIFACTS, "b", data)
    return await store_artifact(deps.store, deps.blobs, took(sample(), filed), filed)


async def test_what_was_captured_lies_in_its_place_and_nothing_else_is_left(deps, tmp_path):
    filed = filed_as(b"\x89PNG")
    assert await filing(deps, filed, b"\x89PNG") is None
    assert await deps.store.read("run_1/A-1/01_t.png") == b"\x89PNG"
    deps.store.close()
    sha = filed.artifact.sha256
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {"run_1/A-1/01_t.png", f"run_1/objects/{sha[:2]}/{sha}"}


@pytest.mark.parametrize(
    ("came", "code", "said"),
    [
        (b"other", "hash_differs", "01_t.png: its SHA-256 is not that of the capture"),
        (b"short", "hash_differs", "01_t.png: its SHA-256 is not that of the capture"),
        (b"longer than it", "size_differs", "01_t.png: 14 bytes arrived, 5 were captured"),
        (None, "bytes_gone", "01_t.png: the captured bytes are gone"),
    ],
)
async def test_what_is_not_what_was_captured_is_said_and_not_kept(deps, came, code, said):
    problem = await filing(deps, filed_as(b"bytes"), came)
    assert problem is not None
    assert (problem.filename, problem.code, problem.sentence) == ("01_t.png", code, said)
    assert await deps.store.names("run_1") == []


async def test_what_was_filed_before_is_found_again_without_the_bus(deps):
    await filing(deps, filed_as(b"bytes"), b"bytes")
    await deps.blobs.remove(ARTIFACTS, "b")
    assert await filing(deps, filed_as(b"bytes"), None) is None
    other = await filing(deps, filed_as(b"bytez"), None)
    assert other is not None
    assert other.sentence == "01_t.png: its SHA-256 is not that of the capture"


async def test_other_bytes_under_the_name_are_said(deps):
    await filing(deps, filed_as(b"first"), b"first")
    problem = await filing(deps, filed_as(b"second"), b"second")
    assert problem is not None
    assert problem.sentence == "01_t.png: another file has this name, and evidence is never overwritten"
    assert problem.code == "name_taken"
    assert await deps.store.read("run_1/A-1/01_t.png") == b"first"


async def test_a_disk_that_is_full_on_the_way_is_said_and_waited_for(tmp_path, monkeypatch):
    told: list[tuple[str, str]] = []

    async def on_blocked(key: str, why: str) -> None:
        told.append((key, why))

    deps = EvidenceDeps(FolderStore(tmp_path, on_blocked), MemoryBus(), now=lambda: NOW)
    full = Path("/dev/full").open

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", lambda self, mode: full(mode))
        with pytest.raises(Unavailable, match="the disk is full") as caught:
            await filing(deps, filed_as(b"x" * 300_000), b"x" * 300_000)
    assert caught.value.code == "disk_full"
    assert [key for key, _ in told] == ["run_1/A-1/01_t.png"]
    assert await filing(deps, filed_as(b"x" * 300_000), b"x" * 300_000) is None


async def test_the_message_of_any_other_error_is_kept_whole(deps, monkeypatch):
    async def fetch(*_: object) -> None:
        raise PermanentError("01_t.png: a message that begins like the name", code="blob_damaged")

    monkeypatch.setattr(deps.blobs, "fetch", fetch)
    problem = await filing(deps, filed_as(b"bytes"), b"bytes")
    assert problem is not None
    assert problem.text == "01_t.png: a message that begins like the name"
