"""`exhibit ask` as a user runs it: with recorded model answers, and without a key."""

from __future__ import annotations

import json

from tests.end_to_end.conftest import Cli
from tests.end_to_end.task_model import task_model

SPEC = {
    "task_id": "acme_members",
    "goal": "Read the profile.",
    "start_url": "https://host.example/{username}",
    "input_schema": {"username": "string"},
    "output_schema": {"name": "string"},
}


def test_a_task_is_drafted_shown_and_saved_and_nothing_is_run(cli: Cli):
    words = ["Go", "to", "https://host.example", "and", "get", "all", "names"]
    with task_model(
        {"spec": SPEC, "explanation": "Reads each name.", "open_questions": ["Former members too?"]}
    ) as url:
        cli.env.update({"ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": url})
        ended = cli.run("ask", *words, "--out", str(cli.folder))
        assert ended.returncode == 0, ended.stderr
        for shown in (
            "Reads each name.",
            "acme_members.json",
            "Former members too?",
            "nothing was run",
            "exhibit run ",
        ):
            assert shown in ended.stdout
        written = cli.folder / "acme_members.json"
        assert json.loads(written.read_text())["start_url"] == SPEC["start_url"]
        assert cli.run("validate", str(written)).returncode == 0

        again = cli.run("ask", *words, "--out", str(cli.folder))
        assert (again.returncode, "--force" in again.stderr) == (2, True)
        forced = cli.run("ask", *words, "--out", str(cli.folder), "--force", "--json")
        assert json.loads(forced.stdout)["files"] == [str(written)]


def test_it_runs_what_it_drafted_when_told_to(cli: Cli, tickets_url: str):
    spec = {
        **SPEC,
        "task_id": "drafted_tickets",
        "start_url": f"{tickets_url}/tickets/{{number}}",
        "input_schema": {"number": "string"},
        "sample_id": "{number}",
        "output_schema": {
            "ticket_number": "string",
            "assignee": {"type": "string | null", "not_present": ["Unassigned"]},
        },
        "identity": {"ticket_number": "{number}"},
    }
    rows = [{"number": "TCK-1001"}, {"number": "TCK-1002"}]
    with task_model({"spec": spec, "explanation": "Reads two tickets.", "samples": rows}) as url:
        cli.env.update({"ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": url, "EXHIBIT_PLANNER": "rules"})
        asks = ("ask", "Get", "the", "assignees", "of", "two", "tickets", "at", tickets_url, "--out", str(cli.folder))
        ended = cli.run(*asks, "--run", "--evidence", str(cli.folder / "evidence"))
    assert ended.returncode == 0, ended.stderr
    assert "2 samples: 2 done" in ended.stdout
    assert (cli.folder / "drafted_tickets.csv").read_text().splitlines() == ["number", "TCK-1001", "TCK-1002"]


def test_without_a_key_it_says_what_to_do(cli: Cli):
    cli.env.pop("ANTHROPIC_API_KEY", None)
    ended = cli.run("ask", "Go to https://host.example and get all names", "--out", str(cli.folder))
    assert ended.returncode == 3
    assert "set ANTHROPIC_API_KEY" in ended.stderr
    assert list(cli.folder.glob("*.json")) == []
