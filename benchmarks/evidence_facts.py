"""The tickets of :mod:`benchmarks.evidence_world`: 20 fields of all types, several scripts, hostile texts."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

SCHEMA: dict[str, Any] = {
    "ticket_number": "string",
    "title": "string",
    "assignee": {"type": "string | null", "not_present": ["Unassigned"]},
    "reporter": "string",
    "team": "string | null",
    "resolution": "string | null",
    "priority": {"type": "enum", "values": ["Low", "Medium", "High"]},
    "state": {"type": "enum", "values": ["Open", "Closed", "Waiting"]},
    "comments": "number",
    "hours_spent": "number | null",
    "amount": "decimal",
    "tax": "decimal | null",
    "budget": "decimal | null",
    "approved": "boolean",
    "escalated": {"type": "boolean", "derived": True},
    "opened_on": "date",
    "due_date": "date | null",
    "created_at": "date-time",
    "last_reply_at": "date-time | null",
    "labels": "array",
}
NAMES = (
    "Zoë Ångström",
    "O'Brien, Seán",
    "李小龙",
    "Ana-María Núñez",
    "Ólafur Þórsson",
    "Jane Doe",
    "محمد علي",
    "Müller",
)
TITLES = (
    "Printer on floor 3",
    'Access to "Ledger", read only',
    '=HYPERLINK("http://x","y")',
    "+49 30 1234",
    "VPN ✈ 🚀",
)
NOTES = ("", "from the spring list", "two\nlines", 'called "urgent", check twice', "-5 degrees", "ＦＹＩ; ask Hana")


def facts(number: int) -> dict[str, Any]:
    """Return the values of sample ``number`` by field; None if the page says that there is none."""
    opened = date(2025, 1, 1) + timedelta(days=number % 400)
    at = datetime(2025, 1, 1, 8, 30, tzinfo=UTC) + timedelta(hours=number)
    return {
        "ticket_number": f"TCK-{number:05d}",
        "title": f"{TITLES[number % 5]}{'.' * (number % 7)}",
        "assignee": None if number % 9 == 0 else NAMES[number % 8],
        "reporter": NAMES[(number + 3) % 8],
        "team": None if number % 11 == 0 else f"Team {number % 17}",
        "resolution": None if number % 4 else "Fixed by the vendor.\nConfirmed by phone. " * (number % 5 + 1),
        "priority": ("Low", "Medium", "High")[number % 3],
        "state": ("Open", "Closed", "Waiting")[number % 3],
        "comments": number % 40,
        "hours_spent": None if number % 6 == 0 else number % 97 + 0.25,
        "amount": f"{number * 13 % 100_000}.{number % 100:02d}",
        "tax": None if number % 8 == 0 else f"{number % 900}.{number % 1000:03d}",
        "budget": None if number % 5 == 0 else f"-{number}.5",
        "approved": number % 2 == 0,
        "escalated": number % 20 == 0,
        "opened_on": opened.isoformat(),
        "due_date": None if number % 7 == 0 else (opened + timedelta(days=30)).isoformat(),
        "created_at": at.isoformat(),
        "last_reply_at": None if number % 3 == 0 else (at + timedelta(minutes=number)).isoformat(),
        "labels": [f"label {number % 5}", "größer, schneller", 'say "hi"'][: number % 4],
    }
