"""``python seed.py FOLDER``: write the tickets of the help desk, with what has happened to them."""

from __future__ import annotations

import datetime
import random
import sys
from pathlib import Path

from project import AUDITOR, set_up

SEED = 31
TICKETS = 64
PEOPLE = (
    ("zoe", "Zoë", "Lindqvist"),
    ("lukasz", "Łukasz", "Nowak"),
    ("lina", "娜", "李"),
    ("amara", "Amara", "O'Neill"),
    ("status", "Open", "Status"),
)
"""The last has a name that reads like a label and a value of it."""
QUEUES = (("billing", "Billing"), ("access", "Access & keys"), ("priority", "Priority desk"))
SUBMITTERS = ("ann.berg@example.org", "søren.kjær@example.org", "owner@example.org", "li.na+desk@example.org")
TITLES = (
    "Invoice is in the wrong currency",
    "Key card <B-4> does not open",
    "Refund of -120.00 was paid twice",
    "请重置密码",
    "Copy of {other}",
    "{other}: still the same",
    "A monitor that flickers whenever the lamp beside it is switched on, which was told on 2026-01-07, again on "
    "2026-02-11 and by phone, and which nobody has looked at since",
)
DESCRIPTIONS = ("Since Monday.", "See {other}. " + "The story is long and has no numbers in it. " * 30, "Thank you!")
COMMENTS = (
    "Assigned to somebody else until Friday.",
    "Priority 1. Critical is not meant.",
    "Amount 75.00 instead? See {other}.",
    "It was on 2024-02-29",
)
QUOTING_TITLES = ("Status", "Due date", "Priority: Critical, please")
QUOTING = (
    "Assigned to: Zoë Lindqvist, says the letter.",
    "Amount 1,000.00 was promised on Jan. 3, 2026.\n\nStatus: Closed",
    "Due Date\n\nMarch 1, 2031",
    "Ordered on Feb. 29, 2024",
)
SELDOM = 0.06
"""Share of the tickets with a title, and with a description, that has the words of a label."""
AMOUNTS = ("-120.00", "0.00", "12.50", "1250.00", "-7", "99.90", "18000.25")
YEARS = (2024, 2025, 2026, 2027)
DAYS_LATER = 40


def main(folder: Path) -> None:
    set_up(folder)
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from helpdesk.models import CustomField, Queue

    rng = random.Random(SEED)
    call_command("migrate", verbosity=0)
    users = get_user_model().objects
    users.create_superuser(AUDITOR, email="auditor@example.org")
    people = [
        users.create(username=name, first_name=first, last_name=last, is_staff=True) for name, first, last in PEOPLE
    ]
    queues = [Queue.objects.create(slug=slug, title=title) for slug, title in QUEUES]
    amount = CustomField.objects.create(
        name="amount", label="Amount", data_type="decimal", max_length=12, decimal_places=2, ordering=1
    )
    ordered = CustomField.objects.create(name="ordered_on", label="Ordered on", data_type="date", ordering=2)
    names = [f"{rng.choice(QUEUES)[0]}-{number}" for number in range(1, TICKETS + 1)]
    for number, name in enumerate(names, start=1):
        queue = next(one for one in queues if one.slug == name.split("-")[0])
        other = names[(number + 6) % TICKETS]
        _ticket(rng, number, queue, other, people, (amount, ordered))


def _ticket(rng: random.Random, number: int, queue: object, other: str, people: list, fields: tuple) -> None:
    from helpdesk.models import Ticket, TicketCustomFieldValue

    created = _moment(rng)
    status = rng.choice(Ticket.STATUS_CHOICES)[0]
    ticket = Ticket.objects.create(
        id=number,
        queue=queue,
        title=rng.choice(QUOTING_TITLES if rng.random() < SELDOM else TITLES).format(other=other),
        description=rng.choice(QUOTING if rng.random() < SELDOM else DESCRIPTIONS).format(other=other),
        created=created,
        submitter_email=rng.choice(SUBMITTERS),
        assigned_to=None if rng.random() < 0.3 else rng.choice(people),
        status=status,
        priority=rng.randint(1, 5),
        due_date=None if rng.random() < 0.3 else created + datetime.timedelta(days=rng.randint(1, DAYS_LATER)),
        resolution="The lamp was replaced on Jan. 5, 2026." if status == Ticket.RESOLVED_STATUS else None,
    )
    amount, ordered = fields
    TicketCustomFieldValue.objects.create(ticket=ticket, field=amount, value=rng.choice(AMOUNTS))
    day = (created - datetime.timedelta(days=3)).date().isoformat()
    TicketCustomFieldValue.objects.create(ticket=ticket, field=ordered, value=day)
    for _ in range(rng.choice((0, 1, 2, 3))):
        created += datetime.timedelta(hours=rng.randint(1, 60))
        _follow_up(rng, ticket, created, rng.choice(COMMENTS).format(other=other), people)


def _follow_up(rng: random.Random, ticket: object, at: datetime.datetime, comment: str, people: list) -> None:
    from helpdesk.models import FollowUp, TicketChange

    title = rng.choice(("Comment", "Updated", "Assigned to Zoë Lindqvist", "Reopened"))
    user = rng.choice(people)
    follow_up = FollowUp.objects.create(
        ticket=ticket, date=at, title=title, comment=comment, public=rng.random() < 0.5, user=user
    )
    if rng.random() < 0.6:
        field, old, new = rng.choice((("Status", "Open", "Closed"), ("Priority", "4. Low", "1. Critical")))
        TicketChange.objects.create(followup=follow_up, field=field, old_value=old, new_value=new)


def _moment(rng: random.Random) -> datetime.datetime:
    day = datetime.date(rng.choice(YEARS), rng.randint(1, 12), rng.randint(1, 28))
    return datetime.datetime.combine(day, datetime.time(rng.randint(1, 11), rng.choice((0, 5, 30, 59))))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
