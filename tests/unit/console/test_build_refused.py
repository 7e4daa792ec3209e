"""`exhibit build` with rows that do not fit its task."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from services.console.cli import app


def test_what_is_wrong_with_the_rows_is_said_before_anything_starts(tmp_path: Path):
    given = ("task_specs/practice_tickets.json", "--row", "ticket_number=TCK-1", "--out", str(tmp_path / "built"))
    ended = CliRunner().invoke(app, ["build", *given], catch_exceptions=False)
    assert ended.exit_code == 2
    assert "it has no url" in ended.stderr
    assert not (tmp_path / "built").exists()
