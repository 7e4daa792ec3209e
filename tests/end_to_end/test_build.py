"""`exhibit build`: a script does what a person would type; what comes of it is checked on a row that it never saw."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from practice.tickets.data import ground_truth
from shared.contracts.workflows.build_events import CompileAsked, FlowPublished, FlowWritten, QuestionsAnswered
from shared.flows.building.folder import CompilerLine, read_events, read_log
from shared.flows.building.state import replayed
from shared.flows.workspace import read_samples, read_workspace
from shared.workflow_source.files import hash_of_version
from tests.end_to_end.conftest import Cli
from tests.end_to_end.typed_builds import SPEC, rows, typed

FIRST_ROW = [
    "open",
    'click "Reject all"',
    "done",
    'read ticket_number beside "Ticket number"',
    "read assignee beside Assignee",
    'read due_date beside "Due date"',
    "done",
    "screenshot ticket",
    "done",
]

SECOND_ROW = ["next", "answer 2", "done", *FIRST_ROW[3:7], "close"]
"""What was read is called wrong, and read by hand; the rest of the row is then done by its files."""


def kinds(folder: Path) -> list[CompilerLine]:
    return read_log(folder)[0]


def test_two_rows_by_hand_give_a_flow_that_is_published_with_proof_on_a_third_one(online: Cli, tickets_url: str):
    cli = online
    tickets = [one for one in ground_truth() if one.assignee and one.due_date][:3]
    given = rows(cli.folder, tickets_url, [one.number for one in tickets])
    workspace = cli.folder / "built"
    arguments = ("build", str(SPEC), "--input", given, "--out", str(workspace))
    ended = cli.run(*arguments, stdin=typed(*FIRST_ROW, "publish", "next", "answer 1", "close"))
    assert ended.returncode == 0, ended.stderr
    unsure = cli.run(*arguments, "--publish", stdin=typed("answer 2"))  # what the replay has read is called wrong
    assert unsure.returncode == 1, unsure.stdout + unsure.stderr
    sure = cli.run(*arguments, "--publish", stdin=typed("answer 1"))
    assert sure.returncode == 0, sure.stdout + sure.stderr
    assert not [one for one in (ended, unsure, sure) if "Traceback" in one.stderr]
    assert "! Nothing is published: a flow is built from 2 finished rows or more." in ended.stdout  # after the first
    assert "Put the flow into the library?" in ended.stdout  # at the end, of a pipe too; it has no line left to answer
    assert f"--out {workspace} --publish\n" in ended.stdout

    names = sorted(path.name for path in (workspace / "scratch_work").glob("*.py"))
    assert [name[:2] for name in names] == ["01", "02", "03"]
    source, files = read_workspace(workspace)
    assert 'await read("ticket_number", "assignee", "due_date")' in source
    assert 'await try_click(by_role("button", "Reject all"))' in source
    for ticket in tickets:
        assert ticket.number not in source
        assert str(ticket.assignee) not in source
    compiled = [line for line in kinds(workspace) if line.kind == "started"]
    assert [line.text for line in compiled][:2] == ["2 TODOs are finished", "all TODOs are finished"]
    assert compiled[-1].text == "the session is closed"
    assert [one.state for one in replayed(read_events(workspace)).todos] == ["done"] * 3
    assert [todo["state"] for todo in json.loads((workspace / "todos.json").read_text())] == ["done"] * 3
    assert list((workspace / "workspace/.versions").iterdir())

    [published] = [event for event in read_events(workspace) if isinstance(event, FlowPublished)]
    assert (published.name, published.row, published.held_back) == ("practice_tickets", tickets[2].number, False)
    assert published.hash == hash_of_version(source, files)  # a run does what stands in the workspace
    checked = cli.run("flows", "check", "practice_tickets", "--json")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    found = json.loads(checked.stdout)
    uses = {one["sample_id"]: one["use"] for one in found["checks"]}
    assert uses == dict(
        zip([one.number for one in tickets[:3]], ["compiled_from", "compiled_from", "held_out"], strict=True)
    )
    third = next(one for one in read_samples(workspace) if one.sample_id == tickets[2].number)
    assert {one.field: one.shown for one in third.values}["assignee"] == tickets[2].assignee


def test_a_session_goes_on_where_it_was_left_and_takes_over_what_a_person_has_written(online: Cli, tickets_url: str):
    cli = online
    tickets = [one for one in ground_truth() if one.assignee and one.due_date][:2]
    given = rows(cli.folder, tickets_url, [one.number for one in tickets])
    workspace = cli.folder / "built"
    arguments = ("build", str(SPEC), "--input", given, "--out", str(workspace))
    ended = cli.run(*arguments, stdin=typed(*FIRST_ROW[:3]))  # the end of the input closes it
    assert ended.returncode == 0, ended.stderr
    assert [one.state for one in replayed(read_events(workspace)).todos] == ["done", "open", "open"]
    assert "draft" in ended.stdout

    [first] = (workspace / "scratch_work").glob("01_*.py")
    click = '    await try_click(by_role("button", "Reject all"))\n'
    text = first.read_text()
    assert click in text
    first.write_text(text.replace(click, click + '    await press("End")\n').replace("open_page,", "open_page, press,"))
    ended = cli.run(*arguments, stdin=typed("answer 1", *FIRST_ROW[3:], *SECOND_ROW))
    assert ended.returncode == 0, ended.stderr
    assert [event for event in read_events(workspace) if isinstance(event, QuestionsAnswered)]
    assert "Not read yet: ticket_number, assignee, due_date." in ended.stdout
    assert replayed(read_events(workspace)).finished == tuple(one.number for one in tickets)
    source, _ = read_workspace(workspace)
    assert source.index("Reject all") < source.index('await press("End")') < source.index('await screenshot("ticket")')
    assert any("written by hand" in line.text for line in kinds(workspace))
    assert not [line for line in kinds(workspace)[-4:] if line.kind in ("problem", "failed")]

    shown = cli.run("flows", "log", str(workspace))
    assert shown.returncode == 0
    assert "written by hand" in shown.stdout


def test_ctrl_c_saves_and_compiles_first(online: Cli, tickets_url: str):
    cli = online
    number = ground_truth()[0].number
    workspace = cli.folder / "built"
    process = cli.start(
        "build", str(SPEC), "--row", f"ticket_number={number}", "--row", f"url={tickets_url}/tickets/{number}",
        "--out", str(workspace), stdin="",
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(typed("open"))
    process.stdin.flush()
    while "step 1" not in (line := process.stdout.readline()):
        assert line, process.stderr
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    process.stdout.read()  # to its end, before its input ends: that would close the session as well
    assert process.wait() == 130, process.stderr.read()
    events = read_events(workspace)
    assert any(isinstance(event, CompileAsked) for event in events)
    assert any(isinstance(event, FlowWritten) and event.version for event in events)
    assert "await open_page(url)" in (workspace / "workspace/flow.py").read_text()
