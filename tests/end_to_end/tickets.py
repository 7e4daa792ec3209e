"""The tickets that runs are made of: of each kind one, and some that do not exist."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from practice.comparing import Difference
from practice.tickets.data import Ticket, ground_truth
from practice.tickets.demo import ABSENT, compare, demo_numbers

EVERY = ground_truth()
FULL = [one for one in EVERY if one.assignee and one.due_date]
"""Those that show all that is asked for."""
UNASSIGNED = [one for one in EVERY if one.assignee is None]
UNDATED = [one for one in EVERY if one.due_date is None and one.assignee is not None]
EMPTY = next(one for one in UNASSIGNED if one.due_date is None)
SOME = sorted([*FULL[:3], UNASSIGNED[0], UNDATED[0], EMPTY], key=lambda one: one.number)
"""Of each kind; with ABSENT the samples of the run that many tests look at."""


def rows_of_demo(url: str, tickets: list[Ticket]) -> list[dict[str, str]]:
    """Return the rows of these tickets and of those that do not exist, in the order of the demo."""
    return [row(url, number) for number in demo_numbers(tickets)]


def rows(url: str, tickets: Iterable[Ticket]) -> list[dict[str, str]]:
    return [row(url, ticket.number) for ticket in tickets]


def row(url: str, number: str) -> dict[str, str]:
    return {"ticket_number": number, "url": f"{url}/tickets/{number}"}


def wrong_cells(table: str | Path, tickets: list[Ticket]) -> list[Difference]:
    """Return the cells that differ from the site; the tickets that do not exist need not be there."""
    return [one for one in compare(Path(table), tickets) if one.sample not in ABSENT or one.column != "row"]
