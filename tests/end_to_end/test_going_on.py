"""A killed command resumes its run in the same folder, and never starts a second one silently."""

from __future__ import annotations

import csv
import json
import os
import signal
import time
from pathlib import Path

from practice.tickets.data import ground_truth
from tests.end_to_end.conftest import Cli

SPEC = "task_specs/practice_tickets.json"
SAMPLES = 12
BOUND_S = 90.0


def input_file(folder: Path, url: str, numbers: list[str]) -> Path:
    path = folder / "samples.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["ticket_number", "url"])
        writer.writerows([number, f"{url}/tickets/{number}"] for number in numbers)
    return path


def results(evidence: Path) -> dict[str, bytes]:
    return {str(path.relative_to(evidence)): path.read_bytes() for path in evidence.glob("run_*/*/result.json")}


def killed_after(cli: Cli, arguments: tuple[str, ...], evidence: Path, wanted: int) -> dict[str, bytes]:
    """The command, killed with all its children once so many samples have a result; these results."""
    process = cli.start(*arguments)
    end = time.monotonic() + BOUND_S
    while len(results(evidence)) < wanted:
        assert process.poll() is None
        assert time.monotonic() < end
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return results(evidence)


def test_a_killed_command_goes_on_at_the_next_sample_in_the_same_folder(cli: Cli, tickets_url: str, tmp_path: Path):
    numbers = [ticket.number for ticket in ground_truth()[:SAMPLES]]
    samples, evidence = input_file(tmp_path, tickets_url, [*numbers[:-1], "TCK-0"]), tmp_path / "evidence"
    arguments = ("run", SPEC, "--input", str(samples), "--evidence", str(evidence), "--concurrency", "2")
    before = killed_after(cli, arguments, evidence, 4)
    assert 4 <= len(before) < SAMPLES
    [run] = evidence.glob("run_*")

    resumed = cli.run(*arguments, "--resume", "last", "--json")
    assert f"going on with {run.name}" in resumed.stderr
    finished = json.loads(resumed.stdout)
    assert (finished["run_id"], finished["samples"]) == (run.name, SAMPLES)
    assert {outcome["status"]: outcome["samples"] for outcome in finished["outcomes"]} == {
        "done": SAMPLES - 1,
        "failed": 1,
    }
    assert [path.name for path in evidence.glob("run_*")] == [run.name]
    after = results(evidence)
    assert {name: after[name] for name in before} == before, "what was done is not done again"
    with (run / "combined.csv").open(newline="") as file:
        assert sorted(row["sample_id"] for row in csv.DictReader(file)) == sorted([*numbers[:-1], "TCK-0"])

    failed = (run / "TCK-0" / "result.json").read_bytes()
    again = json.loads(cli.run("run", "--resume", run.name, "--evidence", str(evidence), "--json").stdout)
    assert again["run_id"] == run.name
    assert (run / "TCK-0" / "result.json").read_bytes() != failed
    aside = sorted((run / "TCK-0").glob("attempt_*/result.json"))
    assert failed in [path.read_bytes() for path in aside], "an attempt is added, none is overwritten"


def test_a_second_run_of_the_same_input_is_not_begun_in_silence(cli: Cli, tickets_url: str, tmp_path: Path):
    numbers = [ticket.number for ticket in ground_truth()[:6]]
    samples, evidence = input_file(tmp_path, tickets_url, numbers), tmp_path / "evidence"
    arguments = ("run", SPEC, "--input", str(samples), "--evidence", str(evidence), "--concurrency", "1", "--json")
    nothing = cli.run(*arguments, "--resume", "last")
    assert (nothing.returncode, "no unfinished run of" in nothing.stdout) == (2, True)
    killed_after(cli, arguments, evidence, 1)
    [first] = evidence.glob("run_*")

    second = cli.run(*arguments)
    assert f"exhibit: {first.name} (6 samples), of the same task and the same input, is not finished" in second.stderr
    assert f"--resume {first.name}" in second.stderr
    assert json.loads(second.stdout)["run_id"] != first.name

    third = cli.run(*arguments, "--resume", "last")
    assert json.loads(third.stdout)["run_id"] == first.name, "the second is finished"
    fourth = cli.run(*arguments)
    assert "is not finished" not in fourth.stderr
