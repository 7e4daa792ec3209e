"""Runs of an earlier version, with what it answered about them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "fixtures" / "earlier_runs"
RUNS = ("resumed", "replayed", "judged", "submitted")


def answers(name: str, of: str) -> Any:
    with zipfile.ZipFile(FOLDER / "answers.zip") as file:
        return json.loads(file.read(f"{name}.{of}.json"))


def unpack(name: str, folder: Path) -> Path:
    """Return the run's folder, in a folder of runs."""
    run_id = answers(name, "reperform")["run_id"]
    run = folder / run_id
    with zipfile.ZipFile(FOLDER / f"{name}.zip") as file:
        names = file.namelist()
        file.extractall(run if all(not one.startswith(f"{run_id}/") for one in names) else folder)
    assert (run / "run.json").is_file()
    return run
