"""Tickets of the practice site to compile a flow from and to run it on: with and without an assignee and a due date."""

from __future__ import annotations

from practice.tickets.data import ground_truth as tickets_of
from tests.drift.flows import Subject
from tests.end_to_end.family_runs import spec_of

EACH = 4
"""Samples with each switch."""


def tickets_subject(url: str) -> Subject:
    """Return three tickets to learn from, and others, of which one has no assignee."""
    tickets = tickets_of()
    unassigned = next(at for at, one in enumerate(tickets) if one.assignee is None)
    undated = next(at for at, one in enumerate(tickets) if one.due_date is None and one.assignee is not None)
    recorded = [0, unassigned, undated]
    others = [at for at in range(len(tickets)) if at not in recorded]
    empty = [at for at in others if tickets[at].assignee is None][:1]
    chosen = [*[at for at in others if at not in empty][: EACH - 1], *empty]
    truth = [
        {"assignee": tickets[at].assignee or "", "due_date": due.isoformat() if (due := tickets[at].due_date) else ""}
        for at in chosen
    ]
    rows = [{"ticket_number": one.number, "url": f"{url}/tickets/{one.number}"} for one in tickets]
    return Subject(
        "tickets", spec_of("practice_tickets"), [rows[at] for at in recorded], [rows[at] for at in chosen], truth
    )
