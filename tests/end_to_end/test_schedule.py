"""`exhibit schedule`: a task is run again by services at work, and compared with the run before."""

from __future__ import annotations

import json

from tests.end_to_end.conftest import ROOT, Cli
from tests.end_to_end.tickets import FULL, rows

SPEC = ROOT / "task_specs/practice_tickets.json"


def test_each_run_of_a_schedule_is_compared_with_the_one_before(online: Cli, tickets_url: str):
    given = online.folder / "rows.csv"
    of_file = rows(tickets_url, FULL[:2])
    given.write_text("\n".join(["ticket_number,url", *(",".join(one.values()) for one in of_file)]) + "\n")
    refused = online.run("schedule", "add", str(SPEC), "--input", str(given), "--every", "monthly", "--name", "a b")
    assert refused.returncode == 2
    assert all(word in refused.stderr for word in ("every", "name"))
    options = ("--planner", "rules", "--mode", "agent", "--every", "0 6 1 * *", "--time-zone", "Europe/Berlin")
    added = online.run("schedule", "add", str(SPEC), "--input", str(given), "--name", "monthly", *options)
    assert added.returncode == 0, added.stderr
    assert "(Europe/Berlin), next " in added.stdout

    runs = [_run_now(online) for _ in range(2)]
    shown = online.run("schedule", "show", "monthly")
    assert shown.returncode == 0, shown.stderr
    assert f"{runs[1]}, 2 samples: 2 done; the same as {runs[0]}" in shown.stdout
    told = json.loads(online.run("schedule", "show", "monthly", "--json").stdout)
    assert [(one["run_a"], one["run_b"], one["counts"]["same"]) for one in told["comparisons"]] == [(*runs, 2)]
    assert "monthly" in online.run("schedule", "list").stdout

    assert online.run("schedule", "remove", "monthly").returncode == 0
    assert online.run("schedule", "show", "monthly").returncode == 2


def _run_now(cli: Cli) -> str:
    requested = cli.run("schedule", "run", "monthly", "--json")
    assert requested.returncode == 0, requested.stderr
    run_id = json.loads(requested.stdout)["runs"][-1]["run_id"]
    assert cli.run("runs", "events", run_id, "--follow").returncode == 0
    return run_id
