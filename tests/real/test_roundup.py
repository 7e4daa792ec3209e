"""The whole system on a third-party application: every field of every issue, from the spec only.

Prints the score (``pytest -s``), as ``make real`` does.
"""

from __future__ import annotations

import json
from pathlib import Path

from shared.client import Client
from shared.contracts.evidence import RunFinished
from shared.host.services import run_embedded
from shared.settings import Settings
from tests.real.roundup_app import ground_truth, input_rows, roundup_tracker
from tests.real.score import report, score

SPEC = Path(__file__).parents[2] / "task_specs" / "roundup_issues.json"


async def test_every_field_of_every_issue_is_right(tmp_path: Path):
    settings = Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state", planner="rules")
    async with roundup_tracker(tmp_path) as url, run_embedded(settings) as client:
        finished = await _run(client, url)
    result = score(Path(finished.table), ground_truth())
    print("\n" + report(result))
    assert finished.llm_calls == 0
    assert {(one.status, one.reason): one.samples for one in finished.outcomes} == {
        ("done", ""): 60,
        ("failed", "not_found"): 2,
    }
    assert result.perfect, report(result)


async def _run(client: Client, url: str) -> RunFinished:
    spec = json.loads(SPEC.read_text(encoding="utf-8"))
    accepted = await client.submit(spec=spec, rows=input_rows(url, ground_truth()))
    return await client.result(accepted.run_id)
