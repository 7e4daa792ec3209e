"""Runs that are done by flows of the library, in real browsers: every field right, no model, a form sent once."""

from __future__ import annotations

import asyncio
import csv
import json
from pathlib import Path
from typing import Any

import pytest

from practice.hr_portal import demo as hr
from practice.hr_portal import server as hr_portal
from practice.hr_portal.data import ground_truth as employees_of
from practice.hr_portal.site import Options
from practice.tickets.data import ground_truth
from practice.tickets.demo import ABSENT, compare, write_input
from shared.client import Client
from shared.client.workflow_calls import create_workflow
from shared.contracts.evidence import RunFinished
from shared.contracts.workflows.library import WorkflowCreated
from shared.host.services import run_embedded
from shared.settings import Settings
from tests.end_to_end.conftest import Cli
from tests.end_to_end.family_runs import spec_of, submissions, written
from tests.end_to_end.flow_sources import READ_TICKET, REQUEST_FILES, SEND_REQUEST, TICKET_FILES

TICKETS = ground_truth()[:8]
READ = {"name": "read_ticket"}
SEND = {"name": "send_request"}


@pytest.fixture
def library(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"workflows_dir": tmp_path / "workflows", "tools_dir": tmp_path / "tools"})


async def create(client: Client, name: str, source: str, files: dict[str, str]) -> None:
    created = await create_workflow(client.bus, name, source, files=files)
    assert isinstance(created, WorkflowCreated), created


async def read_tickets(
    settings: Settings, spec: dict[str, Any], url: str, folder: Path, source: str = READ_TICKET
) -> RunFinished:
    samples = folder / "tickets.csv"
    write_input(samples, url, TICKETS)
    async with run_embedded(settings) as client:
        await create(client, "read_ticket", source, TICKET_FILES)
        accepted = await client.submit({**spec, "workflow": READ}, file=(samples.name, samples.read_bytes()))
        return await client.result(accepted.run_id)


def logs_of(finished: RunFinished) -> dict[str, list[dict[str, Any]]]:
    found = Path(finished.location).glob("*/action_log.json")
    return {path.parent.name: json.loads(path.read_text()) for path in found}


@pytest.mark.parametrize("drift", ["", "lookalike"])
async def test_tickets_are_read_by_a_flow(library, ticket_spec, tickets_url, tmp_path, monkeypatch, drift):
    monkeypatch.setenv("PRACTICE_DRIFT", drift)
    finished = await read_tickets(library, ticket_spec, tickets_url, tmp_path)
    assert compare(Path(finished.table), TICKETS) == []
    assert finished.llm_calls == 0
    for sample_id, log in logs_of(finished).items():
        if sample_id in ABSENT:
            continue
        assert {entry["decided_by"] for entry in log} == {"flow"}, sample_id
        assert [entry["action"] for entry in log if entry["action"] != "click"] == ["goto", "screenshot", "done"]
        assert log[0]["flow"]["section"] == "open_ticket"
        assert READ_TICKET.splitlines()[log[0]["flow"]["line"] - 1].strip() == "await open_page(url)"


async def test_a_lying_flow_makes_nothing_wrong_done(library, ticket_spec, tickets_url, tmp_path):
    told = '    return {**await read("ticket_number", "assignee", "due_date"), "assignee": "Nobody Atall"}\n'
    lying = READ_TICKET.replace('    return await read("ticket_number", "assignee", "due_date")\n', told)
    assert lying != READ_TICKET
    finished = await read_tickets(library, ticket_spec, tickets_url, tmp_path, lying)
    assert compare(Path(finished.table), TICKETS) == []
    for log in logs_of(finished).values():
        reports = [entry for entry in log if entry["action"] == "done" and entry["decided_by"] == "flow"]
        assert all(entry["refused"] for entry in reports)


