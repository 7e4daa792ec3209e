"""Two evidence processes for one run: one writes; the other waits, reports it, and continues later.

A second store of one process gets no lock that the first one has, as if it were of another process; one test starts
that process.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from services.evidence.handlers import claim_press
from services.evidence.run_ledger import RunLedger
from services.evidence.store.folder_store import FolderStore
from services.evidence.store.s3_store import S3Store
from shared.contracts.evidence import ClaimPress
from shared.errors import Unavailable
from shared.evidence_format.sources.bucket import BucketSource
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.verify.verify_run import check_run
from tests.handlers.conftest import REAL, any_server
from tests.handlers.evidence.evidence_desk import (
    KEY,
    Desk,
    closed,
    drop_locks,
    ended,
    found,
    outcomes,
    press,
    sample,
    started,
    took,
)
from tests.memory_s3 import MemoryS3
from tests.s3_servers import S3Server

HOLDS = """
import asyncio, sys
from datetime import UTC, datetime
from services.evidence.ports import ignore_blocked
from services.evidence.store.open_store import open_store
from shared.testing.settings import isolated_settings

async def main():
    async with open_store(isolated_settings(), ignore_blocked, lambda: datetime.now(UTC)) as store:
        await store.lock_run("run_1")
        print("held", flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""
AnyServer = S3Server | MemoryS3 | None


class Place:
    """Where the processes of one machine file evidence: a folder, or a bucket of a server."""

    def __init__(self, folder: Path, server: AnyServer) -> None:
        self.folder, self.server = folder, server
        self.bucket = f"s3://held-{uuid4().hex[:12]}/below"
        self._stores: list[FolderStore | S3Store] = []

    def store(self) -> FolderStore | S3Store:
        if self.server is None:
            store = FolderStore(self.folder / "evidence")
        else:
            store = S3Store(self.server.bucket(self.bucket), self.folder / "state" / "spool")
        store.check_usable()
        self._stores.append(store)
        return store

    def desk(self) -> Desk:
        desk = Desk(self.folder / "evidence", products=())
        desk.deps = replace(desk.deps, store=self.store())
        return desk

    async def other(self) -> FolderStore | S3Store:
        """The store of another process, which writes the run."""
        store = self.store()
        await store.lock_run("run_1")
        return store

    def source(self) -> FolderSource | BucketSource:
        if self.server is None:
            return FolderSource(self.folder / "evidence" / "run_1")
        return BucketSource(self.server.bucket(f"{self.bucket}/run_1"))

    def lying(self) -> set[str]:
        """Of all that lies there, also hidden or replaced."""
        if self.server is None:
            root = self.folder / "evidence"
            return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
        return {one.key for one in self.server.bucket(self.bucket).list_objects(recursive=True, versions=True)}

    def filed(self) -> set[str]:
        return {name for name in self.lying() if not name.startswith(".")}

    def close(self) -> None:
        for store in self._stores:
            store.close()


@pytest.mark.parametrize("times", [1, 2])
async def test_what_was_read_before_is_read_again_also_where_taking_the_lock_was_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
):
    bucket = MemoryS3().bucket(f"s3://held-{uuid4().hex[:12]}/below")
    store, asked, may = S3Store(bucket, tmp_path / "spool"), threading.Event(), threading.Event()
    swap = bucket.swap

    def held_up(*given: Any) -> Any:
        asked.set()
        assert may.wait(60)
        return swap(*given)

    store.check_usable()
    monkeypatch.setattr(bucket, "swap", held_up)
    ledger = RunLedger(store)
    await ledger.log("run_1", "A")
    taking = asyncio.ensure_future(ledger.lock_run("run_1"))
    await asyncio.to_thread(asked.wait, 60)
    for _ in range(times):
        taking.cancel()
        await asyncio.sleep(0)
    may.set()
    with pytest.raises(asyncio.CancelledError):
        await taking
    assert ledger.logs == frozenset()
    store.close()


def kill(store: FolderStore | S3Store) -> None:
    """Release its locks, as the kernel does for a dead process."""
    if isinstance(store, FolderStore):
        drop_locks(store)
        return
    keepers = store._locks._keepers
    for name in list(keepers._handles):
        keepers.abandon(name)
    store._locks._leases.clear()


