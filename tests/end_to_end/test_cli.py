"""`exhibit` as users and scripts run it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from getpass import getuser
from pathlib import Path

import pytest

from practice.tickets.data import ground_truth
from tests.end_to_end.conftest import ROOT, Cli, descendants, gone
from tests.shared_pipe import SharedPipe

SPEC = str(ROOT / "task_specs/practice_tickets.json")


def write_rows(path: Path, url: str, numbers: list[str]) -> str:
    lines = ["ticket_number,url", *(f"{n},{url}/tickets/{n}" for n in numbers)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def check_spans(path: Path, number: str) -> None:
    """From the discovery of a sample to its evidence it is one trace, which is linked to that of the request."""
    spans = [json.loads(line) for line in path.read_text().splitlines()]
    by_id = {span["context"]["span_id"]: span for span in spans}
    finished = "exhibit.v1.evt.planner.sample.finished"
    filed = next(s for s in spans if s["name"] == finished and s["attributes"]["exhibit.sample"] == number)
    worked = by_id[filed["parent_id"]]
    assert worked["name"] == "exhibit.v1.cmd.planner.sample.work"
    queued = by_id[worked["parent_id"]]
    found = by_id[queued["parent_id"]]
    assert found["name"] == "publish exhibit.v1.evt.discovery.sample.found"
    assert {span["context"]["trace_id"] for span in (filed, worked, queued, found)} == {filed["context"]["trace_id"]}
    assert by_id[found["links"][0]["context"]["span_id"]]["name"] == "exhibit.v1.ask.discovery.run.submit"
    assert any(s["name"].endswith("page.act") and s["parent_id"] == worked["context"]["span_id"] for s in spans)


def test_run_prints_a_summary_a_script_can_read_and_exits_with_a_meaning(cli: Cli, tickets_url: str):
    numbers = [ticket.number for ticket in ground_truth()[:3]]
    samples = write_rows(cli.folder / "in.csv", tickets_url, [*numbers, "TCK-9001"])
    evidence = str(cli.folder / "evidence")

    cli.env["EXHIBIT_TRACE_FILE"] = str(cli.folder / "spans.jsonl")
    ended = cli.run("run", SPEC, "--input", samples, "--evidence", evidence, "--json")
    assert ended.returncode == 1, ended.stderr
    finished = json.loads(ended.stdout)
    check_spans(cli.folder / "spans.jsonl", numbers[0])
    assert finished["samples"] == 4
    assert Path(finished["table"]).exists()

    asked = json.loads((Path(finished["location"]) / "run.json").read_text(encoding="utf-8"))
    assert asked["record"]["requested_by"] == getuser()
    ended = cli.run("run", "--resume", finished["run_id"], "--evidence", evidence)
    assert ended.returncode == 1
    assert ended.stdout.splitlines()[-1] == "4 samples: 3 done, 1 failed (not found)"
    assert "TCK-9001" in ended.stdout


def test_run_warns_of_a_task_that_does_not_prove_whose_record_a_page_shows(cli: Cli, tickets_url: str):
    spec, samples = cli.folder / "spec.json", write_rows(cli.folder / "in.csv", tickets_url, ["TCK-1001"])
    options = ["--input", samples, "--evidence", str(cli.folder / "evidence")]
    task = {**json.loads(Path(SPEC).read_text(encoding="utf-8")), "required_artifacts": []}
    for identity, warned in (({}, 1), (task["identity"], 0)):
        spec.write_text(json.dumps({**task, "identity": identity}), encoding="utf-8")
        ended = cli.run("run", str(spec), *options)
        assert ended.returncode == 0, ended.stderr
        assert ended.stderr.count("warning: spec.identity: no field proves") == warned


@pytest.mark.parametrize(
    ("spec", "rows", "words"),
    [
        ("{", "a\n1\n", ["not JSON", "line 1"]),
        ('{"task_id":"t","goal":"g","output_schema":{"a":"text"},"x":1}', "a\n1\n", ["spec.output_schema.a", "spec.x"]),
        (None, "", ["empty"]),
        (None, "ticket_number\nTCK-1\n", ["url"]),
        (None, "ticket_number,url\nT,http://127.0.0.1/1\nT,http://127.0.0.1/2\n", ["T"]),
    ],
)
def test_bad_input_is_said_before_anything_starts(cli: Cli, spec: str | None, rows: str, words: list[str]):
    path, samples = cli.folder / "spec.json", cli.folder / "in.csv"
    path.write_text(Path(SPEC).read_text() if spec is None else spec)
    samples.write_text(rows)
    ended = cli.run("run", str(path), "--input", str(samples), "--evidence", str(cli.folder / "evidence"))
    assert ended.returncode == 2
    for word in words:
        assert word in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (cli.folder / "evidence").exists() or not list((cli.folder / "evidence").glob("run_*"))


def test_missing_files_are_all_named_at_once(cli: Cli):
    ended = cli.run("run", "no-spec.json", "--input", "no-input.csv")
    assert ended.returncode == 2
    assert "no-spec.json: no such file" in ended.stderr
    assert "no-input.csv: no such file" in ended.stderr


def test_a_run_that_is_named_needs_no_input_and_says_so(cli: Cli):
    """As one does who adds --resume to the command that was cut off."""
    samples = cli.folder / "list.csv"
    samples.write_text("a\n1\n")
    asked = cli.run("run", "task_specs/practice_tickets.json", "--input", str(samples), "--resume", "run_1")
    assert (asked.returncode, "--resume: run_1 goes on with its own samples: leave --input" in asked.stderr) == (
        2,
        True,
    )


def test_a_bus_that_is_not_there_is_said(cli: Cli):
    samples = write_rows(cli.folder / "in.csv", "http://127.0.0.1", ["TCK-1"])
    ended = cli.run("run", SPEC, "--input", samples, "--nats", "nats://127.0.0.1:1")
    assert ended.returncode == 3
    assert "no NATS server answers at nats://127.0.0.1:1" in ended.stderr


def test_evidence_that_cannot_be_kept_is_said_before_anything_starts(cli: Cli):
    samples = write_rows(cli.folder / "in.csv", "http://127.0.0.1", ["TCK-1"])
    (cli.folder / "file").touch()
    ended = cli.run("run", SPEC, "--input", samples, "--evidence", str(cli.folder / "file"))
    assert ended.returncode == 3
    assert "evidence cannot be kept in" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("name", "value"), [("EXHIBIT_LOG_LEVEL", "loud"), ("EXHIBIT_PLANNER", "oracle"), ("EXHIBIT_CHROMIUM", "/no/such")]
)
def test_a_setting_that_is_wrong_is_named(cli: Cli, name: str, value: str):
    cli.env[name] = value
    ended = cli.run("run", SPEC)
    assert ended.returncode == 2
    assert name.removeprefix("EXHIBIT_").lower() in ended.stderr
    assert "Traceback" not in ended.stderr


def test_validate(cli: Cli):
    ended = cli.run("validate", SPEC)
    assert ended.returncode == 0
    assert "practice_tickets" in ended.stdout
    assert ended.stderr == ""
    bad = cli.folder / "bad.json"
    bad.write_text('{"task_id": "T!", "output_schema": {}}')
    ended = cli.run("validate", str(bad), "--json")
    assert ended.returncode == 2
    assert {"spec.task_id", "spec.goal"} <= {problem["where"] for problem in json.loads(ended.stdout)["problems"]}


def test_validate_warns_of_a_task_that_does_not_prove_whose_record_a_page_shows(cli: Cli):
    fields = {"owner": "string", "team": "string | null"}
    spec = {"task_id": "owners", "goal": "the owner", "start_url": "{url}", "output_schema": fields}
    path = cli.folder / "spec.json"
    path.write_text(json.dumps(spec))
    told = cli.run("validate", str(path))
    assert (told.returncode, "a valid task spec, owners: owner (string), team (string | null)" in told.stdout) == (
        0,
        True,
    )
    assert "warning: spec.identity: " in told.stderr
    asked = json.loads(cli.run("validate", str(path), "--json").stdout)
    assert ([one["where"] for one in asked["warnings"]], asked["problems"]) == (["spec.identity"], [])


def test_observe_prints_what_a_planner_sees(cli: Cli, tickets_url: str):
    ticket = ground_truth()[0]
    ended = cli.run("observe", f"{tickets_url}/tickets/{ticket.number}")
    assert ended.returncode == 0, ended.stderr
    for text in (ticket.number, "Assignee", "[button]", "elements", "tokens"):
        assert text in ended.stdout
    ended = cli.run("observe", f"{tickets_url}/tickets/{ticket.number}", "--json")
    page = json.loads(ended.stdout)
    assert len({element["ref"] for element in page["elements"]}) == len(page["elements"])


def test_observe_loses_nothing_in_a_pipe_that_the_browsers_driver_shares(cli: Cli, tickets_url: str):
    ticket = ground_truth()[0]
    command = [sys.executable, "-m", "services.console", "observe", f"{tickets_url}/tickets/{ticket.number}", "--json"]
    with SharedPipe(blocks=True, size_bytes=4096) as pipe:
        process = pipe.start(command, cli.env)
        pipe.wait_until_full()
        told = pipe.read().decode().splitlines()[-1]
    assert process.wait() == 0
    page = json.loads(told)
    assert ticket.number in page["text"]
    assert len(page["elements"]) > 20


def test_drive_executes_actions_and_prints_each_result(cli: Cli, tickets_url: str):
    actions = [
        {"action": "click", "target": "Reject all"},
        {"action": "observe"},
        {"action": "click", "target": {"by": "ref", "ref": 1, "snapshot_id": "of an earlier page"}},
        {"action": "screenshot", "label": "the list"},
    ]
    lines = "\n".join(json.dumps(action) for action in actions)
    ended = cli.run("drive", f"{tickets_url}/", "--json", "--out", str(cli.folder / "out"), stdin=lines)
    opened, clicked, page, stale, shot = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 1
    assert opened["ok"]
    assert clicked["ok"]
    assert page["type"] == "PageObserved"
    assert (stale["ok"], stale["code"]) == (False, "stale_ref")
    assert shot["ok"]
    assert (cli.folder / "out/04_the_list.png").read_bytes().startswith(b"\x89PNG")


def test_drive_shows_pages_and_results_to_people(cli: Cli, tickets_url: str):
    lines = """{"action": "click", "target": "Reject all"}
        {"action": "observe"}
        {"action": "screenshot", "label": "the list"}
        {"action": "clack"}"""
    shots = cli.folder / "shots"
    ended = cli.run("drive", f"{tickets_url}/", "--out", str(shots), stdin=lines)
    assert ended.returncode == 1
    assert f"{tickets_url}/\n" in ended.stdout
    assert re.search(r"^\s*\[\d+\].*Reject all", ended.stdout, re.M)
    assert f"saved {shots}/03_the_list.png" in ended.stdout
    assert "not done: line 4, clack:" in ended.stdout
    assert '{"' not in ended.stdout


def test_ctrl_c_leaves_no_browser_behind_and_the_run_can_be_resumed(cli: Cli, tickets_url: str):
    numbers = [ticket.number for ticket in ground_truth()[:40]]
    samples = write_rows(cli.folder / "in.csv", tickets_url, numbers)
    evidence = cli.folder / "evidence"
    process = cli.start("run", SPEC, "--input", samples, "--evidence", str(evidence), "--concurrency", "2")
    while process.poll() is None and not list(evidence.glob("run_*/*/result.json")):
        pass
    family = descendants(process.pid)
    assert family
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert gone(family)
    assert "Traceback" not in err
    (run,) = evidence.glob("run_*")
    assert f"exhibit run --resume {run.name}" in err

    ended = cli.run("run", "--resume", run.name, "--evidence", str(evidence))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1] == "40 samples: 40 done"


def test_kill_9_leaves_no_process_behind(cli: Cli, tickets_url: str):
    numbers = [ticket.number for ticket in ground_truth()[:40]]
    samples = write_rows(cli.folder / "in.csv", tickets_url, numbers)
    evidence = cli.folder / "evidence"
    process = cli.start("run", SPEC, "--input", samples, "--evidence", str(evidence))
    while process.poll() is None and not list(evidence.glob("run_*/*/result.json")):
        pass
    family = descendants(process.pid)
    process.kill()
    process.communicate(timeout=60)
    assert gone(family)


def test_the_sources_of_workflows_are_checked(cli: Cli):
    good, bad = cli.folder / "count_words.py", cli.folder / "list.py"
    documented = '    """Count.\n\n    Args:\n        text: it\n\n    Returns:\n        int\n    """'
    good.write_text(f"def run(text: str) -> int:\n{documented}\n    return len(text)\n")
    bad.write_text("def run(url):\n    try:\n        return tools.fetch(url=url)\n    except:\n        return {}\n")
    ended = cli.run("workflows", "lint", str(good), str(bad))
    assert ended.returncode == 1
    assert f"{bad}: error reserved_name" in ended.stdout
    assert f"{bad}:4: error bare_except" in ended.stdout
    listed = json.loads(cli.run("workflows", "lint", str(good), "--json").stdout)["workflows"]
    assert [one["severity"] for one in listed[0]["findings"]] == ["advice"]
    unread = cli.run("workflows", "lint", str(cli.folder / "none.py"))
    assert (unread.returncode, "none.py: No such file" in unread.stderr) == (2, True)


def test_ctrl_c_while_the_program_is_loaded_leaves_no_traceback():
    pressed = """
import sys

class Pressed:
    def find_spec(self, name, *_):
        if name == "services.console.cli":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Pressed())
from services.console.__main__ import main
main()
"""
    ended = subprocess.run([sys.executable, "-c", pressed], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (130, "")
