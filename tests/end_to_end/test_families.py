"""The five task families without a model, against the ground truth of the practice sites.

What the rules report must be right; judgments and icons they leave open. Flows compiled from a few of their samples do
the others; the sites have look-alike records and ids.
"""

from __future__ import annotations

import asyncio
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
from services.console.commands.flows.compile import publish_flow
from shared.client import Client
from shared.client.workflow_calls import delete_workflow
from shared.contracts.evidence import RunFinished
from shared.contracts.workflows.library import WorkflowCreated
from shared.evidence_format.sources.folder import FolderSource
from shared.flows.checking.validation import compile_checked
from shared.flows.compiling.reading import read_recordings
from shared.task.spec import check_spec
from tests.end_to_end.family_runs import spec_of, submissions
from tests.end_to_end.finished_runs import logs_of, run

Row = dict[str, str]
Rows = list[Row]
SENT_CELLS = ("form_submitted", "confirmation_number", "report_file", "attachment_count")
QUICK = Options(latency_ms=20, report_ms=100)


def told_of(finished: RunFinished, rows: Rows) -> list[tuple[Row, Row]]:
    """Return each row of the input with the row of the table that came of it. No model was asked."""
    assert finished.llm_calls == 0
    got = rows_of(Path(finished.table))
    assert len(got) == len(rows)
    return [(rows[int(one["row"]) - 1], one) for one in got]


async def by_rules(client: Client, spec: dict[str, Any], rows: Rows) -> list[tuple[Row, Row]]:
    return told_of(await run(client, {**spec, "workflow": "off"}, rows), rows)


async def on_flow(
    client: Client, spec: dict[str, Any], recorded: Rows, rows: Rows, *, learned: int = 2
) -> list[tuple[Row, Row]]:
    """Record samples by rules, compile the first of them, and do the other rows on the flow, which ends each."""
    finished = await run(client, {**spec, "workflow": "off"}, recorded)
    samples = sorted(
        read_recordings(FolderSource(Path(finished.location))).samples,
        key=lambda one: next(at for at, row in enumerate(recorded) if row.items() <= one.row.items()),
    )
    checked, problems = check_spec(spec)
    assert checked is not None, problems
    flow, validation = await compile_checked(client.bus, checked, samples[:learned], samples[learned:])
    assert validation.problems == ()
    published = await publish_flow(client.bus, checked.task_id, flow, "test", "run_1")
    assert isinstance(published, WorkflowCreated)
    try:
        finished = await run(client, spec, rows)
    finally:
        await delete_workflow(client.bus, checked.task_id)
    told = told_of(finished, rows)
    ended = {sample_id: log[-1]["decided_by"] for sample_id, log in logs_of(finished).items()}
    assert set(ended.values()) == {"flow"}
    return told


# --- people


PEOPLE = people_of()


def people_rows(**wanted: int) -> Rows:
    """Return so many rows of each kind of search."""
    rows = people_demo.input_rows(PEOPLE)
    found = {kind: [row for row in rows if kind_of(row) == kind][:count] for kind, count in wanted.items()}
    assert {kind: len(chosen) for kind, chosen in found.items()} == wanted
    return [row for chosen in found.values() for row in chosen]


def kind_of(row: Row) -> str:
    return settle(PEOPLE, row["name"], row["company"]).kind


def check_person(row: Row, got: Row, url: str) -> None:
    ends = {"found": ("done", ""), "ambiguous": ("needs_review", "ambiguous_record")}
    kind = kind_of(row)
    assert (got["status"], got["reason"]) == ends.get(kind, ("failed", "not_found")), row
    expected = people_demo.expected_cells(PEOPLE, row, url)
    cells = people_demo.FIELDS if kind == "found" else people_demo.FIELDS[1:]
    assert {name: got[name] for name in cells} == {name: expected[name] for name in cells}


async def test_people_are_found_by_name_and_company_or_not_guessed(client: Client):
    async with people_server.serve() as url:
        rows = people_rows(found=1, ambiguous=1, near=1, not_found=1)
        for row, got in await by_rules(client, spec_of("practice_people", url), rows):
            check_person(row, got, url)


@pytest.mark.long
async def test_people_are_found_by_a_flow(client: Client):
    async with people_server.serve() as url:
        found = people_rows(found=6)
        for row, got in await on_flow(client, spec_of("practice_people", url), found[:4], found[4:]):
            check_person(row, got, url)


# --- commits, and lines of code


REPOSITORY = world_of().repositories[0]
COMMITS = audit.audit_truth(REPOSITORY)


def input_of(file: Path) -> Rows:
    return [dict(row) for row in rows_of(file)]


def commits_of(file: Path, url: str) -> Rows:
    audit.write_audit_input(file, url, REPOSITORY)
    return input_of(file)


