"""`exhibit validate` and `exhibit workflows lint`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from services.console.cli import app

SHIPPED = "task_specs/practice_tickets.json"
OWNERS = {
    "task_id": "owners",
    "goal": "the owner",
    "start_url": "{url}",
    "output_schema": {"owner": "string", "team": "string | null"},
}


def exhibit(*arguments: Any) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False)


def test_a_valid_spec_is_told_with_its_fields():
    ended = exhibit("validate", SHIPPED)
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert f"{SHIPPED}: a valid task spec, practice_tickets: ticket_number (string), " in ended.stdout


def test_every_problem_is_told(tmp_path: Path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"task_id": "T!", "output_schema": {}}')
    ended = exhibit("validate", bad, "--json")
    assert ended.exit_code == 2
    assert {"spec.task_id", "spec.goal"} <= {problem["where"] for problem in json.loads(ended.stdout)["problems"]}


def test_a_task_that_does_not_prove_whose_record_a_page_shows_is_warned_of(tmp_path: Path):
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(OWNERS))
    told = exhibit("validate", path)
    assert told.exit_code == 0
    assert "a valid task spec, owners: owner (string), team (string | null)" in told.stdout
    assert "warning: spec.identity: " in told.stderr
    asked = json.loads(exhibit("validate", path, "--json").stdout)
    assert ([one["where"] for one in asked["warnings"]], asked["problems"]) == (["spec.identity"], [])


def test_the_sources_of_workflows_are_checked(tmp_path: Path):
    good, bad = tmp_path / "count_words.py", tmp_path / "list.py"
    documented = '    """Count.\n\n    Args:\n        text: it\n\n    Returns:\n        int\n    """'
    good.write_text(f"def run(text: str) -> int:\n{documented}\n    return len(text)\n")
    bad.write_text("def run(url):\n    try:\n        return tools.fetch(url=url)\n    except:\n        return {}\n")
    ended = exhibit("workflows", "lint", good, bad)
    assert ended.exit_code == 1
    assert f"{bad}: error reserved_name" in ended.stdout
    assert f"{bad}:4: error bare_except" in ended.stdout
    listed = json.loads(exhibit("workflows", "lint", good, "--json").stdout)["workflows"]
    assert [one["severity"] for one in listed[0]["findings"]] == ["advice"]
    unread = exhibit("workflows", "lint", tmp_path / "none.py")
    assert (unread.exit_code, "none.py: No such file" in unread.stderr) == (2, True)
