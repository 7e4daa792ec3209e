"""Two evidence processes for one run: one writes; the other waits, reports it, and continues later."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from services.evidence.handlers import claim_press
from services.evidence.store.folder_store import FolderStore
from services.evidence.store.s3_store import S3Store
from shared.contracts.evidence import ClaimPress
from shared.errors import Unavailable
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.verify.run import check_run
from shared.s3.opening import open_bucket
from shared.settings import Settings
from shared.testing.settings import isolated_settings
from tests.handlers.evidence.evidence_desk import (
    KEY,
    Desk,
    closed,
    ended,
    found,
    outcomes,
    press,
    sample,
    started,
    took,
)
from tests.s3_servers import SERVERS, s3_server
from tests.typed import expect

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


class Place:
    """Where the processes of one machine file evidence: a folder or a bucket."""

    def __init__(self, settings: Settings, environment: dict[str, str]) -> None:
        self.settings, self._environment = settings, environment
        self._stores: list[FolderStore | S3Store] = []

    def desk(self) -> Desk:
        desk, place = Desk(self.settings.evidence_dir), self.settings
        store: FolderStore | S3Store = expect(desk.deps.store, FolderStore)
        if place.evidence_bucket is not None:
            store = S3Store(open_bucket(place), place.state_dir / "spool")
            store.check_usable()
            desk.deps = replace(desk.deps, store=store)
        self._stores.append(store)
        return desk

    def other(self) -> subprocess.Popen[str]:
        """Another process that writes the run, for as long as it lives."""
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **self._environment},
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    @property
    def run(self) -> Path | str:
        bucket = self.settings.evidence_bucket
        return f"{bucket}/run_1" if bucket is not None else self.settings.evidence_dir / "run_1"

    def lying(self) -> set[str]:
        """Of all that lies there, hidden or replaced."""
        if self.settings.evidence_bucket is not None:
            return {one.key for one in open_bucket(self.settings).list_objects(recursive=True, versions=True)}
        root = self.settings.evidence_dir
        return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}

    def close(self) -> None:
        for store in self._stores:
            store.close()


@pytest.fixture(scope="module", params=["folder", *SERVERS])
def settings(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, object]]:
    if request.param == "folder":
        yield "folder", None
        return
    with s3_server(request.param, tmp_path_factory.mktemp("s3")) as server:
        yield request.param, server


@pytest.fixture
def place(settings, tmp_path: Path) -> Iterator[Place]:
    _, server = settings
    own = isolated_settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state")
    folders = {"EXHIBIT_EVIDENCE_DIR": str(own.evidence_dir), "EXHIBIT_STATE_DIR": str(own.state_dir)}
    if server is None:
        place = Place(own, folders)
    else:
        bucket = f"s3://held-{uuid4().hex[:12]}/below"
        place = Place(server.settings(bucket, own), {**folders, **server.environment(bucket)})
    yield place
    place.close()


async def test_what_another_process_writes_waits_until_that_one_is_killed(place: Place):
    one, desk = sample(), place.desk()
    process = place.other()
    who = f"process {process.pid} on {socket.gethostname()}, since {datetime.now(UTC):%Y-}"
    for message in (started(), found(one), closed(1), took(one), ended(one)):
        with pytest.raises(Unavailable, match=f"another process writes .*run_1: {who}.*; end it, or wait") as caught:
            await desk.tell(message)
        assert caught.value.code == "run_held"
    assert {key for key in place.lying() if not key.startswith(".")} == set(), "nothing was written"
    process.kill()
    process.communicate()
    await desk.begun(one)  # at once
    assert outcomes(await desk.tell(took(one), ended(one))) == {("done", ""): 1}


async def test_a_press_is_claimed_only_of_who_writes_the_run(place: Place):
    """Of two processes that both give it away, each once, one would have been one too many."""
    one, desk = sample(), place.desk()
    await desk.begun(one)
    await desk.deps.store.unlock_run("run_1")
    process = place.other()
    with pytest.raises(Unavailable, match="another process writes"):
        await claim_press(ClaimPress(pressed=press(1), claim=True), desk.deps)
    process.kill()
    process.communicate()
    assert (await claim_press(ClaimPress(pressed=press(2), claim=True), desk.deps)).pressed == press(2)


async def test_a_process_that_ends_lets_go(place: Place):
    desk = place.desk()
    process = place.other()
    process.communicate()
    assert process.returncode == 0
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


async def test_a_finished_run_is_held_by_nobody(place: Place):
    desk = place.desk()
    await desk.begun(sample())
    await desk.tell(ended(sample()))
    assert {key for key in place.lying() if key.startswith(".")} == set()
    process = place.other()
    with pytest.raises(Unavailable, match="another process writes"):
        await desk.tell(started(1))
    process.kill()
    process.communicate()


async def test_that_it_is_held_is_no_part_of_a_run(place: Place):
    desk = place.desk()
    await desk.begun(sample())
    await desk.tell(took(sample()), ended(sample()))
    files = {key for key in place.lying() if not key.startswith(".")}
    process = place.other()
    assert {key for key in place.lying() if not key.startswith(".")} == files
    with open_source(place.settings, place.run) as medium:
        checked = check_run(medium, KEY.public)
        listed = medium.list_files().files
    assert checked.problems == []
    assert checked.stands
    assert not any("held" in name for name in listed)
    assert await desk.deps.store.names("") == ["run_1"]
    process.kill()
    process.communicate()


# --- two writers of one sample


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "evidence")


async def test_the_same_step_told_by_somebody_else_is_refused_and_the_first_counts(desk: Desk):
    one = sample()
    await desk.begun(one)
    first = await desk.capture(one, b"first")
    await desk.tell(took(one, first))
    other_bytes = await desk.capture(one, b"other")
    await desk.hand(took(one, other_bytes))
    await desk.hand(ended(one, other_bytes, steps=1))
    assert desk.refused() == [("SampleFinished", "not_filed"), ("StepTaken", "other_content")]
    assert outcomes(await desk.tell(ended(one, first))) == {("done", ""): 1}
    assert (desk.root / "run_1/A-1/01_t.png").read_bytes() == b"first"


HOSTILE = (
    "../../etc/passwd", "a/b", "a\\b", "nul\0byte", "\u202egnp.exe", "x" * 300, "CON", "con", "objects", "rounds",
    "tables", "memory", "_discovery", ".", "..", "", " ", "李娜", "e\u0301", "é", "TCK-1\n", "-rf", "~", "*", "%00",
    "run.json",
)  # fmt: skip


async def test_samples_of_every_name_lie_apart_below_the_run_and_are_done(desk: Desk):
    samples = [sample(key, row) for row, key in enumerate(HOSTILE, start=1)]
    await desk.begun(*samples)
    finished: Any = None
    for one in samples:
        filed = await desk.capture(one, one.key.encode() + b"!")
        finished = await desk.tell(took(one, filed), ended(one, filed))
    assert outcomes(finished) == {("done", ""): len(HOSTILE)}
    kept = {path.parent.name: path.read_bytes() for path in (desk.root / "run_1").glob("*/01_t.png")}
    assert sorted(kept.values()) == sorted(key.encode() + b"!" for key in HOSTILE)
    assert {path.name for path in desk.root.parent.iterdir()} == {"evidence"}
    assert [row["sample_id"] for row in desk.rows()] == sorted(kept)