@pytest.fixture(scope="module", params=["folder", "memory", *REAL])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AnyServer]:
    if request.param == "folder":
        yield None
        return
    with any_server(request.param, tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture
def place(server: AnyServer, tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path, server)
    yield place
    place.close()


async def nothing_is_written(desk: Desk, pid: int, place: Place) -> None:
    who = f"process {pid} on {socket.gethostname()}, since [0-9]{{4}}-"
    for message in (started(), found(sample()), closed(1), took(sample()), ended(sample())):
        with pytest.raises(Unavailable, match=f"another process writes .*run_1: {who}.*; end it, or wait") as caught:
            await desk.tell(message)
        assert caught.value.code == "run_held"
    assert place.filed() == set()


async def test_what_another_process_writes_waits_until_that_one_is_dead(place: Place):
    desk, other = place.desk(), await place.other()
    await nothing_is_written(desk, os.getpid(), place)
    kill(other)
    await desk.begun(sample())  # at once
    assert outcomes(await desk.tell(took(sample()), ended(sample()))) == {("done", ""): 1}


def other_process(environment: dict[str, str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLDS]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


@pytest.mark.system
@pytest.mark.parametrize("name", ["folder", "versitygw"])
async def test_what_a_real_process_writes_waits_until_that_one_is_killed(tmp_path: Path, name: str):
    settings = {"EXHIBIT_EVIDENCE_DIR": str(tmp_path / "evidence"), "EXHIBIT_STATE_DIR": str(tmp_path / "state")}
    with any_server("memory" if name == "folder" else name, tmp_path) as server:
        place = Place(tmp_path, server if isinstance(server, S3Server) else None)
        if isinstance(server, S3Server):
            settings |= server.environment(place.bucket)
        desk = place.desk()
        with other_process({**os.environ, **settings}) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            await nothing_is_written(desk, process.pid, place)
            process.kill()
        await desk.begun(sample())
        place.close()


async def test_a_press_is_claimed_only_of_who_writes_the_run(place: Place):
    """Of two processes that both give it away, each once, one would have been one too many."""
    desk = place.desk()
    await desk.begun(sample())
    await desk.deps.store.unlock_run("run_1")
    other = await place.other()
    with pytest.raises(Unavailable, match="another process writes"):
        await claim_press(ClaimPress(pressed=press(1), claim=True), desk.deps)
    kill(other)
    assert (await claim_press(ClaimPress(pressed=press(2), claim=True), desk.deps)).pressed == press(2)


async def test_a_process_that_ends_lets_go(place: Place):
    desk, other = place.desk(), await place.other()
    other.close()
    assert place.lying() == set()
    await desk.tell(started())


async def test_a_process_that_takes_over_reads_what_the_other_has_filed(place: Place):
    one, two = sample("a"), sample("b", 2)
    desk, waiting = place.desk(), place.desk()
    await desk.begun(one, two)
    await waiting.load()  # it knows the run as it was then
    await desk.tell(took(one), ended(one))
    await desk.deps.store.unlock_run("run_1")
    assert await waiting.tell(ended(two)) is not None, "both have ended, one of them elsewhere"


async def test_a_finished_run_is_held_by_nobody_and_that_it_is_held_is_no_part_of_it(place: Place):
    desk = place.desk()
    await desk.begun(sample())
    await desk.tell(took(sample()), ended(sample()))
    assert place.lying() == place.filed()
    files = place.filed()
    await place.other()
    assert place.filed() == files
    source = place.source()
    checked = check_run(source, KEY.public)
    assert (checked.problems, checked.stands) == ([], True)
    assert not any("held" in name for name in source.list_files().files)
    assert await desk.deps.store.names("") == ["run_1"]
    with pytest.raises(Unavailable, match="another process writes"):
        await desk.tell(started(1))


# --- two writers of one sample


HOSTILE = (
    "../../etc/passwd", "a/b", "a\\b", "nul\0byte", "\u202egnp.exe", "x" * 300, "CON", "con", "objects", "rounds",
    "tables", "memory", "_discovery", ".", "..", "", " ", "李娜", "e\u0301", "é", "TCK-1\n", "-rf", "~", "*", "%00",
    "run.json",
)  # fmt: skip


async def test_samples_of_every_name_lie_apart_below_the_run_and_are_done(tabled: Desk):
    samples = [sample(key, row) for row, key in enumerate(HOSTILE, start=1)]
    await tabled.begun(*samples)
    finished: Any = None
    for one in samples:
        filed = await tabled.capture(one, one.key.encode() + b"!")
        finished = await tabled.tell(took(one, filed), ended(one, filed))
    assert outcomes(finished) == {("done", ""): len(HOSTILE)}
    kept = {path.parent.name: path.read_bytes() for path in (tabled.root / "run_1").glob("*/01_t.png")}
    assert sorted(kept.values()) == sorted(key.encode() + b"!" for key in HOSTILE)
    assert {path.name for path in tabled.root.parent.iterdir()} == {"evidence"}
    names = {data: name for name, data in kept.items()}
    in_order = [names[key.encode() + b"!"] for key in HOSTILE]
    assert [row["sample_id"] for row in tabled.rows()] == in_order
