"""Which row `exhibit try` takes, and what it says before anything starts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from services.console.cli import app
from services.console.commands.trial.chosen_row import TriedRow, choose_row
from shared.errors import RunRejectedError

SPEC: dict[str, Any] = {
    "task_id": "contracts",
    "goal": "Read it.",
    "allowed_hosts": ["contracts.example.com"],
    "input_schema": {"contract": "string", "url": "string"},
    "sample_id": "{contract}",
    "output_schema": {"contract": "string", "owner": "string"},
    "identity": {"contract": "{contract}"},
}
ROWS = "contract,url\nC-1,https://contracts.example.com/C-1\n\nC 2,https://contracts.example.com/C-2\n,ftp://x\n"


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    (tmp_path / "contracts.json").write_text(json.dumps(SPEC))
    (tmp_path / "contracts.csv").write_text(ROWS)
    return tmp_path / "contracts.json"


def chosen(spec: Path, file: Path | None = None, **more: Any) -> TriedRow:
    return choose_row(spec, file, **{"row": None, "named": None, "planner": None, "keeps": False, **more})


def problems(spec: Path, file: Path | None = None, **more: Any) -> set[str]:
    with pytest.raises(RunRejectedError) as refused:
        chosen(spec, file, **more)
    return {problem.where for problem in refused.value.problems}


def test_the_first_row_of_the_file_beside_the_spec_is_taken(spec: Path):
    row = chosen(spec)
    assert (row.file, row.sample.row, row.sample.key, row.sample.sample_id) == ("contracts.csv", 1, "C-1", "C-1")


def test_a_row_is_named_by_its_number_as_results_have_it_or_by_its_id_or_its_key(spec: Path):
    second = chosen(spec, row=3)
    assert (second.sample.row, second.sample.key) == (3, "C 2")
    assert chosen(spec, named="C 2") == second
    assert chosen(spec, named=second.sample.sample_id) == second


def test_problems_of_other_rows_do_not_count_and_all_of_this_one_are_told_at_once(spec: Path):
    assert problems(spec, row=4, planner="nobody") == {"row 4", "row 4, column contract", "planner"}


def test_a_row_that_is_not_there_is_told_with_those_that_are(spec: Path):
    assert problems(spec, row=2) == {"--row 2"}  # it is blank
    assert problems(spec, named="C-9") == {"--id C-9"}


def test_problems_of_spec_and_row_are_told_together(spec: Path):
    spec.write_text(json.dumps({**SPEC, "goal": 1, "max_steps": 0}))
    assert problems(spec, row=4) >= {"spec.goal", "spec.max_steps", "row 4, column contract"}


def test_without_a_file_of_rows_it_says_which_one_is_looked_for(spec: Path, tmp_path: Path):
    (tmp_path / "contracts.csv").unlink()
    assert problems(spec) == {"--input"}
    assert problems(spec, tmp_path / "gone.csv") == {str(tmp_path / "gone.csv")}
    spec.write_text("{")
    assert problems(spec) == {f"{spec}, line 1, column 2"}


def test_what_is_pressed_once_is_tried_only_where_evidence_is_kept(spec: Path):
    spec.write_text(json.dumps({**SPEC, "route": [{"press": "Submit", "irreversible": True}]}))
    assert problems(spec) == {"spec.route"}
    assert chosen(spec, keeps=True).sample.key == "C-1"


def test_the_command_starts_nothing_and_ends_with_2(spec: Path):
    ended = CliRunner().invoke(app, ["try", str(spec), "--row", "9", "--json"])
    assert ended.exit_code == 2
    assert "--row 9" in ended.output
