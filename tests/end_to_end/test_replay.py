"""A run, and its replay on the same site, on a changed one, and on one with another value."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from practice.tickets.data import ground_truth
from tests.end_to_end.conftest import ROOT, Cli

SPEC = ROOT / "task_specs/practice_tickets.json"
STOP_BOUND_S = 30


@contextmanager
def site(*options: str, drift: str = "") -> Generator[str]:
    command = [sys.executable, "-m", "practice.tickets", "--latency-ms", "0", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={"PRACTICE_DRIFT": drift}, cwd=ROOT
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.wait(STOP_BOUND_S)


def port_of(url: str) -> str:
    return url.rpartition(":")[2]


@pytest.fixture
def ran(online: Cli) -> tuple[str, str, list[str]]:
    """The id of a run of three tickets, the port of its site, which is gone by now, and the tickets."""
    numbers = [ticket.number for ticket in ground_truth() if ticket.assignee][:2]
    with site() as url:
        rows = online.folder / "in.csv"
        lines = ["ticket_number,url", *(f"{n},{url}/tickets/{n}" for n in (*numbers, "TCK-9001"))]
        rows.write_text("\n".join(lines) + "\n")
        ended = online.run("run", str(SPEC), "--input", str(rows), "--json")
    return json.loads(ended.stdout)["run_id"], port_of(url), numbers


def replay(cli: Cli, run_id: str, *options: str, code: int = 0) -> dict[str, Any]:
    ended = cli.run("replay", run_id, "--json", *options)
    assert ended.returncode == code, ended.stdout + ended.stderr
    return json.loads(ended.stdout)


def test_a_run_is_replayed_without_a_model_and_what_differs_is_named(online: Cli, ran: tuple[str, str, list[str]]):
    run_id, port, numbers = ran
    with site("--port", port):
        again = replay(online, run_id)
    assert (again["same"], again["left_out"]) == (True, [])
    assert [(s["sample_id"], s["now"], s["differences"]) for s in again["samples"]] == [
        (numbers[0], "done", []), (numbers[1], "done", []), ("TCK-9001", "failed (not found)", []),
    ]  # fmt: skip
    assert {s["llm_calls"] for s in again["samples"]} == {0}
    result = json.loads((Path(again["location"]) / numbers[0] / "result.json").read_text())
    assert (result["status"], result["decided_by"], result["llm_calls"]) == ("done", "replay", 0)

    with site("--port", port, drift="rename"):
        renamed = replay(online, run_id, "--sample", numbers[0], code=1)
    [first] = renamed["samples"]
    assert first["now"] == "needs review (replay differs)"
    assert any("value of assignee" in line and line.endswith("now not found") for line in first["differences"])

    with site("--port", port, "--seed", "8"):
        other = online.run("replay", run_id, "--sample", numbers[0])
    assert other.returncode == 1
    assert "value of" in other.stdout
    assert "1 sample of" in other.stdout
