"""The cases of the register and the orders that are sent to it: pure functions of a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import date, timedelta

DEFAULT_SEED = 11
PROJECTS = ("Harbour", "Orchard")
FIRST_NUMBER = 1042
_FIRST_DAY = date(2026, 2, 2)
_SUBJECTS = ("Access review", "Backup check", "Key rotation", "Ledger audit", "Vendor file", "Payroll sample")
_PLACES = ("Basel", "Cork", "Lisbon", "Nairobi", "Osaka", "Riga", "Turin")
_STATES = ("Open", "In progress", "Closed")
_FIRST_NAMES = (
    *("Abebe", "Brigid", "Cem", "Dagny", "Emeka", "Freya", "Goran", "Hanne", "Ines", "Jomo", "Katia", "Liam"),
    *("Maren", "Nuno", "Oskar", "Petra", "Quim", "Rasa", "Sanjay", "Tove"),
)
_LAST_NAMES = (
    *("Adler", "Brandt", "Costa", "Duarte", "Eriksen", "Farkas", "Grau", "Haddad", "Ivanov", "Jonker", "Kimura"),
    *("Lund", "Moreau", "Njoroge", "Olsen", "Prado", "Rossi", "Silva", "Toth", "Vidal"),
)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)
GRANTS = ("Read access", "Write access", "Full access")


@dataclass(frozen=True)
class Case:
    """One case. Numbers are unique within a project only."""

    project: str
    number: str
    title: str
    state: str
    reporter: str
    assignee: str
    created: date
    due: date

    @property
    def path(self) -> str:
        return f"/cases/{self.project.lower()}/{self.number}"


@dataclass(frozen=True)
class Order:
    """What a form asks for. ``account`` names the record that it is about."""

    account: str
    holder: str
    grant: str
    amount: str
    starts: str
    reason: str


def cases_of(count: int, seed: int = DEFAULT_SEED) -> list[Case]:
    """Return the cases, those of both projects by turns. In both projects the numbers are the same."""
    rng = random.Random(seed)
    found: list[Case] = []
    for at in range(count):
        for project in PROJECTS:
            reporter, assignee = rng.sample(people(), 2)
            created = _FIRST_DAY + timedelta(days=rng.randrange(90))
            due = created + timedelta(days=rng.randrange(20, 200))
            title = f"{rng.choice(_SUBJECTS)} {rng.choice(_PLACES)}"
            number = f"CS-{FIRST_NUMBER + at}"
            found.append(Case(project, number, title, rng.choice(_STATES), reporter, assignee, created, due))
    return found


def near_case(case: Case, cases: list[Case]) -> Case:
    """Return another case of the project whose number differs by one character, with the same title."""
    alike = [one for one in cases if one.project == case.project and one.number != case.number]
    near = [one for one in alike if sum(a != b for a, b in zip(one.number, case.number, strict=True)) == 1]
    return replace((near or alike)[0], title=case.title)


def same_number(case: Case, cases: list[Case]) -> Case:
    """Return the case of this number in the other project."""
    return next(one for one in cases if one.number == case.number and one.project != case.project)


def orders_of(count: int, seed: int = DEFAULT_SEED) -> list[Order]:
    """Return orders, each for an account of its own. Neighbours differ by one character of the account."""
    rng = random.Random(f"orders {seed}")
    holders = rng.sample(people(), count)
    return [
        Order(
            account=f"AC-{70110 + at}",
            holder=holder,
            grant=rng.choice(GRANTS),
            amount=f"{rng.randrange(12, 98)}50.00",
            starts=(_FIRST_DAY + timedelta(days=rng.randrange(300))).isoformat(),
            reason=f"{rng.choice(_SUBJECTS)} in {rng.choice(_PLACES)}",
        )
        for at, holder in enumerate(holders)
    ]


def people() -> list[str]:
    return [f"{first} {last}" for first in _FIRST_NAMES for last in _LAST_NAMES]


def shown_date(day: date) -> str:
    """Return a date as ``14 March 2026``, independent of the locale of the process."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
