"""`exhibit doctor`: what was refused for a run, from the folder in which its evidence is kept."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from typer.testing import CliRunner

from services.console.cli import app
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.refused import RefusedEvent

LATER = RefusedEvent(
    run_id="run_1",
    sample_id="A-\x1b[2J",
    event="SampleFinished",
    attempt=2,
    code="run_sealed",
    text="the run is finished",
    refused_at=datetime(2026, 3, 2, tzinfo=UTC),
    sha256="b" * 64,
    size_bytes=7,
)
EARLIER = RefusedEvent(
    run_id="run_1",
    event="PopulationClosed",
    code="population_differs",
    text="it counts 9 samples, and 1 is known",
    refused_at=datetime(2026, 3, 1, tzinfo=UTC),
    sha256="a" * 64,
    size_bytes=7,
)


def told(evidence: Path, *words: str) -> tuple[int, str]:
    ended = CliRunner().invoke(app, ["doctor", *words, "--evidence", str(evidence)])
    return ended.exit_code, ended.output


def run_with(tmp_path: Path, *refused: RefusedEvent) -> Path:
    (tmp_path / "run_1").mkdir()
    (tmp_path / "run_1" / "run.json").write_bytes(b"{}")
    below = tmp_path / ".quarantine" / "run_1"
    below.mkdir(parents=True)
    for one in refused:
        (below / f"{one.sha256}.json").write_bytes(encode_file(one))
    (below / "other.json").write_bytes(b"{")
    return tmp_path


def test_a_run_of_which_nothing_was_refused(tmp_path: Path):
    assert told(run_with(tmp_path), "run_1") == (0, "Nothing was refused for this run.\n")


def test_what_was_refused_is_told_in_its_order_and_is_only_text(tmp_path: Path):
    code, output = told(run_with(tmp_path, LATER, EARLIER), "run_1")
    assert code == 1
    assert output.splitlines()[:3] == [
        "2 events were refused:",
        "  2026-03-01 00:00:00 UTC  PopulationClosed: population_differs: it counts 9 samples, and 1 is known",
        "  2026-03-02 00:00:00 UTC  SampleFinished of A-\\x1b[2J, attempt 2: run_sealed: the run is finished",
    ]


def test_a_script_gets_all_of_it(tmp_path: Path):
    code, output = told(run_with(tmp_path, LATER, EARLIER), "run_1", "--json")
    assert (code, [one["code"] for one in json.loads(output)["refused"]]) == (1, ["population_differs", "run_sealed"])


def test_a_place_that_is_no_run_is_said(tmp_path: Path):
    (tmp_path / "run_1.zip").write_bytes(b"PK")
    for name in ("run_9", str(tmp_path / "run_1.zip")):
        assert told(tmp_path, name)[0] == 2
