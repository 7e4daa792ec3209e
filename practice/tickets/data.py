"""The tickets of the site: a pure function of a seed, so the content of the site is known in advance."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import product

from practice.tickets import words

DEFAULT_SEED = 7
FIRST_NUMBER = 1001
TICKETS = 240
_FIRST_DAY = date(2026, 9, 1)
_UNASSIGNED_SHARE = 0.18
_UNDATED_SHARE = 0.2


@dataclass(frozen=True)
class Comment:
    author: str
    on: date
    text: str


@dataclass(frozen=True)
class Activity:
    """One line of the log: ``who`` did ``what``. It may name people and dates that are out of date."""

    who: str
    on: date
    what: str


@dataclass(frozen=True)
class Ticket:
    """One ticket. ``assignee`` and ``due_date`` are None if the page shows that there is none."""

    number: str
    title: str
    status: str
    priority: str
    assignee: str | None
    due_date: date | None
    reporter: str
    project: str
    labels: tuple[str, ...]
    created: date
    updated: date
    description: tuple[str, ...]
    comments: tuple[Comment, ...]
    activity: tuple[Activity, ...]
    related: tuple[str, ...]
    hydration_share: float
    """From 0.2 to 1: the share of the site's longest delay that this ticket takes to appear."""


def ground_truth(seed: int = DEFAULT_SEED) -> list[Ticket]:
    """Return all tickets in the order of their numbers; equal seeds give equal tickets."""
    rng = random.Random(seed)
    titles = [f"{subject} {trouble}" for subject, trouble in product(words.SUBJECTS, words.TROUBLES)]
    rng.shuffle(titles)
    return [_ticket(rng, index, title) for index, title in enumerate(titles[:TICKETS])]


def shown_date(day: date) -> str:
    """Format a date as ``Mar 14, 2027``, independent of the locale of the process."""
    return f"{words.MONTHS[day.month - 1]} {day.day}, {day.year}"


def _ticket(rng: random.Random, index: int, title: str) -> Ticket:
    created = _FIRST_DAY + timedelta(days=rng.randrange(120))
    reporter, previous, assignee = rng.sample(words.PEOPLE, 3)
    due = created + timedelta(days=rng.randrange(20, 260))
    comments = _comments(rng, created)
    activity = _activity(rng, created, reporter, previous, due)
    return Ticket(
        number=f"TCK-{FIRST_NUMBER + index}",
        title=title,
        status=rng.choice(words.STATUSES),
        priority=rng.choice(words.PRIORITIES),
        assignee=None if rng.random() < _UNASSIGNED_SHARE else assignee,
        due_date=None if rng.random() < _UNDATED_SHARE else due,
        reporter=reporter,
        project=rng.choice(words.PROJECTS),
        labels=tuple(sorted(rng.sample(words.LABELS, rng.randint(1, 2)))),
        created=created,
        updated=max(event.on for event in (*comments, *activity)),
        description=tuple(rng.sample(words.DESCRIPTIONS, 2)),
        comments=comments,
        activity=activity,
        related=_related(rng, index),
        hydration_share=round(rng.uniform(0.2, 1.0), 3),
    )


def _comments(rng: random.Random, created: date) -> tuple[Comment, ...]:
    days = sorted(rng.randrange(1, 40) for _ in range(rng.randint(1, 3)))
    texts = rng.sample(words.COMMENTS, len(days))
    return tuple(
        Comment(rng.choice(words.PEOPLE), created + timedelta(days=day), text)
        for day, text in zip(days, texts, strict=True)
    )


def _activity(rng: random.Random, created: date, reporter: str, previous: str, due: date) -> tuple[Activity, ...]:
    """Return the log. It always names an earlier assignee and an earlier date, as distractors."""
    moved_from = due - timedelta(days=rng.randrange(3, 15))
    return (
        Activity(reporter, created, "created the ticket"),
        Activity(reporter, created + timedelta(days=1), f"changed the assignee. Previous assignee: {previous}"),
        Activity(
            rng.choice(words.PEOPLE),
            created + timedelta(days=rng.randrange(2, 15)),
            f"changed the due date. Previous due date: {shown_date(moved_from)}",
        ),
    )


def _related(rng: random.Random, index: int) -> tuple[str, ...]:
    others = [other for other in range(TICKETS) if other != index]
    return tuple(f"TCK-{FIRST_NUMBER + other}" for other in sorted(rng.sample(others, 2)))
