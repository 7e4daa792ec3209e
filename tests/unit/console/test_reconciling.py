"""The options of `exhibit run` about a register, and the line of its summary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from services.console.commands.run.inputs import Reconciling, RunInputs, read_inputs
from services.console.exits import print_problems
from services.console.text.tally import reconciliation_line
from shared.contracts.discovery import Problem
from shared.contracts.evidence import ReconciliationCounts
from shared.errors import RunRejectedError


def read(folder: Path, reconciling: Reconciling) -> RunInputs:
    spec = folder / "spec.json"
    spec.write_text(json.dumps({"task_id": "t"}))
    return read_inputs(spec_file=spec, reconciling=reconciling)


def told(folder: Path, reconciling: Reconciling) -> list[str]:
    with pytest.raises(RunRejectedError) as rejected:
        read(folder, reconciling)
    return [problem.where for problem in rejected.value.problems]


@pytest.mark.parametrize("name", ["out.csv", "OUT.XLSX", "out.json"])
def test_the_file_is_read(tmp_path: Path, name: str):
    (tmp_path / name).write_bytes(b"data")
    assert read(tmp_path, Reconciling(tmp_path / name, "number")).register == (name, b"data")


def test_options_that_go_together_are_asked_for_together(tmp_path: Path):
    file = tmp_path / "out.csv"
    file.write_bytes(b"")
    assert told(tmp_path, Reconciling(file)) == ["--reconcile"]
    assert told(tmp_path, Reconciling(None, "number", fold_keys=True)) == ["--key", "--fold-keys"]
    assert told(tmp_path, Reconciling(tmp_path / "gone.csv")) == [str(tmp_path / "gone.csv"), "--reconcile"]
    assert told(tmp_path, Reconciling(tmp_path / "out.pdf", "number")) == [str(tmp_path / "out.pdf")]


def test_a_name_of_a_column_does_not_command_the_terminal(capsys: pytest.CaptureFixture[str]):
    print_problems([Problem(where="out.csv, column \x1b[2J", message="a\nb")], as_json=False)
    assert capsys.readouterr().err.splitlines()[1:] == ["  out.csv, column \\x1b[2J: a", "b"]


def test_the_line_tells_what_is_missing_even_if_nothing_is():
    counts = ReconciliationCounts(samples=3, rows=1, same=1, missing_there=2)
    assert reconciliation_line(counts) == "3 samples and 1 row: 0 missing here, 2 missing there, 1 same"
