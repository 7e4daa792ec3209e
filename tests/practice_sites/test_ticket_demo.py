"""The demo's input; its check detects every kind of error in a table."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from practice.tickets.data import Ticket, ground_truth
from practice.tickets.demo import ABSENT, compare, demo_numbers, write_input

COLUMNS = ["sample_id", "row", "status", "reason", "ticket_number", "assignee", "due_date", "not_present", "not_found"]
TICKETS = {ticket.number: ticket for ticket in ground_truth()}
Rows = list[dict[str, str]]


def test_the_input_is_58_that_exist_and_2_that_do_not():
    numbers = demo_numbers(ground_truth())
    known = [TICKETS[number] for number in numbers if number in TICKETS]
    assert (len(numbers), len(set(numbers)), len(known)) == (60, 60, 58)
    assert set(numbers) - set(TICKETS) == set(ABSENT)
    assert sum(ticket.assignee is None for ticket in known) >= 6
    assert sum(ticket.due_date is None for ticket in known) >= 6
    assert any(ticket.assignee is None and ticket.due_date is None for ticket in known)


def test_the_input_file_has_a_number_and_an_address_a_row(tmp_path: Path):
    path = tmp_path / "tickets.csv"
    assert write_input(path, "http://127.0.0.1:1", ground_truth()) == 60
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["ticket_number"] for row in rows] == demo_numbers(ground_truth())
    assert all(row["url"] == f"http://127.0.0.1:1/tickets/{row['ticket_number']}" for row in rows)


def _right_row(position: int, number: str) -> dict[str, str]:
    row = {**dict.fromkeys(COLUMNS, ""), "sample_id": number, "row": str(position)}
    if number in ABSENT:
        return {**row, "status": "failed", "reason": "not_found", "not_found": "ticket_number;assignee;due_date"}
    return {**row, "status": "done", **_right_values(TICKETS[number])}


def _right_values(ticket: Ticket) -> dict[str, str]:
    due = f"{ticket.due_date:%Y-%m-%d}" if ticket.due_date else ""
    none = [] if ticket.assignee else ["assignee"]
    none += [] if ticket.due_date else ["due_date"]
    return {
        "ticket_number": ticket.number,
        "assignee": ticket.assignee or "",
        "due_date": due,
        "not_present": ";".join(none),
    }


@pytest.fixture
def right() -> Rows:
    return [_right_row(position, number) for position, number in enumerate(demo_numbers(ground_truth()), start=1)]


def _written(folder: Path, rows: Rows) -> Path:
    path = folder / "combined.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_right_table_has_no_difference(tmp_path: Path, right: Rows):
    assert compare(_written(tmp_path, right), ground_truth()) == []


def _unassigned(rows: Rows) -> dict[str, str]:
    return next(row for row in rows if row["not_present"] == "assignee")


def _absent(rows: Rows) -> dict[str, str]:
    return next(row for row in rows if row["sample_id"] == ABSENT[0])


@pytest.mark.parametrize(
    ("pick", "column", "wrong"),
    [
        (_unassigned, "assignee", "Unassigned"),
        (_unassigned, "not_present", ""),
        (_unassigned, "not_found", "assignee"),
        (_unassigned, "due_date", "Mar 14, 2027"),
        (_unassigned, "status", "needs_review"),
        (_unassigned, "ticket_number", "TCK-1000"),
        (_unassigned, "row", "99"),
        (_absent, "status", "done"),
        (_absent, "reason", "http_error"),
        (_absent, "assignee", "Zoë Lindqvist"),
        (_absent, "not_present", "assignee"),
    ],
)
def test_one_wrong_cell_is_one_difference(
    tmp_path: Path, right: Rows, pick: Callable[[Rows], dict[str, str]], column: str, wrong: str
):
    row = pick(right)
    row[column] = wrong
    [difference] = compare(_written(tmp_path, right), ground_truth())
    assert (difference.sample, difference.column, difference.got) == (row["sample_id"], column, wrong)
    assert row["sample_id"] in str(difference)


def test_a_row_lost_doubled_or_made_up_is_a_difference(tmp_path: Path, right: Rows):
    lost = right.pop(0)
    right.append(dict(right[0]))
    right.append({**right[1], "sample_id": "TCK-7777"})
    found = {(one.sample, one.column, one.got) for one in compare(_written(tmp_path, right), ground_truth())}
    assert found == {
        (lost["sample_id"], "row", "0 rows"),
        (right[0]["sample_id"], "row", "2 rows"),
        ("TCK-7777", "row", "a row"),
    }


def test_a_table_without_a_column_says_so(tmp_path: Path, right: Rows):
    path = tmp_path / "short.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [name for name in COLUMNS if name != "not_present"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(right)
    assert {one.got for one in compare(path, ground_truth())} == {"(no such column)"}