async def test_a_flow_that_does_not_fit_leaves_the_work_to_the_planner(library, ticket_spec, tickets_url, tmp_path):
    wrong = READ_TICKET.replace("await try_click(", "await click(").replace("Reject all", "Accept nothing")
    wrong = wrong.replace("import by_role, ", "import by_role, click, ").replace(", try_click", "")
    finished = await read_tickets(library, ticket_spec, tickets_url, tmp_path, wrong)
    assert compare(Path(finished.table), TICKETS) == []
    for log in logs_of(finished).values():
        assert log[-1]["decided_by"] == "rules"
        assert any("stopped in line" in note["text"] for entry in log for note in entry["notes"])


async def test_a_run_on_a_flow_verifies_and_its_values_are_read_again(
    library, ticket_spec, tickets_url, tmp_path, cli: Cli
):
    finished = await read_tickets(library, ticket_spec, tickets_url, tmp_path)
    verified = cli.run("verify", finished.location)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    again = cli.run("reperform", finished.location)
    assert again.returncode == 0, again.stdout + again.stderr


# --- a form that is sent once


async def send_requests(settings: Settings, url: str, rows: list[dict[str, str]], source: str) -> RunFinished:
    async with run_embedded(settings) as client:
        await create(client, "send_request", source.replace("{start}", f"{url}/requests/new"), REQUEST_FILES)
        spec = {**spec_of("practice_hr_request", url), "workflow": SEND}
        accepted = await client.submit(spec, file=("rows.csv", written(rows)))
        return await client.result(accepted.run_id)


def table_of(finished: RunFinished) -> list[dict[str, str]]:
    with Path(finished.table).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


async def test_a_form_is_sent_exactly_once_by_a_flow(library):
    employees = employees_of()
    rows = hr.input_rows(employees)[:3]
    async with hr_portal.serve(options=Options(latency_ms=20, report_ms=100)) as url:
        finished = await send_requests(library, url, rows, SEND_REQUEST)
        told = await asyncio.to_thread(submissions, url)
    assert finished.llm_calls == 0
    assert len(told) == len(rows)
    for got in table_of(finished):
        row = rows[int(got["row"]) - 1]
        expected = hr.expected_cells(row, employees)
        assert {name: got[name] for name in expected} == expected, got
        assert got["artifacts"].count("attachments") == int(expected["attachment_count"])
    for log in logs_of(finished).values():
        assert {entry["decided_by"] for entry in log} == {"flow"}
        assert [entry["flow"].get("irreversible", False) for entry in log].count(True) == 1


@pytest.mark.parametrize(
    ("then", "line"),
    [
        ('    await click(by_role("button", "Submit request"), irreversible=True)\n', "element_missing"),
        ('    raise RuntimeError("something else")\n', "RuntimeError"),
    ],
)
async def test_a_flow_that_stops_after_the_press_sends_nothing_again(library, then, line):
    rows = hr.input_rows(employees_of())[:1]
    pressed = '    await click(by_role("button", "Submit request"), irreversible=True)\n'
    source = SEND_REQUEST.replace(pressed, pressed + then)
    async with hr_portal.serve(options=Options(latency_ms=20, report_ms=100)) as url:
        finished = await send_requests(library, url, rows, source)
        told = await asyncio.to_thread(submissions, url)
    assert len(told) == 1
    (got,) = table_of(finished)
    assert (got["status"], got["reason"]) == ("needs_review", "unknown_outcome")
    assert "cannot be taken back" in got["message"]


async def test_a_value_that_the_form_does_not_offer_is_never_sent(library):
    rows = [{**hr.input_rows(employees_of())[0], "country": "Atlantis"}]
    async with hr_portal.serve(options=Options(latency_ms=20, report_ms=100)) as url:
        finished = await send_requests(library, url, rows, SEND_REQUEST)
        told = await asyncio.to_thread(submissions, url)
    assert told == []
    (got,) = table_of(finished)
    assert got["status"] == "needs_review"
