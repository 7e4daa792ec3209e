"""The five task families without a model, against the ground truth of the practice sites.

What the rules report must be right; judgments and icons they leave open.
"""

from __future__ import annotations

import asyncio
import csv
from pathlib import Path

from practice.code_host import audit
from practice.code_host import server as code_host
from practice.code_host.data import ground_truth as world_of
from practice.hr_portal import demo as hr
from practice.hr_portal import server as hr_portal
from practice.hr_portal.data import ground_truth as employees_of
from practice.hr_portal.site import Options
from practice.people import demo as people_demo
from practice.people import server as people_server
from practice.people.asking import settle
from practice.people.data import ground_truth as people_of
from shared.host.services import run_embedded
from tests.end_to_end.family_runs import spec_of, submissions, written


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


async def table_of(settings, spec: dict, rows: list[dict[str, str]]) -> list[tuple[dict[str, str], dict[str, str]]]:
    """Each row of the input with the row of the table that came of it."""
    async with run_embedded(settings) as client:
        accepted = await client.submit(spec, file=("rows.csv", written(rows)))
        finished = await client.result(accepted.run_id)
    assert finished.llm_calls == 0
    got = read(Path(finished.table))
    assert len(got) == len(rows)
    return [(rows[int(one["row"]) - 1], one) for one in got]


async def test_people_are_found_by_name_and_company_or_not_guessed(settings):
    people = people_of()
    wanted = {"found": 4, "ambiguous": 1, "near": 1, "not_found": 1}
    rows: list[dict[str, str]] = []
    for row in people_demo.input_rows(people):
        kind = settle(people, row["name"], row["company"]).kind
        if wanted[kind]:
            rows.append(row)
            wanted[kind] -= 1
    assert not any(wanted.values())
    async with people_server.serve() as url:
        table = await table_of(settings, spec_of("practice_people", url), rows)
    ends = {"found": ("done", ""), "ambiguous": ("needs_review", "ambiguous_record")}
    for row, got in table:
        kind = settle(people, row["name"], row["company"]).kind
        assert (got["status"], got["reason"]) == ends.get(kind, ("failed", "not_found")), row
        expected = people_demo.expected_cells(people, row, url)
        cells = people_demo.FIELDS if kind == "found" else people_demo.FIELDS[1:]
        assert {name: got[name] for name in cells} == {name: expected[name] for name in cells}


async def test_a_commit_leads_to_its_pull_request_and_ticket_and_the_judgment_is_left_to_a_person(settings, tmp_path):
    repository = world_of().repositories[0]
    truth = audit.audit_truth(repository)
    async with code_host.serve(latency_ms=60) as origins:
        audit.write_audit_input(tmp_path / "in.csv", origins.code, repository)
        every = read(tmp_path / "in.csv")
        alone = [row for row in every if not truth[row["sha"]]["pr_number"]][:1]
        failed = [row for row in every if truth[row["sha"]]["merged_with_failures"] == "true"][:1]
        table = await table_of(settings, spec_of("practice_commit_audit"), [*alone, *failed, every[0]])
    for row, got in table:
        expected = truth[row["sha"]]
        assert (got["status"], got["reason"]) == ("needs_review", "judgment_missing")
        assert got["pr_number"].removeprefix("#") == expected["pr_number"]
        assert (got["pr_creator"], got["merger"]) == (expected["pr_creator"], expected["merger"])
        assert got["jira_url"].endswith(expected["jira_url"])
        assert bool(got["jira_url"]) == bool(expected["jira_url"])
        # What only icons say is not guessed.
        assert [got[name] for name in ("checks_passed", "checks_failed", "merged_with_failures")] == ["", "", ""]
        assert ("pr_number" in got["not_present"]) == (not expected["pr_number"])


async def test_the_commit_that_wrote_a_line_is_read_from_its_own_row(settings, tmp_path):
    repository = world_of().repositories[0]
    truth = audit.blame_truth(repository)
    async with code_host.serve(latency_ms=60) as origins:
        audit.write_blame_input(tmp_path / "in.csv", origins.code, repository)
        rows = read(tmp_path / "in.csv")[:3]
        table = await table_of(settings, spec_of("practice_blame"), rows)
    for row, got in table:
        expected = truth[row["sample_id"]]
        assert (got["status"], got["reason"]) == ("needs_review", "judgment_missing")
        for name in ("code_string", "file_path", "last_modified_date", "author"):
            assert got[name] == expected[name]


async def test_a_form_is_sent_exactly_once_and_its_files_come_down(settings):
    employees = employees_of()
    rows = hr.input_rows(employees)[:2]
    async with hr_portal.serve(options=Options(latency_ms=20, report_ms=100)) as url:
        table = await table_of(settings, spec_of("practice_hr_request", url), rows)
        told = await asyncio.to_thread(submissions, url)
    assert len(told) == len(rows)
    for row, got in table:
        expected = hr.expected_cells(row, employees)
        assert {name: got[name] for name in expected} == expected
        attachments = int(expected["attachment_count"])
        assert got["artifacts"].count("attachments") == attachments


async def test_a_value_that_a_form_does_not_offer_is_never_sent(settings):
    rows = [{**hr.input_rows(employees_of())[0], "country": "Atlantis"}]
    async with hr_portal.serve(options=Options(latency_ms=20, report_ms=100)) as url:
        ((_, got),) = await table_of(settings, spec_of("practice_hr_request", url), rows)
        told = await asyncio.to_thread(submissions, url)
    assert (got["status"], got["reason"]) == ("needs_review", "invalid_input")
    assert "Kenya" in got["message"]
    assert told == []
