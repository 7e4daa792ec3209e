"""`exhibit` as users and scripts run it: in this process, but for what only a process can show."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from getpass import getuser
from pathlib import Path

from practice.tickets.data import ground_truth
from tests.end_to_end.conftest import ROOT, Cli, System, descendants, gone
from tests.end_to_end.held_site import HeldSite, owners_in, run_with_result
from tests.end_to_end.owner_tasks import write_owner_task
from tests.processes import family_with
from tests.shared_pipe import SharedPipe

SPEC = str(ROOT / "task_specs/practice_tickets.json")
TICKET = ground_truth()[0]


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


def test_run_alone_prints_json_for_a_script_and_traces_itself(cli: Cli, tickets_url: str):
    samples = write_rows(cli.folder / "in.csv", tickets_url, [TICKET.number, "TCK-9001"])
    cli.env["EXHIBIT_TRACE_FILE"] = str(cli.folder / "spans.jsonl")
    ended = cli.run("run", SPEC, "--input", samples, "--evidence", str(cli.folder / "evidence"), "--json")
    assert ended.returncode == 1, ended.stderr
    assert "warning" not in ended.stderr
    finished = json.loads(ended.stdout)
    check_spans(cli.folder / "spans.jsonl", TICKET.number)
    assert finished["samples"] == 2
    assert Path(finished["table"]).exists()
    asked = json.loads((Path(finished["location"]) / "run.json").read_text(encoding="utf-8"))
    assert asked["record"]["requested_by"] == getuser()
    assert cli.run("verify", finished["location"]).returncode == 0


def test_run_sums_up_for_people_and_warns_of_a_task_that_does_not_prove_whose_record_a_page_shows(
    online: Cli, tickets_url: str
):
    samples = write_rows(online.folder / "in.csv", tickets_url, [TICKET.number, "TCK-9001"])
    spec = online.folder / "spec.json"
    task = {**json.loads(Path(SPEC).read_text(encoding="utf-8")), "required_artifacts": [], "identity": {}}
    spec.write_text(json.dumps(task), encoding="utf-8")
    ended = online.run("run", str(spec), "--input", samples)
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout.splitlines()[-1] == "2 samples: 1 done, 1 failed (not found)"
    assert "TCK-9001" in ended.stdout
    assert ended.stderr.count("warning: spec.identity: no field proves") == 1


def test_evidence_that_cannot_be_kept_is_said_before_anything_starts(cli: Cli):
    samples = write_rows(cli.folder / "in.csv", "http://127.0.0.1:4321", ["TCK-1"])
    (cli.folder / "file").touch()
    ended = cli.run("run", SPEC, "--input", samples, "--evidence", str(cli.folder / "file"))
    assert ended.returncode == 3, ended.stderr
    assert "evidence cannot be kept in" in ended.stderr


def test_observe_prints_what_a_planner_sees(online: Cli, tickets_url: str):
    ended = online.run("observe", f"{tickets_url}/tickets/{TICKET.number}")
    assert ended.returncode == 0, ended.stderr
    for text in (TICKET.number, "Assignee", "[button]", "elements", "tokens"):
        assert text in ended.stdout


def test_observe_loses_nothing_in_a_pipe_that_the_browsers_driver_shares(cli: Cli, tickets_url: str):
    command = [sys.executable, "-m", "services.console", "observe", f"{tickets_url}/tickets/{TICKET.number}", "--json"]
    with SharedPipe(blocks=True, size_bytes=4096) as pipe:
        process = pipe.start(command, cli.env)
        pipe.wait_until_full()
        told = pipe.read().decode().splitlines()[-1]
    assert process.wait() == 0
    page = json.loads(told)
    assert TICKET.number in page["text"]
    assert len({element["ref"] for element in page["elements"]}) == len(page["elements"]) > 20


def test_drive_executes_actions_and_prints_each_result(online: Cli, tickets_url: str):
    actions = [
        {"action": "click", "target": "Reject all"},
        {"action": "observe"},
        {"action": "click", "target": {"by": "ref", "ref": 1, "snapshot_id": "of an earlier page"}},
        {"action": "screenshot", "label": "the list"},
    ]
    lines = "\n".join(json.dumps(action) for action in actions)
    ended = online.run("drive", f"{tickets_url}/", "--json", "--out", str(online.folder / "out"), stdin=lines)
    opened, clicked, page, stale, shot = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 1
    assert opened["ok"]
    assert clicked["ok"]
    assert page["type"] == "PageObserved"
    assert (stale["ok"], stale["code"]) == (False, "stale_ref")
    assert shot["ok"]
    assert (online.folder / "out/04_the_list.png").read_bytes().startswith(b"\x89PNG")


def test_drive_shows_pages_and_results_to_people(online: Cli, tickets_url: str):
    lines = """{"action": "click", "target": "Reject all"}
        {"action": "observe"}
        {"action": "screenshot", "label": "the list"}
        {"action": "clack"}"""
    shots = online.folder / "shots"
    ended = online.run("drive", f"{tickets_url}/", "--out", str(shots), stdin=lines)
    assert ended.returncode == 1
    assert f"{tickets_url}/\n" in ended.stdout
    assert re.search(r"^\s*\[\d+\].*Reject all", ended.stdout, re.M)
    assert f"saved {shots}/03_the_list.png" in ended.stdout
    assert "not done: line 4, clack:" in ended.stdout
    assert '{"' not in ended.stdout


def test_ctrl_c_leaves_no_browser_behind_and_the_run_can_be_resumed(online: Cli, system: System):
    numbers = ["CTRL-1", "CTRL-2", "CTRL-3"]
    with HeldSite(held=numbers[1:]) as site:
        write_owner_task(online, "held", f"{site.url}/records", numbers)
        given = ("run", str(online.folder / "spec.json"), "--input", str(online.folder / "in.csv"))
        process = online.start_alone(*given, "--concurrency", "2")
        run = run_with_result(system.evidence, "CTRL-1")
        site.wait_until_asked("CTRL-2")
        family = descendants(process.pid)
        assert family
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=120)
        assert process.returncode == 130, err
        assert gone(family)
        assert "Traceback" not in err
        assert f"exhibit run --resume {run.name}" in err
        assert set(owners_in(run)) == {"CTRL-1"}

        site.let_go()
        ended = online.run("run", "--resume", run.name)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1] == "3 samples: 3 done"
    assert owners_in(run) == {number: f"Ann {number}" for number in numbers}


def test_ctrl_c_ends_the_demo_with_all_that_it_has_started(cli: Cli):
    cli.env["EXHIBIT_EVIDENCE_DIR"] = str(cli.folder / "evidence")
    process = cli.start_alone("demo")
    family = family_with(process.pid, lambda command: any("remote-debugging" in word for word in command))
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert gone(family)
    assert "Traceback" not in err
    assert out.splitlines()[-1].startswith("The demo was interrupted. Its site, bus and browser have ended")


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
