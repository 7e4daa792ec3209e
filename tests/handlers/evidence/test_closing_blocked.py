"""An output that cannot be written is reported and retried, for every kind of output."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.evidence_world import World, record
from services.evidence.facts import RunFacts
from services.evidence.outputs.make_products import MadeProducts, make_products
from services.evidence.outputs.parquet_tables import ParquetTables
from services.evidence.outputs.products import MakeProduct, OpenFile, OutputFile
from services.evidence.state.run_state import RunState
from services.evidence.store.folder_store import FolderStore
from shared.contracts.discovery import Sample
from shared.errors import Unavailable
from shared.evidence_view.sample_facts import SampleFacts
from tests.handlers.evidence.written_sample import files_of

NOW = datetime(2026, 3, 1, tzinfo=UTC)
RUN = record().run_id


class Sound:
    """A product that lists the samples."""

    makes = "sound.txt"

    def __init__(self, closing: RunFacts, folder: Path) -> None:
        self.folder, self.seen = folder, list[str]()

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        self.seen.append(sample.sample_id)

    def finish(self) -> Iterable[OutputFile]:
        (self.folder / "sound.txt").write_text(" ".join(self.seen))
        return [OutputFile("sound.txt", self.folder / "sound.txt")]

    def close(self) -> None: ...


class Faulty(Sound):
    """With a fault of ours over the second sample."""

    makes = "faulty.html"

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        super().add(sample, open_file)
        if len(self.seen) == 2:
            raise ValueError("it is no number")

    def finish(self) -> Iterable[OutputFile]:
        raise AssertionError("what has failed is asked for nothing more")


class FaultyAtItsEnd(Sound):
    makes = "late.html"

    def finish(self) -> Iterable[OutputFile]:
        raise KeyError("gone")


class NoRoom(Sound):
    """On a full disk."""

    closed = 0

    def finish(self) -> Iterable[OutputFile]:
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        NoRoom.closed += 1


@dataclass
class Closing:
    """A run of three samples, without their files, that is closed."""

    root: Path
    said: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.store = FolderStore(self.root)

    async def on_blocked(self, key: str, why: str) -> None:
        self.said.append((key, why))

    async def made(self, *products: MakeProduct) -> MadeProducts:
        state = RunState(record=record(), expected=3)
        for row, name in enumerate(("A-1", "A-2", "A-3"), start=1):
            state.add_sample(Sample(sample_id=name, key=name, row=row), NOW)
        return await make_products(self.store, products, state, World(0).finished(), self.on_blocked)


@pytest.fixture
def closing(tmp_path: Path) -> Closing:
    return Closing(tmp_path)


async def test_a_fault_of_ours_costs_its_own_file_and_is_said(closing: Closing, caplog: pytest.LogCaptureFixture):
    made = await closing.made(Faulty, FaultyAtItsEnd, Sound)
    assert made.names == {"sound.txt"}
    assert await closing.store.read(f"{RUN}/sound.txt") == b"A-1 A-2 A-3"
    assert made.failures == (
        "faulty.html could not be made at sample A-2: ValueError: it is no number",
        "late.html could not be made: KeyError: 'gone'",
    )
    assert "Traceback" in caplog.text


async def test_a_file_that_says_what_no_column_holds_costs_the_tables_and_does_not_hold_up_the_run(closing: Closing):
    files = files_of({"sample_id": "A-1", "key": "A-1"}, {"steps": 2**40})
    await closing.store.write(f"{RUN}/A-1/sample.json", files.sample or b"")
    await closing.store.write(f"{RUN}/A-1/result.json", files.result or b"")
    made = await closing.made(ParquetTables, Sound)
    assert made.names == {"sound.txt"}
    assert len(made.failures) == 1
    assert made.failures[0].startswith("tables/")


async def test_a_full_disk_is_said_and_can_be_tried_again(closing: Closing):
    with pytest.raises(Unavailable, match="No space left") as told:
        await closing.made(NoRoom)
    assert told.value.code == "table_unavailable"
    assert [key for key, _ in closing.said] == [f"{RUN}/-"]
    assert "No space left" in closing.said[0][1]
    assert NoRoom.closed == 1
    assert not list(closing.root.rglob("closing-*")), "nothing is left lying about"
