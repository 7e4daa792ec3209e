"""An output that cannot be written is reported and retried, for every kind of output."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.evidence_world import World, record
from services.evidence.deps import EvidenceDeps
from services.evidence.facts import RunFacts, SampleFacts
from services.evidence.outputs.make_products import make_products
from services.evidence.outputs.parquet_tables import ParquetTables
from services.evidence.outputs.products import OpenFile, OutputFile
from services.evidence.state.run_state import RunState
from services.evidence.store.folder_store import FolderStore
from shared.contracts.discovery import Sample
from shared.errors import Unavailable
from shared.testing.bus import MemoryBus
from tests.handlers.evidence.odd_run import made_of_what_no_column_holds


class NoRoom:
    """A product on a full disk."""

    makes = "nothing"
    closed = 0

    def __init__(self, closing: RunFacts, folder: Path) -> None:
        self.folder = folder

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None: ...

    def finish(self) -> Iterable[OutputFile]:
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        NoRoom.closed += 1


class Faulty:
    """A product with a fault of ours: over one sample, or at its end."""

    makes = "faulty.html"

    def __init__(self, closing: RunFacts, folder: Path) -> None:
        self.folder, self.seen = folder, list[str]()

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        self.seen.append(sample.sample_id)
        if len(self.seen) == 2:
            raise ValueError("it is no number")

    def finish(self) -> Iterable[OutputFile]:
        raise AssertionError("what has failed is asked for nothing more")

    def close(self) -> None: ...


class FaultyAtItsEnd(Faulty):
    makes = "late.html"

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None: ...

    def finish(self) -> Iterable[OutputFile]:
        raise KeyError("gone")


class Sound(Faulty):
    makes = "sound.txt"

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        self.seen.append(sample.sample_id)

    def finish(self) -> Iterable[OutputFile]:
        (self.folder / "sound.txt").write_text(" ".join(self.seen))
        return [OutputFile("sound.txt", self.folder / "sound.txt")]


async def test_a_fault_of_ours_costs_its_own_file_and_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    store, now = FolderStore(tmp_path), datetime(2026, 3, 1, tzinfo=UTC)
    deps = EvidenceDeps(store=store, blobs=MemoryBus(), now=lambda: now, products=(Faulty, FaultyAtItsEnd, Sound))
    state = RunState(record=record(), expected=3)
    for row, name in enumerate(("A-1", "A-2", "A-3"), start=1):
        state.add_sample(Sample(sample_id=name, key=name, row=row), now)
    made = await make_products(deps.store, deps.products, state, World(0).finished(), deps.on_blocked)
    assert made.names == {"sound.txt"}
    assert await store.read(f"{record().run_id}/sound.txt") == b"A-1 A-2 A-3"
    assert made.failures == (
        "faulty.html could not be made at sample A-2: ValueError: it is no number",
        "late.html could not be made: KeyError: 'gone'",
    )
    assert "Traceback" in caplog.text


async def test_a_file_that_says_what_no_column_holds_costs_the_tables_and_does_not_hold_up_the_run(tmp_path: Path):
    made = await made_of_what_no_column_holds(tmp_path, ParquetTables, Sound)
    assert made.names == {"sound.txt"}
    assert len(made.failures) == 1
    assert made.failures[0].startswith("tables/")


async def test_a_full_disk_is_said_and_can_be_tried_again(tmp_path: Path):
    said: list[tuple[str, str]] = []

    async def on_blocked(key: str, why: str) -> None:
        said.append((key, why))

    deps = EvidenceDeps(
        store=FolderStore(tmp_path),
        blobs=MemoryBus(),
        now=lambda: datetime(2026, 3, 1, tzinfo=UTC),
        products=(NoRoom,),
        on_blocked=on_blocked,
    )
    state = RunState(record=record(), expected=0)
    with pytest.raises(Unavailable, match="No space left") as told:
        await make_products(deps.store, deps.products, state, World(0).finished(), deps.on_blocked)
    assert told.value.code == "table_unavailable"
    assert [key for key, _ in said] == [f"{record().run_id}/-"]
    assert "No space left" in said[0][1]
    assert NoRoom.closed == 1
    assert not list(tmp_path.rglob("closing-*")), "nothing is left lying about"
