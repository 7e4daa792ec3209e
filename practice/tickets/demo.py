"""The input of the demo, and the comparison of its results with the site."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from practice.comparing import Difference
from practice.tickets.data import Ticket

FIELDS = ("ticket_number", "assignee", "due_date")
ABSENT = ("TCK-9001", "TCK-9002")
"""Requested numbers that exist under no seed."""
_PRESENT = 58
_OF_EACH_KIND = 6


def demo_numbers(tickets: Sequence[Ticket]) -> list[str]:
    """Return 60 ticket numbers: 58 that exist and the 2 of :data:`ABSENT`, one in the middle and one at the end.

    At least 6 have no assignee and at least 6 no due date.
    """
    chosen = {ticket.number for ticket in _chosen(tickets)}
    present = [ticket.number for ticket in tickets if ticket.number in chosen]
    return [*present[:29], ABSENT[0], *present[29:], ABSENT[1]]


def write_input(path: Path, base_url: str, tickets: Sequence[Ticket]) -> int:
    """Write :func:`demo_numbers` as a CSV with the columns ticket_number and url; return the number of rows."""
    numbers = demo_numbers(tickets)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("ticket_number", "url"))
        writer.writerows((number, f"{base_url}/tickets/{number}") for number in numbers)
    return len(numbers)


def compare(combined_csv: Path, ground_truth: Sequence[Ticket]) -> list[Difference]:
    """Return every cell of combined.csv that differs from the site; an empty list if there is none.

    Rows that are missing, duplicated or were not requested are differences of the column ``row``.
    """
    with combined_csv.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    tickets = {ticket.number: ticket for ticket in ground_truth}
    numbers = demo_numbers(ground_truth)
    found = _row_differences([row.get("sample_id") or "" for row in rows], numbers)
    positions = {number: position for position, number in enumerate(numbers, start=1)}
    for row in rows:
        number = row.get("sample_id") or ""
        if number in positions:
            found += _cell_differences(row, number, positions[number], tickets.get(number))
    return found


def _chosen(tickets: Sequence[Ticket]) -> Iterable[Ticket]:
    """Return the special cases first, then tickets from the start of the list, up to the number wanted."""
    special = [
        *[ticket for ticket in tickets if ticket.assignee is None and ticket.due_date is None][:_OF_EACH_KIND],
        *[ticket for ticket in tickets if ticket.assignee is None][: 2 * _OF_EACH_KIND],
        *[ticket for ticket in tickets if ticket.due_date is None][: 2 * _OF_EACH_KIND],
    ]
    return list(dict.fromkeys([*special, *tickets]))[:_PRESENT]


def _row_differences(got: Sequence[str], numbers: Sequence[str]) -> list[Difference]:
    missing = [Difference(number, "row", "1 row", f"{got.count(number)} rows") for number in numbers]
    extra = [Difference(number, "row", "no row", "a row") for number in dict.fromkeys(got) if number not in numbers]
    return [difference for difference in missing if difference.got != "1 rows"] + extra


def _cell_differences(row: dict[str, str], number: str, position: int, ticket: Ticket | None) -> list[Difference]:
    expected = {"row": str(position), **(_of_absent() if ticket is None else _of_ticket(ticket))}
    return [
        Difference(number, column, wanted, _normal(column, row.get(column)))
        for column, wanted in expected.items()
        if _normal(column, row.get(column)) != wanted
    ]


def _of_ticket(ticket: Ticket) -> dict[str, str]:
    values = {
        "ticket_number": ticket.number,
        "assignee": ticket.assignee or "",
        "due_date": ticket.due_date.isoformat() if ticket.due_date else "",
    }
    none = ";".join(sorted(name for name, value in values.items() if not value))
    return {"status": "done", "reason": "", **values, "not_present": none, "not_found": ""}


def _of_absent() -> dict[str, str]:
    """Return the expected cells of a missing record: no values, and no field is "not present"."""
    return {"status": "failed", "reason": "not_found", **dict.fromkeys(FIELDS, ""), "not_present": ""}


def _normal(column: str, cell: str | None) -> str:
    if cell is None:
        return "(no such column)"
    return ";".join(sorted(cell.split(";"))) if column in ("not_present", "not_found") else cell
