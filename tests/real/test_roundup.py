"""The whole system on a third-party application: every field of every issue, from the spec only.

Prints the score (``pytest -s``), as ``make real`` does.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from shared.host.services import run_embedded
from shared.settings import Settings
from tests.real.apps.app import Record, Truth
from tests.real.apps.collect import collect_cells, not_right
from tests.real.roundup_app import ISSUES, MISSING, cells_of, ground_truth, input_rows, roundup_tracker

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
SPEC = Path(__file__).parents[2] / "task_specs" / "roundup_issues.json"


async def test_every_field_of_every_issue_is_right(tmp_path: Path):
    issues = ground_truth()
    records = {one.name: Record(one.name.lower(), cells_of(one, json.dumps)) for one in issues}
    assert {len(one.keywords) for one in issues} == {0, 1, 2}
    assert {one.assigned_to is None for one in issues} == {True, False}
    truth = Truth(records, {name: name.lower() for name in MISSING}, list_path="", listed={})
    settings = Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state", planner="rules")
    spec = json.loads(SPEC.read_text(encoding="utf-8"))
    async with roundup_tracker(tmp_path) as url, run_embedded(settings) as client:
        cells = await collect_cells(client, spec, input_rows(url, issues), truth)
    right = Counter(one.field or "(no such issue)" for one in cells if one.verdict == "right")
    print("\n" + "\n".join([*(f"{name:<16} {count:>3} right" for name, count in right.items()), *not_right(cells)]))
    assert right == {**dict.fromkeys(next(iter(records.values())).values, ISSUES), "(no such issue)": len(MISSING)}
