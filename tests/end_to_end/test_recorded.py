"""One complete run of each task family with recorded answers: the real SDK, browser, bus and sites; no model.

The answers are true decisions about exactly these prompts (tests/recordings/planner/README.md), so they are replayed
only if the prompt is the same. The results are compared with the ground truth of the practice sites.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from practice.families import FAMILIES
from scripts.families import play_family, report
from shared.testing.cassette import Cassette
from shared.testing.settings import isolated_settings

RECORDINGS = Path(__file__).parents[1] / "recordings" / "planner" / "families"


def recording_of(name: str) -> Path:
    return RECORDINGS / f"{name.replace(' ', '_')}.json"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
async def test_recorded_decisions_come_to_what_the_site_holds(family, tmp_path: Path):
    cassette = Cassette.read(recording_of(family.name))
    settings = isolated_settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state", nats_url=None)
    outcome, player = await play_family(family, cassette, settings)
    assert player.unexpected == []
    assert player.left("decide") == player.left("answer") == 0
    assert outcome.score.wrong == (), report(family, outcome)
    assert outcome.finished.llm_calls == sum(player.played.values())
    check_evidence(Path(outcome.finished.location), judged=any("judgment" in one for one in outcome.score.cells))


def check_evidence(run: Path, *, judged: bool) -> None:
    """Every step says why; every judgment rests on files that are there."""
    for log in run.glob("*/action_log.json"):
        steps = json.loads(log.read_text(encoding="utf-8"))
        assert all(step["thinking"] for step in steps if step["action"] != "none"), log
        result = json.loads((log.parent / "result.json").read_text(encoding="utf-8"))
        assert sum(step["usage"]["llm_calls"] for step in steps) <= result["llm_calls"]
        if judged:
            refs = result["judgment"]["evidence_refs"]
            assert refs
            assert all((log.parent / ref).is_file() for ref in refs)
