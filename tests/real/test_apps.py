"""The whole system on four third-party apps of different families, with naive and with careful specs.

``make real`` runs them all and prints the score; it takes minutes, so the tests of every day only seed the apps
(`test_apps_seed.py`) and try the score (`test_apps_score.py`).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shared.host.services import run_embedded
from shared.settings import Settings
from tests.real.apps.app import NAMES, real_app
from tests.real.apps.collect import collect_app, report
from tests.real.apps.score import counts

pytestmark = pytest.mark.skipif(os.environ.get("REAL") != "all", reason="takes minutes: make real")
LEAST_RIGHT = 0.95
"""Share of the cells that a careful spec brings back right."""


@pytest.mark.parametrize("name", NAMES)
async def test_nothing_wrong_is_done_and_no_list_is_falsely_complete(name: str, tmp_path: Path):
    settings = Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state", planner="rules")
    async with real_app(name, tmp_path / "app") as app, run_embedded(settings) as client:
        outcomes = await collect_app(client, app)
    said = report(outcomes)
    print("\n" + said)
    for one in outcomes:
        assert counts(one.cells)["wrong"] == 0, said
        assert one.listed.verdict != "false", said
    careful = next(one for one in outcomes if one.care == "careful")
    assert counts(careful.cells)["right"] >= LEAST_RIGHT * len(careful.cells), said
