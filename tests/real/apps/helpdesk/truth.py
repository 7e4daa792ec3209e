"""``python truth.py FOLDER``: what the database has, as JSON."""

from __future__ import annotations

import datetime
import json
import sqlite3
import sys
from decimal import Decimal
from pathlib import Path

ASKED = 25
MISSING = (900, 9999)
QUERY = """
select ticket.id, queue.slug, queue.title as queue, ticket.title, description, status, priority, due_date,
    submitter_email, trim(first_name || ' ' || last_name) as assigned_to, amount.value as amount,
    ordered.value as ordered_on
from helpdesk_ticket ticket
join helpdesk_queue queue on queue.id = ticket.queue_id
left join auth_user person on person.id = ticket.assigned_to_id
join helpdesk_ticketcustomfieldvalue amount on amount.ticket_id = ticket.id and amount.field_id = 1
join helpdesk_ticketcustomfieldvalue ordered on ordered.ticket_id = ticket.id and ordered.field_id = 2
order by ticket.id
"""
LABELS = ("assigned to", "status", "due date", "priority", "amount", "ordered on")
# What the help desk calls the numbers of its database.
STATUSES = {1: "Open", 2: "Reopened", 3: "Resolved", 4: "Closed", 5: "Duplicate"}
PRIORITIES = {1: "1. Critical", 2: "2. High", 3: "3. Normal", 4: "4. Low", 5: "5. Very Low"}


def main(folder: Path) -> None:
    with sqlite3.connect(folder / "helpdesk.db") as db:
        db.row_factory = sqlite3.Row
        rows = [dict(row) for row in db.execute(QUERY)]
    db.close()
    asked = rows[::2][:ASKED]
    truth = {
        "records": {_name(row): {"path": _path(row["id"]), "values": _values(row)} for row in asked},
        "quoting": [_name(row) for row in asked if any(label in _texts(row) for label in LABELS)],
        "missing": {f"billing-{number}": _path(number) for number in MISSING},
        "list_path": "/tickets/?status=1&status=2&status=3&status=4&status=5",
        "listed": {_listed(row): {"ticket": _listed(row), "status": STATUSES[row["status"]]} for row in rows},
    }
    print(json.dumps(truth))


def _name(row: dict) -> str:
    return f"{row['slug']}-{row['id']}"


def _texts(row: dict) -> str:
    """What people have written, which may have the words of labels."""
    return f"{row['title']}\n{row['description']}".lower()


def _path(number: int) -> str:
    return f"/tickets/{number}/"


def _listed(row: dict) -> str:
    """The list shows number and title in one link."""
    return f"{row['id']}. {row['title']}"


def _values(row: dict) -> dict[str, object]:
    due = row["due_date"]
    return {
        "ticket": _name(row),
        "title": row["title"],
        "queue": row["queue"],
        "status": STATUSES[row["status"]],
        "priority": PRIORITIES[row["priority"]],
        "assigned_to": row["assigned_to"],
        "submitted_by": row["submitter_email"],
        "due_date": due and datetime.datetime.fromisoformat(due).isoformat(),
        "amount": row["amount"] and str(Decimal(row["amount"])),
        "ordered_on": row["ordered_on"],
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
