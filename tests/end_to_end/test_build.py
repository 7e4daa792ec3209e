"""`exhibit build`: a script does what a person would type; what comes of it is checked on a row that it never saw."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

from practice.tickets.data import ground_truth
from services.console.commands.workflows.library import open_library
from shared.contracts.workflows.build_events import CompileAsked, FlowWritten, QuestionsAnswered
from shared.flows.building.folder import CompilerLine, read_events, read_log
from shared.flows.building.state import replayed
from shared.flows.checking.recorded_answers import SampleCheck
from shared.flows.checking.validation import check_sample
from shared.flows.compiling.compiler import CompiledFlow
from shared.flows.files import parse_files
from shared.flows.workspace import read_samples, read_workspace
from shared.recordings.recording import Recording
from shared.settings import Settings
from shared.task.spec import check_spec
from tests.end_to_end.conftest import ROOT, Cli

SPEC = ROOT / "task_specs/practice_tickets.json"
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

SECOND_ROW = ["next", "2", "done", *FIRST_ROW[3:7], "close"]
"""What was read is called wrong, and read by hand; the rest of the row is then done by its files."""


def rows(folder: Path, url: str, numbers: list[str]) -> str:
    path = folder / "rows.csv"
    path.write_text("\n".join(["ticket_number,url", *(f"{one},{url}/tickets/{one}" for one in numbers)]) + "\n")
    return str(path)


def typed(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def kinds(folder: Path) -> list[CompilerLine]:
    return read_log(folder)[0]


async def checked(settings: Settings, source: str, files: dict[str, str], sample: Recording) -> SampleCheck:
    """Run the flow of a workspace on a recorded sample that it was not made of."""
    spec, _ = check_spec(json.loads(SPEC.read_text()))
    assert spec is not None
    flow = CompiledFlow(spec.task_id, source, parse_files(files), (), (), (), ())
    async with open_library(settings) as asks:
        return await check_sample(asks, flow, spec, sample)


def test_two_rows_by_hand_give_a_flow_that_reads_a_third_one_right(online: Cli, tickets_url: str, settings: Settings):
    cli = online
    tickets = [one for one in ground_truth() if one.assignee and one.due_date][:3]
    given = rows(cli.folder, tickets_url, [one.number for one in tickets[:2]])
    workspace = cli.folder / "built"
    lines = [*FIRST_ROW, "next", "1", "close"]
    ended = cli.run("build", str(SPEC), "--input", given, "--out", str(workspace), stdin=typed(*lines))
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr

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

    other = cli.folder / "other"
    given = rows(cli.folder, tickets_url, [tickets[2].number])
    ended = cli.run("build", str(SPEC), "--input", given, "--out", str(other), stdin=typed(*FIRST_ROW))
    assert ended.returncode == 0, ended.stderr
    [third] = read_samples(other)
    check = asyncio.run(checked(settings, source, files, third))
    assert check.problems == ()
    assert check.values == {
        "ticket_number": tickets[2].number,
        "assignee": tickets[2].assignee,
        "due_date": tickets[2].due_date.isoformat() if tickets[2].due_date else None,
    }


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
    ended = cli.run(*arguments, stdin=typed("1", *FIRST_ROW[3:], *SECOND_ROW))
    assert ended.returncode == 0, ended.stderr
    assert [event for event in read_events(workspace) if isinstance(event, QuestionsAnswered)]
    assert "! not read yet: ticket_number, assignee, due_date" in ended.stdout
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
