"""`exhibit workflows`: names that a shell completes, and what is wrong with arguments, told before anything starts."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from services.console.cli import app


@pytest.fixture(autouse=True)
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EXHIBIT_WORKFLOWS_DIR", str(tmp_path))
    for name in ("count_words", "count_lines", "fetch", "_draft"):
        (tmp_path / f"{name}.py").touch()
    return tmp_path


def test_names_are_completed_by_the_shell():
    asked = {"_EXHIBIT_COMPLETE": "complete_bash", "COMP_WORDS": "exhibit workflows run count", "COMP_CWORD": "3"}
    told = CliRunner().invoke(app, [], prog_name="exhibit", env=asked)
    assert told.stdout.split() == ["count_lines", "count_words"]


def test_bad_arguments_are_told_all_at_once():
    given = ("[1]", "--arg", "novalue", "--arg", "a=1", "--arg", "a=2")
    ended = CliRunner().invoke(app, ["workflows", "run", "any", *given])
    assert ended.exit_code == 2
    assert "3 problems" in ended.stderr
    assert "'novalue' is not of the form name=value" in ended.stderr
    assert "a is given twice" in ended.stderr


def test_a_source_that_is_not_there_is_told(library: Path):
    missing = CliRunner().invoke(app, ["workflows", "create", str(library / "nothing.py")])
    assert missing.exit_code == 2
    assert "nothing.py" in missing.stderr
