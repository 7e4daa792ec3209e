"""Task families without a model, against the ground truth of the practice sites: what the rules report must be right.

Commits are in test_pairs.py, and flows of what the rules did in tests/drift.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

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
from shared.client import Client
from tests.end_to_end.family_runs import spec_of, submissions
from tests.end_to_end.finished_runs import run

Row = dict[str, str]
PEOPLE, EMPLOYEES = people_of(), employees_of()


async def by_rules(client: Client, spec: dict[str, Any], rows: list[Row]) -> list[tuple[Row, Row]]:
    """Return each row of the input with the row of the table that came of it. No model was asked."""
    finished = await run(client, {**spec, "workflow": "off"}, rows)
    assert finished.llm_calls == 0
    got = rows_of(Path(finished.table))
    assert len(got) == len(rows)
    return [(rows[int(one["row"]) - 1], one) for one in got]


def search_of(row: Row) -> str:
    return settle(PEOPLE, row["name"], row["company"]).kind


async def test_people_are_found_by_name_and_company_or_not_guessed(client: Client):
    every = {search_of(row): row for row in reversed(people_demo.input_rows(PEOPLE))}
    assert set(every) == {"found", "ambiguous", "near", "not_found"}
    ends = {"found": ("done", ""), "ambiguous": ("needs_review", "ambiguous_record")}
    async with people_server.serve() as url:
        for row, got in await by_rules(client, spec_of("practice_people", url), list(every.values())):
            kind = search_of(row)
            assert (got["status"], got["reason"]) == ends.get(kind, ("failed", "not_found")), row
            expected = people_demo.expected_cells(PEOPLE, row, url)
            cells = people_demo.FIELDS if kind == "found" else people_demo.FIELDS[1:]
            assert {name: got[name] for name in cells} == {name: expected[name] for name in cells}


async def test_the_commit_that_wrote_a_line_is_read_from_its_own_row(client: Client, tmp_path: Path):
    repository = world_of().repositories[0]
    async with code_host.serve(latency_ms=0) as origins:
        audit.write_blame_input(tmp_path / "in.csv", origins.code, repository)
        row = rows_of(tmp_path / "in.csv")[0]
        ((_, got),) = await by_rules(client, spec_of("practice_blame"), [row])
    expected = audit.blame_truth(repository)[row["sample_id"]]
    assert (got["status"], got["reason"]) == ("needs_review", "judgment_missing")
    for name in ("code_string", "file_path", "last_modified_date", "author"):
        assert got[name] == expected[name]


async def send(client: Client, row: Row) -> tuple[Row, list[dict[str, Any]]]:
    """Return the row of the table, and what the site was sent."""
    async with hr_portal.serve(options=Options(latency_ms=20, report_ms=100)) as url:
        ((_, got),) = await by_rules(client, spec_of("practice_hr_request", url), [row])
        return got, await asyncio.to_thread(submissions, url)


async def test_a_form_is_sent_exactly_once_and_its_files_come_down(client: Client):
    row = hr.input_rows(EMPLOYEES)[0]
    got, told = await send(client, row)
    assert len(told) == 1
    expected = hr.expected_cells(row, EMPLOYEES)
    assert {name: got[name] for name in expected} == expected
    assert got["artifacts"].count("attachments") == int(expected["attachment_count"])


async def test_a_value_that_a_form_does_not_offer_is_never_sent(client: Client):
    got, told = await send(client, {**hr.input_rows(EMPLOYEES)[0], "country": "Atlantis"})
    assert told == []
    assert (got["status"], got["reason"]) == ("needs_review", "invalid_input")
    assert "Kenya" in got["message"]
