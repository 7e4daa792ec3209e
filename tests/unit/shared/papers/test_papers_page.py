"""docs/papers.md: what it names is there. Its commands are run as those of the tutorial of a review."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

from services.console.commands.export.export import ExportFormat
from shared.task.spec import check_spec

PAGE = (Path(__file__).parents[4] / "docs" / "papers.md").read_text(encoding="utf-8")


def test_it_names_every_format_and_no_other():
    (table,) = re.findall(r"\| format \|.*?\n\n", PAGE, re.DOTALL)
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(get_args(ExportFormat))
    assert set(re.findall(r"--format (\w+)", PAGE)) <= set(get_args(ExportFormat))


def test_its_controls_are_taken():
    (controls,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    written = {"task_id": "t", "goal": "g", "output_schema": {"name": "string"}, **json.loads("{" + controls + "}")}
    spec, problems = check_spec(written)
    assert problems == ()
    assert spec is not None
    assert [one.id for one in spec.controls] == ["CC6.1", "A.5.15"]
