"""The employees of the portal: a pure function of a seed, so the content of the portal is known in advance."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import product

from practice.hr_portal import words

DEFAULT_SEED = 5
EMPLOYEES = 120
FIRST_ID = 1001
TODAY = date(2026, 11, 2)
"""The current day of the portal, a Monday: leave begins after it."""


@dataclass(frozen=True)
class Attachment:
    """A file of one employee; its name on the page is its name in the download."""

    filename: str
    title: str
    added: date


@dataclass(frozen=True)
class Leave:
    kind: str
    first_day: date
    last_day: date
    days: int


@dataclass(frozen=True)
class Payslip:
    month: str
    gross: str
    net: str


@dataclass(frozen=True)
class Employee:
    """One employee. ``attachments`` may be empty; ``leaves`` are sorted latest first."""

    employee_id: str
    name: str
    title: str
    country: str
    office: str
    department: str
    manager: str
    joined: date
    balance_days: int
    attachments: tuple[Attachment, ...]
    leaves: tuple[Leave, ...]
    payslips: tuple[Payslip, ...]

    @property
    def email(self) -> str:
        return f"{self.employee_id.lower()}@larkspur.example"


def ground_truth(seed: int = DEFAULT_SEED) -> list[Employee]:
    """Return all employees in the order of their numbers; equal seeds give equal employees."""
    rng = random.Random(seed)
    names = [f"{first} {last}" for first, last in product(words.FIRST_NAMES, words.LAST_NAMES)]
    chosen = [*rng.sample(names, EMPLOYEES - 2 * len(words.NAMESAKES)), *words.NAMESAKES * 2]
    rng.shuffle(chosen)
    return [_employee(rng, f"E-{FIRST_ID + index}", name, chosen) for index, name in enumerate(chosen)]


def departments_of(office: str) -> tuple[str, ...]:
    """Return the six departments of an office, always the same ones."""
    return tuple(sorted(random.Random(f"departments of {office}").sample(words.DEPARTMENTS, 6)))


def shown_date(day: date) -> str:
    """Format a date as ``14 December 2026``, independent of the locale of the process."""
    return f"{day.day} {words.MONTHS[day.month - 1]} {day.year}"


def working_days(first: date, last: date) -> int:
    """Count the days from the first to the last, without Saturdays and Sundays."""
    span = ((first + timedelta(days=ahead)) for ahead in range((last - first).days + 1))
    return sum(day.weekday() < 5 for day in span)


def _employee(rng: random.Random, employee_id: str, name: str, names: list[str]) -> Employee:
    country = rng.choice(list(words.OFFICES))
    office = rng.choice(words.OFFICES[country])
    department = rng.choice(departments_of(office))
    joined = date(2015, 1, 1) + timedelta(days=rng.randrange(3_600))
    return Employee(
        employee_id=employee_id,
        name=name,
        title=rng.choice(words.TITLES),
        country=country,
        office=office,
        department=department,
        manager=rng.choice([other for other in names if other != name]),
        joined=joined,
        balance_days=rng.randrange(2, 31),
        attachments=_attachments(rng, employee_id, joined),
        leaves=_leaves(rng),
        payslips=_payslips(rng),
    )


def _attachments(rng: random.Random, employee_id: str, joined: date) -> tuple[Attachment, ...]:
    titles = rng.sample(words.ATTACHMENTS, rng.randrange(6))
    return tuple(
        Attachment(
            f"{employee_id}-{title.lower().replace(' ', '-')}.pdf", title, joined + timedelta(days=rng.randrange(300))
        )
        for title in titles
    )


def _leaves(rng: random.Random) -> tuple[Leave, ...]:
    starts = sorted(
        (date(2025, 1, 6) + timedelta(weeks=rng.randrange(90)) for _ in range(rng.randint(1, 5))), reverse=True
    )
    spans = [(start, start + timedelta(days=rng.randrange(5))) for start in dict.fromkeys(starts)]
    return tuple(
        Leave(rng.choice(words.REQUEST_TYPES), first, last, working_days(first, last)) for first, last in spans
    )


def _payslips(rng: random.Random) -> tuple[Payslip, ...]:
    gross = rng.randrange(2_800, 9_800)
    return tuple(
        Payslip(f"{month} 2026", f"{gross:,}.00", f"{gross * 67 // 100:,}.00") for month in reversed(words.MONTHS[4:10])
    )
