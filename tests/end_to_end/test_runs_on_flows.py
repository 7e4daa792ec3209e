"""Runs that are done by flows of the library, in real browsers: every field right, no model, a form sent once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from practice.comparing import rows_of
from practice.hr_portal import demo as hr
from practice.hr_portal import server as hr_portal
from practice.hr_portal.data import ground_truth as employees_of
from practice.hr_portal.site import Options
from practice.tickets.demo import ABSENT
from shared.client import Client
from shared.contracts.evidence import RunFinished
from tests.end_to_end.conftest import Cli
from tests.end_to_end.family_runs import spec_of, submissions
from tests.end_to_end.finished_runs import logs_of, outcomes_of, run
from tests.end_to_end.flow_sources import READ_TICKET, REQUEST_FILES, SEND_REQUEST, TICKET_FILES, create_flow
from tests.end_to_end.tickets import FULL, UNASSIGNED, rows, wrong_cells


def test_tickets_are_read_by_a_flow(flow_run: RunFinished):
    assert outcomes_of(flow_run) == {("done", ""): 2, ("failed", "not_found"): 1}
    table = {row["sample_id"]: row for row in rows_of(Path(flow_run.table))}
    for ticket in (FULL[0], UNASSIGNED[0]):
        got = table[ticket.number]
        assert (got["assignee"], got["due_date"]) == (ticket.assignee or "", str(ticket.due_date or ""))
    assert flow_run.llm_calls == 0
    for sample_id, log in logs_of(flow_run).items():
        if sample_id in ABSENT:
            continue
        assert {entry["decided_by"] for entry in log} == {"flow"}, sample_id
        assert [entry["action"] for entry in log if entry["action"] != "click"] == ["goto", "screenshot", "done"]
        assert log[0]["flow"]["section"] == "open_ticket"
        assert READ_TICKET.splitlines()[log[0]["flow"]["line"] - 1].strip() == "await open_page(url)"


def test_a_run_on_a_flow_verifies_and_its_values_are_read_again(flow_run: RunFinished, online: Cli):
    for command in ("verify", "reperform"):
        ended = online.run(command, flow_run.run_id)
        assert ended.returncode == 0, ended.stdout + ended.stderr


async def read_ticket(
    client: Client, spec: dict[str, Any], url: str, name: str, source: str
) -> tuple[RunFinished, list[dict[str, Any]]]:
    """Read one ticket on another flow. Return the run and the steps."""
    await create_flow(client, name, source, TICKET_FILES)
    finished = await run(client, {**spec, "workflow": {"name": name}}, rows(url, FULL[:1]))
    assert wrong_cells(finished.table, FULL[:1]) == []
    return finished, logs_of(finished)[FULL[0].number]


async def test_a_lying_flow_makes_nothing_wrong_done(client: Client, ticket_spec: dict[str, Any], tickets_url: str):
    told = '    return {**await read("ticket_number", "assignee", "due_date"), "assignee": "Nobody Atall"}\n'
    lying = READ_TICKET.replace('    return await read("ticket_number", "assignee", "due_date")\n', told)
    assert lying != READ_TICKET
    _, log = await read_ticket(client, ticket_spec, tickets_url, "lying_ticket", lying)
    reports = [entry for entry in log if entry["action"] == "done" and entry["decided_by"] == "flow"]
    assert reports
    assert all(entry["refused"] for entry in reports)


async def test_a_flow_that_does_not_fit_leaves_the_work_to_the_planner(
    client: Client, ticket_spec: dict[str, Any], tickets_url: str
):
    wrong = READ_TICKET.replace("await try_click(", "await click(").replace("Reject all", "Accept nothing")
    wrong = wrong.replace("import by_role, ", "import by_role, click, ").replace(", try_click", "")
    _, log = await read_ticket(client, ticket_spec, tickets_url, "wrong_ticket", wrong)
    assert log[-1]["decided_by"] == "rules"
    assert any("stopped in line" in note["text"] for entry in log for note in entry["notes"])


# --- a form that is sent once


async def send_requests(
    client: Client, name: str, source: str, asked: list[dict[str, str]]
) -> tuple[RunFinished, list[dict[str, Any]]]:
    """Return the run, and what the site was sent."""
    async with hr_portal.serve(options=Options(latency_ms=20, report_ms=100)) as url:
        await create_flow(client, name, source.replace("{start}", f"{url}/requests/new"), REQUEST_FILES)
        finished = await run(client, {**spec_of("practice_hr_request", url), "workflow": {"name": name}}, asked)
        return finished, await asyncio.to_thread(submissions, url)


@pytest.mark.long
async def test_a_form_is_sent_exactly_once_by_a_flow(client: Client):
    employees = employees_of()
    asked = hr.input_rows(employees)[:1]
    finished, told = await send_requests(client, "send_request", SEND_REQUEST, asked)
    assert finished.llm_calls == 0
    assert len(told) == len(asked)
    for got in rows_of(Path(finished.table)):
        expected = hr.expected_cells(asked[int(got["row"]) - 1], employees)
        assert {name: got[name] for name in expected} == expected, got
        assert got["artifacts"].count("attachments") == int(expected["attachment_count"])
    for log in logs_of(finished).values():
        assert {entry["decided_by"] for entry in log} == {"flow"}
        assert [entry["flow"].get("irreversible", False) for entry in log].count(True) == 1


async def test_a_flow_that_stops_after_the_press_sends_nothing_again(client: Client):
    pressed = '    await click(by_role("button", "Submit request"), irreversible=True)\n'
    source = SEND_REQUEST.replace(pressed, pressed + pressed)
    finished, told = await send_requests(client, "send_twice", source, hr.input_rows(employees_of())[:1])
    assert len(told) == 1
    assert outcomes_of(finished) == {("needs_review", "unknown_outcome"): 1}
    (got,) = rows_of(Path(finished.table))
    assert "cannot be taken back" in got["message"]
