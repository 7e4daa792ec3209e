"""A recording is the same whatever it is read from: the folder of a run, its zip file, or evidence over the bus."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from services.evidence.handlers import actor
from shared.errors import PermanentError, Unavailable
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.sources.zip import ZipSource
from shared.recordings.from_bus import load_recording
from shared.recordings.from_run import RunRecordings, read_recordings
from shared.recordings.recording import Recording
from shared.testing.bus import MemoryBus
from tests.handlers.evidence.earlier_runs import FOLDER, RUNS, deps_of, unpacked
from tests.raising import raises_code


async def over_the_bus(run: Path, sample_id: str) -> Recording:
    deps = deps_of(run)
    bus = deps.blobs
    assert isinstance(bus, MemoryBus)
    bus.host(actor, deps)
    return await load_recording(bus, bus, run.name, sample_id)


@pytest.mark.parametrize("name", RUNS)
async def test_a_folder_a_zip_and_the_bus_give_the_same_recording(name: str, tmp_path: Path):
    run = unpacked(name, tmp_path)
    read = read_recordings(FolderSource(run))
    assert read == read_recordings(ZipSource(FOLDER / f"{name}.zip"))
    assert all(one.steps and one.pages and one.values for one in read.samples)
    assert [await over_the_bus(run, one.sample_id) for one in read.samples] == list(read.samples)
    assert len(read.samples) + len(read.skipped) == len(list(run.glob("[!_]*/result.json")))


def cut(log: list[Any]) -> list[Any]:
    return log[:-1]


def without_second(log: list[Any]) -> list[Any]:
    return [log[0], *log[2:]]


def refused_at_its_end(log: list[Any]) -> list[Any]:
    return [*log[:-1], {**log[-1], "refused": True}]


@pytest.mark.parametrize(
    ("change", "words"),
    [(cut, "9 of 10 steps"), (without_second, "9 of 10 steps"), (refused_at_its_end, "without a done")],
)
async def test_a_log_that_lacks_steps_is_no_recording_from_anywhere(
    change: Callable[[list[Any]], list[Any]], words: str, tmp_path: Path
):
    run = unpacked("judged", tmp_path)
    log = run / "LED-01" / "action_log.json"
    log.write_text(json.dumps(change(json.loads(log.read_bytes()))), encoding="utf-8")
    read: RunRecordings = read_recordings(FolderSource(run))
    assert [one.sample_id for one in read.samples] == ["LED-05", "LED-09"]
    [(folder, why)] = read.skipped
    assert (folder, words in why) == ("LED-01", True)
    with raises_code(PermanentError, "nothing_to_replay", words):
        await over_the_bus(run, "LED-01")


async def test_a_sample_without_a_result_is_asked_for_again_later(tmp_path: Path):
    run = unpacked("judged", tmp_path)
    (run / "LED-01" / "result.json").unlink()
    with pytest.raises(Unavailable):
        await over_the_bus(run, "LED-01")
    assert "LED-01" not in [one.sample_id for one in read_recordings(FolderSource(run)).samples]
