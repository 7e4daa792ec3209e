"""`exhibit --version`."""

from __future__ import annotations

import tomllib
from pathlib import Path

from typer.testing import CliRunner

from services.console.cli import app


def test_it_is_that_of_the_project():
    told = CliRunner().invoke(app, ["--version"])
    version = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert (told.exit_code, told.output) == (0, f"exhibit {version}\n")
    assert CliRunner().invoke(app, []).output.count("--version") == 1
