"""Flows compiled from a few recorded samples of each task family do the others, and no model is asked.

The samples are worked out by rules, the flow is compiled from two of them and checked on the others, and the library's
flow then does a run of its own. The sites have look-alike records and ids.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from practice.code_host import audit
from practice.code_host import server as code_host
from practice.code_host.data import ground_truth as world_of
from practice.comparing import rows_of
from practice.hr_portal import demo as hr
from practice.hr_portal import server as hr_portal
from practice.hr_portal.data import ground_truth as employees_of
from practice.hr_portal.site import Options
from practice.people import demo as people_demo
from practice.people import server as people_server
from practice.people.asking import settle
from practice.people.data import ground_truth as people_of
from practice.tickets import server as tickets_server
from practice.tickets.data import ground_truth as tickets_of
from services.console.commands.flows.compile import publish_flow
from shared.client import Client
from shared.contracts.workflows.library import WorkflowCreated
from shared.evidence_format.sources.folder import FolderSource
from shared.flows.checking.validation import compile_checked
from shared.flows.compiling.reading import read_recordings
from shared.host.services import run_embedded
from shared.settings import Settings
from shared.task.spec import check_spec
from tests.end_to_end.family_runs import spec_of, submissions, written

Rows = list[dict[str, str]]
SENT_CELLS = ("form_submitted", "confirmation_number", "report_file", "attachment_count")


@pytest.fixture
def with_library(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"workflows_dir": tmp_path / "workflows", "tools_dir": tmp_path / "tools"})


async def run(client: Client, spec: dict[str, Any], rows: Rows) -> tuple[list[tuple[dict[str, str], Any]], Path]:
    """Return each row with its row of the table, and the run's folder."""
    accepted = await client.submit(spec, file=("rows.csv", written(rows)))
    finished = await client.result(accepted.run_id)
    assert finished.llm_calls == 0
    table = rows_of(Path(finished.table))
    return [(rows[int(one["row"]) - 1], one) for one in table], Path(finished.location)


async def run_on_flow(settings: Settings, spec: dict[str, Any], recorded: Rows, rows: Rows, *, learned: int = 2):
    """Record samples by rules, compile the first of them, publish, and return what the flow does with the other rows,
    with the decider that ended each."""
    async with run_embedded(settings) as client:
        _, folder = await run(client, {**spec, "workflow": "off"}, recorded)
        samples = read_recordings(FolderSource(folder)).samples
        samples = sorted(
            samples, key=lambda one: next(at for at, row in enumerate(recorded) if row.items() <= one.row.items())
        )
        checked, problems = check_spec(spec)
        assert checked is not None, problems
        flow, validation = await compile_checked(client.bus, checked, samples[:learned], samples[learned:])
        assert validation.problems == ()
        published = await publish_flow(client.bus, checked.task_id, flow, "test", "run_1")
        assert isinstance(published, WorkflowCreated)
        table, folder = await run(client, spec, rows)
    ended: dict[str, str] = {}
    for path in folder.glob("*/action_log.json"):
        log = json.loads(path.read_text())
        ended[json.loads((path.parent / "sample.json").read_text())["sample_id"]] = log[-1]["decided_by"]
    return table, ended


async def test_tickets(with_library):
    tickets = tickets_of()
    async with tickets_server.serve() as url:
        rows = [{"ticket_number": one.number, "url": f"{url}/tickets/{one.number}"} for one in tickets]
        unassigned = next(at for at, one in enumerate(tickets) if one.assignee is None)
        undated = next(at for at, one in enumerate(tickets) if one.due_date is None and one.assignee is not None)
        recorded = [rows[0], rows[unassigned], rows[undated]]
        others = [row for row in rows if row not in recorded][:12]
        table, ended = await run_on_flow(with_library, spec_of("practice_tickets"), recorded, others)
    expected = {one.number: one for one in tickets}
    for row, got in table:
        one = expected[row["ticket_number"]]
        due = one.due_date.isoformat() if one.due_date else ""
        assert (got["status"], got["assignee"], got["due_date"]) == ("done", one.assignee or "", due)
    assert set(ended.values()) == {"flow"}


async def test_people(with_library):
    people = people_of()
    every = people_demo.input_rows(people)
    found = [row for row in every if settle(people, row["name"], row["company"]).kind == "found"]
    twins = [row for row in every if settle(people, row["name"], row["company"]).kind == "ambiguous"][:2]
    absent = [row for row in every if settle(people, row["name"], row["company"]).kind == "not_found"][:1]
    async with people_server.serve() as url:
        others = [*found[4:12], *twins, *absent]
        table, _ = await run_on_flow(with_library, spec_of("practice_people", url), found[:4], others)
        for row, got in table:
            if row in found:
                cells = people_demo.expected_cells(people, row, url)
                assert got["status"] == "done"
                assert {name: got[name] for name in people_demo.FIELDS} == {n: cells[n] for n in people_demo.FIELDS}
            else:
                assert got["status"] == ("needs_review" if row in twins else "failed")


async def test_commits_with_and_without_a_ticket(with_library, tmp_path):
    repository = world_of().repositories[0]
    truth = audit.audit_truth(repository)
    async with code_host.serve() as origins:
        audit.write_audit_input(tmp_path / "in.csv", origins.code, repository)
        every = [dict(row) for row in rows_of(tmp_path / "in.csv")]
        linked = [row for row in every if truth[row["sha"]]["jira_url"]]
        unlinked = [row for row in every if truth[row["sha"]]["pr_number"] and not truth[row["sha"]]["jira_url"]]
        recorded = [linked[0], unlinked[0], linked[1], unlinked[1], linked[2]]
        others = [*linked[3:7], *unlinked[2:4]]
        table, ended = await run_on_flow(with_library, spec_of("practice_commit_audit"), recorded, others, learned=3)
    for row, got in table:
        expected = truth[row["sha"]]
        assert (got["status"], got["reason"]) == ("needs_review", "judgment_missing")
        assert got["pr_number"].removeprefix("#") == expected["pr_number"]
        assert (got["pr_creator"], got["merger"]) == (expected["pr_creator"], expected["merger"])
        assert got["jira_url"].endswith(expected["jira_url"])
        assert bool(got["jira_url"]) == bool(expected["jira_url"])
    assert set(ended.values()) == {"flow"}


async def test_lines_of_code(with_library, tmp_path):
    repository = world_of().repositories[0]
    truth = audit.blame_truth(repository)
    async with code_host.serve() as origins:
        audit.write_blame_input(tmp_path / "in.csv", origins.code, repository)
        rows = [dict(row) for row in rows_of(tmp_path / "in.csv")]
        table, ended = await run_on_flow(with_library, spec_of("practice_blame"), rows[:4], rows[4:9])
    for row, got in table:
        for name in ("code_string", "file_path", "last_modified_date", "author"):
            assert got[name] == truth[row["sample_id"]][name]
    assert set(ended.values()) == {"flow"}


async def test_requests_are_sent_once_each(with_library):
    employees = employees_of()
    rows = hr.input_rows(employees)[:7]
    async with hr_portal.serve(options=Options(latency_ms=20, report_ms=100)) as url:
        table, ended = await run_on_flow(
            with_library, spec_of("practice_hr_request", url), rows[:4], rows[4:], learned=3
        )
        sent = await asyncio.to_thread(submissions, url)
    for row, got in table:
        expected = hr.expected_cells(row, employees)
        assert got["status"] == "done"
        assert {name: got[name] for name in SENT_CELLS} == {name: expected[name] for name in SENT_CELLS}
    assert set(ended.values()) == {"flow"}
    assert len(sent) == len(rows)
