"""One task worked out by a model and saved, or composed of what the library has; another one that finds it: answers
that were recorded, and no model.

See tests/recordings/planner/README.md.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import practice.people.server
from practice.people import demo
from practice.people.data import ground_truth
from scripts.workflow_runs import chosen_rows, play_both, run_composed
from shared.contracts.evidence import RunFinished
from shared.testing.cassette import Cassette
from shared.testing.settings import library_settings

RECORDINGS = Path(__file__).parents[1] / "recordings" / "planner"


def rows_of(finished: RunFinished) -> list[dict[str, str]]:
    with Path(finished.table).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def truth(rows: list[dict[str, str]]) -> list[tuple[str, ...]]:
    everybody = ground_truth()
    cells = [demo.expected_cells(everybody, row, "") for row in rows]
    return [("done", one["name"], one["current_company"], one["tenure"]) for one in cells]


def told(finished: RunFinished) -> list[tuple[str, ...]]:
    return [(row["status"], row["name"], row["current_company"], row["tenure"]) for row in rows_of(finished)]


def logs_of(finished: RunFinished) -> list[list[dict[str, Any]]]:
    paths = sorted(Path(finished.location).glob("*/action_log.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


async def test_the_second_task_is_done_by_what_the_first_has_saved(tmp_path: Path):
    settings = library_settings(tmp_path)
    async with practice.people.server.serve() as site:
        runs, player = await play_both(Cassette.read(RECORDINGS / "workflow_runs.json"), settings, site)
    assert player.unexpected == []
    rows = chosen_rows()
    assert told(runs.first) == truth(rows[:1])
    assert sorted(told(runs.second)) == sorted(truth(rows[1:]))

    (saved,) = runs.library
    assert (saved.author, saved.source_run) == (settings.model, runs.first.run_id)
    assert (tmp_path / "workflows" / f"{saved.name}.py").is_file()
    result = json.loads(next(Path(runs.first.location).glob("*/result.json")).read_text(encoding="utf-8"))
    assert any(saved.name in note["text"] for note in result["notes"])

    decisions = sum(count for key, count in player.played.items() if key.startswith("decide"))
    assert sum(key.startswith("decide") for key in player.played) == 1  # only the first sample was decided by the model
    assert player.played["choose_workflow"] == 1
    assert player.played["save_workflow"] >= 1
    assert runs.first.llm_calls == decisions + player.played["save_workflow"]
    assert runs.second.llm_calls == 1  # the choice, for all of its samples
    logs = logs_of(runs.second)
    assert len(logs) == len(rows) - 1
    for log in logs:
        assert [entry["action"] for entry in log] == ["use_workflow", "screenshot", "done"]
        assert (log[0]["params"]["name"], log[0]["params"]["hash"]) == (saved.name, saved.hash)
        assert log[0]["workflow"]["value"]


async def test_two_workflows_of_the_library_are_composed_into_one_that_does_both_tasks(tmp_path: Path):
    settings = library_settings(tmp_path)
    cassette = Cassette.read(RECORDINGS / "composed_workflows.json")
    async with practice.people.server.serve() as site:
        runs, player = await play_both(cassette, settings, site, run_composed)
    assert player.unexpected == []
    assert player.played == {"choose_workflow": 2}  # nobody decides on a sample
    rows = chosen_rows()
    assert sorted(told(runs.first)) == sorted(truth(rows[:2]))
    assert sorted(told(runs.second)) == sorted(truth(rows[2:]))
    assert (runs.first.llm_calls, runs.second.llm_calls) == (1, 1)

    (composed,) = (one for one in runs.library if one.author == settings.model)
    assert composed.source_run == runs.first.run_id
    parts = {one.name for one in runs.library if one.author == "people"}
    assert len(parts) == 2
    logs = [*logs_of(runs.first), *logs_of(runs.second)]
    assert len(logs) == len(rows)
    for log in logs:
        assert [entry["action"] for entry in log] == ["use_workflow", "screenshot", "done"]
        assert (log[0]["params"]["name"], log[0]["params"]["hash"]) == (composed.name, composed.hash)
        assert {one["name"] for one in log[0]["workflow"]["used"]} == {composed.name, *parts}
