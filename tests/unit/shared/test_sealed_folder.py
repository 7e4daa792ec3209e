"""The folder of a sample beside its manifest: its result, its step log, and what the run's manifest says of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from shared.evidence_format import chain
from shared.evidence_format.files.manifest import FileEntry, LogHead, SampleLink, SampleManifest
from shared.evidence_format.layout import RESULT
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.sources.source import Digest
from shared.evidence_format.verify.compare import differences
from shared.evidence_format.verify.samples import check_samples
from shared.evidence_format.verify.verify_manifest import check_link

LOG = "action_log.json"
RESULT_DATA: dict[str, Any] = {"sample_id": "A-1", "status": "done", "reason": "", "attempt": 1}


def chained(*said: str) -> list[dict[str, Any]]:
    """Return the log of these steps."""
    entries: list[dict[str, Any]] = []
    head = chain.log_start("run_1", "A-1", 1)
    for word in said:
        entries.append(chain.with_hashes({"said": word}, head))
        head = entries[-1][chain.OWN]
    return entries


STEPS = chained("open", "read", "done")


def manifest(result: dict[str, Any] = RESULT_DATA) -> SampleManifest:
    data = json.dumps(result).encode()
    return SampleManifest(
        format="exhibit-sample/1",
        run_id="run_1",
        sample_id="A-1",
        attempt=1,
        status="done",
        reason="",
        result_sha256=chain.sha256(data),
        logs=(LogHead(path=LOG, attempt=1, steps=3, head_sha256=STEPS[-1][chain.OWN]),),
        files=(FileEntry(path=RESULT, sha256=chain.sha256(data), size_bytes=len(data)),),
    )


def problems(folder: Path, log: list[dict[str, Any]], result: dict[str, Any] = RESULT_DATA) -> list[str]:
    """Return what is told of a folder with this log and this result, which its manifest names."""
    (folder / "A-1").mkdir()
    (folder / "A-1" / LOG).write_text(json.dumps(log))
    (folder / "A-1" / RESULT).write_text(json.dumps(result))
    source = FolderSource(folder)
    checked = check_samples(source, source.list_files().files, {"A-1": manifest(result)})
    assert set(checked.digests) == {f"A-1/{LOG}", f"A-1/{RESULT}"}
    return [one.message for one in checked.problems]


def test_a_folder_as_it_was_sealed_is_whole(tmp_path: Path):
    assert problems(tmp_path, STEPS) == []


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_step_that_was_changed_is_told_wherever_it_stands(tmp_path: Path, at: int):
    log = [{**step, "said": "other"} if number == at else step for number, step in enumerate(STEPS)]
    (told,) = problems(tmp_path, log)
    assert f"broken at step {at + 1}" in told


@pytest.mark.parametrize("log", [STEPS[:2], chained("open", "read", "fail"), []], ids=["cut", "made anew", "emptied"])
def test_a_log_that_ends_otherwise_than_it_was_sealed_is_told(tmp_path: Path, log: list[dict[str, Any]]):
    (told,) = problems(tmp_path, log)
    assert "its steps were sealed as 3" in told


@pytest.mark.parametrize(
    "change", [{"sample_id": "A-2"}, {"status": "failed"}, {"reason": "not_found"}, {"attempt": 2}]
)
def test_a_result_that_says_something_else_than_its_manifest_is_told(tmp_path: Path, change: dict[str, Any]):
    (told,) = problems(tmp_path, STEPS, {**RESULT_DATA, **change})
    assert "than the manifest beside it" in told


LINK = SampleLink(row=1, sample_id="A-1", status="done", reason="", attempted=True, manifest_sha256="m")


def test_the_manifests_of_a_run_and_a_sample_say_the_same():
    assert check_link(LINK, manifest(), "run_1") == []


@pytest.mark.parametrize(
    ("link", "own", "words"),
    [
        ({"status": "failed"}, {}, "says done, the run's manifest failed"),
        ({"reason": "not_found"}, {}, "says done, the run's manifest done (not_found)"),
        ({"attempted": False}, {}, "says done"),
        ({}, {"sample_id": "A-2"}, "is of run_1/A-2"),
        ({}, {"run_id": "run_2"}, "is of run_2/A-1"),
        ({}, {"result_sha256": "0" * 64}, "does not name the one result"),
        ({}, {"files": ()}, "does not name the one result"),
        ({}, {"files": 2 * manifest().files}, "does not name the one result"),
    ],
)
def test_a_manifest_that_the_runs_contradicts_is_told(link: dict[str, Any], own: dict[str, Any], words: str):
    told = check_link(replace(LINK, **link), replace(manifest(), **own), "run_1")
    assert any(words in one.message for one in told), told


def test_a_file_that_is_gone_is_told_also_an_empty_one():
    for data in (b"a table", b""):
        entry = FileEntry(path="combined.csv", sha256=chain.sha256(data), size_bytes=len(data))
        there = {"combined.csv": Digest(entry.sha256, entry.size_bytes)}
        assert differences({"combined.csv": entry}, there) == []
        assert [one.code for one in differences({"combined.csv": entry}, {})] == ["missing"]
