"""Artifacts that evidence keeps: the common suite in a folder and in a bucket, over a bus in memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from services.evidence.deps import EvidenceDeps
from services.evidence.handlers import actor
from services.evidence.read_api.find_runs import find_known_runs
from services.evidence.store.folder_store import FolderStore
from services.evidence.store.s3_store import S3Store
from services.workflows.artifacts.evidence import EvidenceArtifacts
from shared.contracts.evidence import FindRuns
from shared.errors import PermanentError
from shared.evidence_format import layout
from shared.evidence_format.library import LIBRARY_ARTIFACTS
from shared.s3.opening import open_bucket
from shared.streams import ANSWERS, ARTIFACTS
from shared.testing.bus import MemoryBus
from tests.handlers.evidence.evidence_desk import Desk, sample
from tests.handlers.workflows.artifact_suite import ArtifactSuite, saved
from tests.raising import raises_code
from tests.s3_servers import SERVERS, s3_server

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def deps(store: Any, blobs: Any, **options: Any) -> EvidenceDeps:
    return EvidenceDeps(store=store, blobs=blobs, now=lambda: NOON, **options)


def keeper(store: Any, **options: Any) -> tuple[EvidenceArtifacts, MemoryBus]:
    bus = MemoryBus()
    bus.host(actor, deps(store, bus, **options))
    return EvidenceArtifacts(bus), bus


def damage_in(root: Path) -> Callable[[str], object]:
    return lambda name: (root / LIBRARY_ARTIFACTS / name / "content").write_bytes(b"%PDf")


class TestInFolder(ArtifactSuite):
    @pytest.fixture
    def artifacts(self, tmp_path: Path) -> EvidenceArtifacts:
        return keeper(FolderStore(tmp_path))[0]

    @pytest.fixture
    def damage(self, tmp_path: Path) -> Callable[[str], object]:
        return damage_in(tmp_path)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory):
    with s3_server(SERVERS[0], tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.mark.system
@pytest.mark.long
class TestInBucket(ArtifactSuite):
    @pytest.fixture
    def bucket(self, server):
        return open_bucket(server.settings(f"s3://evidence-{uuid4().hex[:12]}"))

    @pytest.fixture
    def artifacts(self, bucket, tmp_path: Path):
        store = S3Store(bucket, tmp_path / "spool")
        store.check_usable()
        yield keeper(store)[0]
        store.close()

    @pytest.fixture
    def damage(self, bucket) -> Callable[[str], object]:
        return lambda name: bucket.write(f"{LIBRARY_ARTIFACTS}/{name}/content", b"%PDf")


async def test_nothing_is_left_on_the_bus(tmp_path):
    artifacts, bus = keeper(FolderStore(tmp_path))
    await saved(artifacts)
    with pytest.raises(PermanentError):
        await saved(artifacts)
    await artifacts.load("report.pdf")
    assert [name for bucket, name in bus._blobs if bucket in (ARTIFACTS.name, ANSWERS.name)] == []


async def test_a_long_list_comes_in_pages(tmp_path, monkeypatch):
    monkeypatch.setattr("services.evidence.state.reply_pages.first_page.__defaults__", (1000,))
    artifacts, _ = keeper(FolderStore(tmp_path))
    names = [f"{number:03d}.txt" for number in range(20)]
    for name in names:
        await saved(artifacts, name)
    assert [one.name for one in await artifacts.list()] == names


async def test_runs_do_not_see_them_and_no_run_can_have_the_name_of_their_folder(tmp_path):
    desk = Desk(tmp_path)
    await desk.begun(sample())
    before = await find_known_runs(desk.deps.store, FindRuns(task_id=None, input_sha256=None))
    await saved(keeper(FolderStore(tmp_path))[0])
    assert await find_known_runs(desk.deps.store, FindRuns(task_id=None, input_sha256=None)) == before
    assert LIBRARY_ARTIFACTS in await desk.deps.store.names("")
    assert not layout.is_safe(LIBRARY_ARTIFACTS)


async def test_a_save_that_was_interrupted_before_its_entry_is_no_artifact_and_can_be_repeated(tmp_path):
    folder = tmp_path / LIBRARY_ARTIFACTS / "report.pdf"
    folder.mkdir(parents=True)
    (folder / "content").write_bytes(b"half")
    artifacts, _ = keeper(FolderStore(tmp_path))
    assert tuple(await artifacts.list()) == ()
    await saved(artifacts)
    loaded = await artifacts.load("report.pdf")
    assert loaded is not None
    assert loaded[1] == b"%PDF"
    assert json.loads((folder / "entry.json").read_text())["saved_by"] == "weekly_report"


async def test_bytes_that_arrive_otherwise_than_they_were_sent_are_refused(tmp_path, monkeypatch):
    artifacts, bus = keeper(FolderStore(tmp_path))
    put = bus.put

    async def changed(bucket, name, data):
        await put(bucket, name, b"%PDf")

    monkeypatch.setattr(bus, "put", changed)
    with raises_code(PermanentError, "blob_damaged", match="not those sent"):
        await saved(artifacts)
    assert tuple(await artifacts.list()) == ()


async def test_a_process_that_only_reads_saves_and_deletes_nothing(tmp_path):
    await saved(keeper(FolderStore(tmp_path))[0])
    artifacts, _ = keeper(FolderStore(tmp_path), read_only=True)
    for attempt in (lambda: saved(artifacts, "other.pdf"), lambda: artifacts.delete("report.pdf")):
        with pytest.raises(PermanentError, match="only reads evidence"):
            await attempt()
    assert await artifacts.load("report.pdf") is not None