def check_commit(row: Row, got: Row) -> None:
    expected = COMMITS[row["sha"]]
    assert (got["status"], got["reason"]) == ("needs_review", "judgment_missing")
    assert got["pr_number"].removeprefix("#") == expected["pr_number"]
    assert (got["pr_creator"], got["merger"]) == (expected["pr_creator"], expected["merger"])
    assert got["jira_url"].endswith(expected["jira_url"])
    assert bool(got["jira_url"]) == bool(expected["jira_url"])
    # What only icons say is not guessed.
    assert [got[name] for name in ("checks_passed", "checks_failed", "merged_with_failures")] == ["", "", ""]
    assert ("pr_number" in got["not_present"]) == (not expected["pr_number"])


async def test_a_commit_leads_to_its_pull_request_and_ticket_and_the_judgment_is_left_to_a_person(
    client: Client, tmp_path: Path
):
    async with code_host.serve(latency_ms=0) as origins:
        every = commits_of(tmp_path / "in.csv", origins.code)
        alone = [row for row in every if not COMMITS[row["sha"]]["pr_number"]][:1]
        failed = [row for row in every if COMMITS[row["sha"]]["merged_with_failures"] == "true"][:1]
        for row, got in await by_rules(client, spec_of("practice_commit_audit"), [*alone, *failed]):
            check_commit(row, got)


@pytest.mark.long
async def test_commits_with_and_without_a_ticket_are_read_by_a_flow(client: Client, tmp_path: Path):
    async with code_host.serve() as origins:
        every = commits_of(tmp_path / "in.csv", origins.code)
        linked = [row for row in every if COMMITS[row["sha"]]["jira_url"]]
        unlinked = [row for row in every if COMMITS[row["sha"]]["pr_number"] and not COMMITS[row["sha"]]["jira_url"]]
        recorded = [linked[0], unlinked[0], linked[1], unlinked[1], linked[2]]
        others = [*linked[3:5], *unlinked[2:4]]
        for row, got in await on_flow(client, spec_of("practice_commit_audit"), recorded, others, learned=3):
            check_commit(row, got)


def check_line(row: Row, got: Row) -> None:
    expected = audit.blame_truth(REPOSITORY)[row["sample_id"]]
    assert (got["status"], got["reason"]) == ("needs_review", "judgment_missing")
    for name in ("code_string", "file_path", "last_modified_date", "author"):
        assert got[name] == expected[name]


async def test_the_commit_that_wrote_a_line_is_read_from_its_own_row(client: Client, tmp_path: Path):
    async with code_host.serve(latency_ms=0) as origins:
        audit.write_blame_input(tmp_path / "in.csv", origins.code, REPOSITORY)
        for row, got in await by_rules(client, spec_of("practice_blame"), input_of(tmp_path / "in.csv")[:1]):
            check_line(row, got)


@pytest.mark.long
async def test_lines_of_code_are_read_by_a_flow(client: Client, tmp_path: Path):
    async with code_host.serve() as origins:
        audit.write_blame_input(tmp_path / "in.csv", origins.code, REPOSITORY)
        rows = input_of(tmp_path / "in.csv")
        for row, got in await on_flow(client, spec_of("practice_blame"), rows[:4], rows[4:8]):
            check_line(row, got)


# --- requests


EMPLOYEES = employees_of()


async def test_a_form_is_sent_exactly_once_and_its_files_come_down(client: Client):
    rows = hr.input_rows(EMPLOYEES)[:1]
    async with hr_portal.serve(options=QUICK) as url:
        table = await by_rules(client, spec_of("practice_hr_request", url), rows)
        told = await asyncio.to_thread(submissions, url)
    assert len(told) == len(rows)
    for row, got in table:
        expected = hr.expected_cells(row, EMPLOYEES)
        assert {name: got[name] for name in expected} == expected
        assert got["artifacts"].count("attachments") == int(expected["attachment_count"])


async def test_a_value_that_a_form_does_not_offer_is_never_sent(client: Client):
    rows = [{**hr.input_rows(EMPLOYEES)[0], "country": "Atlantis"}]
    async with hr_portal.serve(options=QUICK) as url:
        ((_, got),) = await by_rules(client, spec_of("practice_hr_request", url), rows)
        told = await asyncio.to_thread(submissions, url)
    assert (got["status"], got["reason"]) == ("needs_review", "invalid_input")
    assert "Kenya" in got["message"]
    assert told == []


@pytest.mark.long
async def test_requests_are_sent_once_each_by_a_flow(client: Client):
    rows = hr.input_rows(EMPLOYEES)[:6]
    async with hr_portal.serve(options=QUICK) as url:
        table = await on_flow(client, spec_of("practice_hr_request", url), rows[:4], rows[4:], learned=3)
        sent = await asyncio.to_thread(submissions, url)
    for row, got in table:
        expected = hr.expected_cells(row, EMPLOYEES)
        assert got["status"] == "done"
        assert {name: got[name] for name in SENT_CELLS} == {name: expected[name] for name in SENT_CELLS}
    assert len(sent) == len(rows)
