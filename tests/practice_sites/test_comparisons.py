"""Whoever compares a table with a practice site is told of each wrong cell and row, and of nothing that is right."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path

import pytest

from practice.code_host import audit
from practice.code_host.data import commits_on_main
from practice.code_host.data import ground_truth as world_of
from practice.comparing import Difference
from practice.hr_portal import demo as hr
from practice.hr_portal.data import ground_truth as employees_of
from practice.people import demo as directory
from practice.people import words
from practice.people.asking import people_of
from practice.people.data import ground_truth as everybody
from practice.tickets import demo as tickets
from practice.tickets.data import ground_truth as tickets_of

BASE = "http://127.0.0.1:1"
TICKETS, PEOPLE, STAFF, REPOSITORY = tickets_of(), everybody(), employees_of(), world_of().repositories[0]
REQUESTS = hr.input_rows(STAFF)
Rows = list[dict[str, str]]


def written(folder: Path, rows: Sequence[Mapping[str, str]], name: str = "combined.csv") -> Path:
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


# --- what is right, by task, and who compares it


def right_tickets() -> Rows:
    known = {one.number: one for one in TICKETS}
    rows: Rows = []
    for place, number in enumerate(tickets.demo_numbers(TICKETS), 1):
        row = {"sample_id": number, "row": str(place), "ticket_number": "", "assignee": "", "due_date": ""}
        one = known.get(number)
        if one is None:
            missing = "ticket_number;assignee;due_date"
            rows.append({**row, "status": "failed", "reason": "not_found", "not_present": "", "not_found": missing})
            continue
        values = {"assignee": one.assignee or "", "due_date": f"{one.due_date:%Y-%m-%d}" if one.due_date else ""}
        none = ";".join(name for name, value in values.items() if not value)
        done = {"status": "done", "reason": "", "ticket_number": number, "not_present": none, "not_found": ""}
        rows.append({**row, **values, **done})
    return rows


def right_people() -> Rows:
    rows: Rows = []
    for row in directory.input_rows(PEOPLE):
        status, reason = directory.accepted(PEOPLE, row)[0]
        ended = {"name": "", "sample_id": directory.sample_id(row), "status": status, "reason": reason}
        rows.append({**ended, **directory.expected_cells(PEOPLE, row, BASE)})
    return rows


def right_audit() -> Rows:
    """As somebody writes them who has looked at the pages: in other words where those are as good."""
    rows = [{"sample_id": sha, **cells} for sha, cells in audit.audit_truth(REPOSITORY).items()]
    for row in rows:
        row["pr_number"] = row["pr_number"] and f"#{row['pr_number']}"
        row["merger"] = row["merger"] and f"@{row['merger']}"
        row["jira_url"] = row["jira_url"] and f"{BASE}{row['jira_url']}"
        row["ci_failure_details"] = row["ci_failure_details"] and f"It said: {row['ci_failure_details']}."
    return rows


def right_blame() -> Rows:
    return [{"sample_id": name, **cells} for name, cells in audit.blame_truth(REPOSITORY).items()]


def right_requests() -> Rows:
    return [{"sample_id": row["request_ref"], **hr.expected_cells(row, STAFF)} for row in REQUESTS]


def sent() -> list[dict[str, object]]:
    return [{"number": "n", "draft": "d", **asdict(hr.request_of(row))} for row in REQUESTS]


def downloads() -> dict[str, set[str]]:
    return {row["request_ref"]: {hr.report_sha256(row, STAFF), "other"} for row in REQUESTS}


RIGHT: Mapping[str, Callable[[], Rows]] = {
    "tickets": right_tickets,
    "people": right_people,
    "audit": right_audit,
    "blame": right_blame,
    "requests": right_requests,
}
COMPARE: Mapping[str, Callable[[Path], list[Difference]]] = {
    "tickets": lambda table: tickets.compare(table, TICKETS),
    "people": lambda table: directory.compare(table, PEOPLE, BASE),
    "audit": lambda table: audit.compare_audit(table, REPOSITORY),
    "blame": lambda table: audit.compare_blame(table, REPOSITORY),
    "requests": lambda table: hr.compare(table, STAFF, sent(), downloads()),
}
each_task = pytest.mark.parametrize("task", list(RIGHT))


@cache
def _right(task: str) -> Rows:
    return RIGHT[task]()


def right(task: str) -> Rows:
    """Return rows that may be changed."""
    return [dict(row) for row in _right(task)]


@each_task
def test_a_right_table_has_no_difference(tmp_path: Path, task: str):
    assert COMPARE[task](written(tmp_path, right(task))) == []


@each_task
def test_a_row_that_is_lost_doubled_or_made_up_is_a_difference(tmp_path: Path, task: str):
    first, second, *others = right(task)
    table = written(tmp_path, [second, second, *others, {**second, "sample_id": "Nobody, Nowhere"}])
    found = [one for one in COMPARE[task](table) if one.column == "row"]
    assert {one.sample for one in found} == {first["sample_id"], second["sample_id"], "Nobody, Nowhere"}


def is_done(row: Mapping[str, str]) -> bool:
    return row["status"] == "done"


def is_unassigned(row: Mapping[str, str]) -> bool:
    return row["not_present"] == "assignee"


def is_absent(row: Mapping[str, str]) -> bool:
    return row["reason"] == "not_found"


def is_twin(row: Mapping[str, str]) -> bool:
    return row["sample_id"].startswith(words.TWIN_NAMES)


def is_direct(row: Mapping[str, str]) -> bool:
    return not row["pr_number"]


def is_red(row: Mapping[str, str]) -> bool:
    return row["merged_with_failures"] == "true"


@pytest.mark.parametrize(
    ("task", "which", "column", "wrong"),
    [
        ("tickets", is_unassigned, "assignee", "Unassigned"),
        ("tickets", is_unassigned, "not_present", ""),
        ("tickets", is_unassigned, "not_found", "assignee"),
        ("tickets", is_unassigned, "status", "needs_review"),
        ("tickets", is_unassigned, "row", "99"),
        ("tickets", is_absent, "status", "done"),
        ("tickets", is_absent, "assignee", "Zoë Lindqvist"),
        ("people", is_done, "profile_url", f"{BASE}/in/somebody-else"),
        ("people", is_twin, "status", "done"),
        ("people", is_absent, "current_company", "Northwind Analytics"),
        ("audit", is_direct, "pr_number", "#141"),
        ("audit", is_red, "commit_sha", "4f76a36"),
        ("audit", is_red, "pr_number", "1621"),
        ("audit", is_red, "approvers", '["nobody"]'),
        ("audit", is_red, "merged_with_failures", "false"),
        ("audit", is_red, "ci_failure_details", "something went wrong"),
        ("audit", is_red, "jira_url", f"{BASE}/browse/LED-9999"),
        ("audit", is_done, "merger", "somebody"),
        ("blame", is_done, "last_modified_date", "2026-01-01"),
        ("blame", is_done, "author", "'=1+1"),
        ("requests", is_done, "confirmation_number", "LR-0"),
        ("requests", is_done, "attachment_count", "3 files"),
        ("requests", is_done, "form_submitted", "false"),
    ],
)
def test_one_wrong_cell_is_one_difference(
    tmp_path: Path, task: str, which: Callable[[Mapping[str, str]], bool], column: str, wrong: str
):
    rows = right(task)
    row = next(one for one in rows if which(one))
    row[column] = wrong
    [difference] = COMPARE[task](written(tmp_path, rows))
    assert (difference.sample, difference.column) == (row["sample_id"], column)


@each_task
def test_a_column_that_lacks_differs_in_each_row(tmp_path: Path, task: str):
    rows = [{name: cell for name, cell in row.items() if name != "status"} for row in right(task)]
    found = COMPARE[task](written(tmp_path, rows))
    assert len([one for one in found if one.column == "status"]) == len(rows)


def test_a_wrong_judgment_and_one_that_is_not_given_are_differences(tmp_path: Path):
    table, answers = written(tmp_path, right_audit()), dict[str, str](audit.audit_answers(REPOSITORY))
    assert audit.compare_audit(table, REPOSITORY, answers) == []
    wrong, silent = list(answers)[:2]
    answers[wrong] = "maybe"
    del answers[silent]
    found = audit.compare_audit(table, REPOSITORY, answers)
    assert [(one.sample, one.got) for one in found] == [(wrong, "maybe"), (silent, "(no answer)")]


@pytest.mark.parametrize(
    ("requests", "files", "column"),
    [
        ([*sent(), sent()[3]], downloads(), "submissions"),
        ([one for at, one in enumerate(sent()) if at != 3], downloads(), "submissions"),
        (sent(), {name: one for name, one in downloads().items() if name != "LV-004"}, "report"),
    ],
    ids=["sent twice", "not sent", "no report"],
)
def test_what_was_sent_and_downloaded_is_compared_too(
    tmp_path: Path, requests: list[dict[str, object]], files: dict[str, set[str]], column: str
):
    [difference] = hr.compare(written(tmp_path, right_requests()), STAFF, requests, files)
    assert (difference.sample, difference.column) == ("LV-004", column)


def test_a_request_that_nobody_asked_for_is_a_difference(tmp_path: Path):
    requests = [*sent(), {**sent()[0], "half_day": True, "cover": "Nobody"}]
    [difference] = hr.compare(written(tmp_path, right_requests()), STAFF, requests, downloads())
    assert (difference.column, difference.expected) == ("submissions", "none like this")


# --- lists, and a table with more columns


@pytest.mark.parametrize("key", ["sample_id", "commit_sha"])
def test_listed_commits_are_compared_in_any_order(tmp_path: Path, key: str):
    url = f"{BASE}/harbourline/ledger-core/commit"
    rows = [{key: one.sha, "url": f"{url}/{one.sha}"} for one in reversed(commits_on_main(REPOSITORY))]
    assert audit.compare_commits(written(tmp_path, rows), REPOSITORY) == []
    rows[0]["url"] = f"{url}/{rows[1][key]}"
    lost = rows.pop()
    rows.append({key: REPOSITORY.commits[60].sha, "url": ""})
    found = {(one.sample, one.column) for one in audit.compare_commits(written(tmp_path, rows), REPOSITORY)}
    assert found == {(rows[0][key], "url"), (lost[key], "row"), (rows[-1][key], "row")}


def test_a_list_of_people_is_everybody_once():
    company = "Northwind Analytics"
    rows = [{"name": one.name, "profile_url": f"{BASE}/in/{one.slug}"} for one in people_of(PEOPLE, company)]
    assert directory.compare_list(rows, PEOPLE, company, BASE) == []
    wrong = [*rows[1:], rows[1], {"name": "Next", "profile_url": f"{BASE}/companies"}]
    found = {(one.sample, one.got) for one in directory.compare_list(wrong, PEOPLE, company, BASE)}
    assert found == {
        (rows[0]["profile_url"], "0 rows"),
        (rows[1]["profile_url"], "2 rows"),
        (f"{BASE}/companies", "a row"),
    }


def test_columns_and_rows_of_the_input_must_all_be_kept(tmp_path: Path):
    original = tmp_path / "people.csv"
    directory.write_input(original, PEOPLE)
    names = directory.FIELDS[1:]
    rows = [
        {**row, **{name: directory.expected_cells(PEOPLE, row, BASE).get(name, "") for name in names}}
        for row in directory.input_rows(PEOPLE)
    ]
    assert directory.compare_enriched(written(tmp_path, rows), original, PEOPLE, BASE) == []
    rows[5]["note"] = "lost"
    [difference] = directory.compare_enriched(written(tmp_path, rows), original, PEOPLE, BASE)
    assert (difference.column, difference.got) == ("note", "lost")
    [difference] = directory.compare_enriched(written(tmp_path, rows[1:]), original, PEOPLE, BASE)
    assert difference.column == "row"
