"""The people of the directory: a pure function of a seed, so the content of the site is known in advance."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise, product

from practice.people import words

DEFAULT_SEED = 11
PEOPLE = 400
TODAY = date(2026, 11, 1)
"""The reference date of tenures; fixed, so they do not change over time."""
_JOBLESS_SHARE = 0.05
_UNSCHOOLED_SHARE = 0.06
_MOVED_UP_SHARE = 0.3


@dataclass(frozen=True)
class Position:
    """One position. ``start`` and ``end`` are first days of months; ``end`` is None for a current one."""

    title: str
    company: str
    start: date
    end: date | None


@dataclass(frozen=True)
class Study:
    school: str
    degree: str
    until: int


@dataclass(frozen=True)
class Person:
    """One person.

    ``positions`` and ``studies`` are sorted latest first; ``slug`` is unique, ``rank`` sorts search results.
    """

    slug: str
    name: str
    location: str
    about: tuple[str, ...]
    positions: tuple[Position, ...]
    studies: tuple[Study, ...]
    connections: int
    rank: float
    also_viewed: tuple[str, ...] = ()

    @property
    def current_company(self) -> str | None:
        return self.positions[0].company if self.positions[0].end is None else None

    @property
    def school(self) -> str | None:
        """The school of the latest study."""
        return self.studies[0].school if self.studies else None

    @property
    def started(self) -> date | None:
        """The start of the first role at the current company."""
        starts = [position.start for position in self.positions if position.company == self.current_company]
        return min(starts) if starts else None

    @property
    def tenure(self) -> str | None:
        """The total time at the current company, such as ``3 years 2 months``."""
        return shown_span(self.started, TODAY) if self.started else None

    @property
    def headline(self) -> str:
        latest = self.positions[0]
        if latest.end is None:
            return f"{latest.title} at {latest.company}"
        return f"Open to work · formerly {latest.title} at {latest.company}"

    @property
    def companies(self) -> frozenset[str]:
        """The companies of all positions, current or former."""
        return frozenset(position.company for position in self.positions)


def ground_truth(seed: int = DEFAULT_SEED) -> list[Person]:
    """Return all people, in the order of search results; equal seeds give equal people."""
    rng = random.Random(seed)
    named = list(_names_with_companies(rng))
    people = _with_distinct_schools([_person(rng, name, company, plain=plain) for name, company, plain in named])
    slugs = [person.slug for person in people]
    assert len(set(slugs)) == PEOPLE
    people = [replace(person, also_viewed=tuple(_others(rng, slugs, person.slug))) for person in people]
    return sorted(people, key=lambda person: person.rank)


def company_slug(company: str) -> str:
    """Return the slug of a company: ``halden-pryce`` for ``Halden & Pryce``."""
    return re.sub(r"[^a-z0-9]+", "-", folded(company)).strip("-")


def folded(text: str) -> str:
    """Return the search form of a text: lower case, without accents, with single spaces."""
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return " ".join(bare.casefold().replace("ø", "o").replace("ł", "l").split())


def shown_month(day: date) -> str:
    """Format a month as ``September 2023``, independent of the locale of the process."""
    return f"{words.MONTHS[day.month - 1]} {day.year}"


def shown_span(start: date, end: date) -> str:
    """Format a duration as ``3 years 2 months``, ``1 year`` or ``5 months``; at least a month."""
    months = max(1, (end.year - start.year) * 12 + end.month - start.month)
    parts = ((months // 12, "year"), (months % 12, "month"))
    return " ".join(f"{count} {unit}{'' if count == 1 else 's'}" for count, unit in parts if count)


def _names_with_companies(rng: random.Random) -> Iterator[tuple[str, str, bool]]:
    """Yield name, current company and whether nothing else may be special. The hard cases come first."""
    companies = [name for name, _, _ in words.COMPANIES]
    special = [*_homonyms(rng, companies), *_twins(rng, companies), *_spellings(rng, companies)]
    yield from ((name, company, True) for name, company in special)
    others = [f"{first} {last}" for first, last in product(words.FIRST_NAMES, words.LAST_NAMES)]
    weights = [weight for _, _, weight in words.COMPANIES]
    for name in rng.sample(others, PEOPLE - len(special)):
        yield name, rng.choices(companies, weights)[0], False


def _homonyms(rng: random.Random, companies: list[str]) -> list[tuple[str, str]]:
    """Return each name at three companies: the company identifies the person."""
    return [(name, company) for name in words.HOMONYM_NAMES for company in rng.sample(companies, 3)]


def _twins(rng: random.Random, companies: list[str]) -> list[tuple[str, str]]:
    """Return each name twice at one company: the list cannot identify the person."""
    return [pair for name in words.TWIN_NAMES for pair in [(name, rng.choice(companies))] * 2]


def _spellings(rng: random.Random, companies: list[str]) -> list[tuple[str, str]]:
    """Return name spellings: even families have all three at one company, odd ones each at another."""
    pairs: list[tuple[str, str]] = []
    for index, (last, first, second, middle) in enumerate(words.SPELLINGS):
        three = rng.sample(companies, 3)
        at = three if index % 2 else three[:1] * 3
        pairs += zip((f"{first} {last}", f"{second} {last}", f"{second} {middle} {last}"), at, strict=True)
    return pairs


def _person(rng: random.Random, name: str, company: str, *, plain: bool) -> Person:
    positions = _positions(rng, company, plain=plain)
    return Person(
        slug=f"{re.sub(r'[^a-z0-9]+', '-', folded(name)).strip('-')}-{rng.randrange(16**6):06x}",
        name=name,
        location=rng.choice(words.PLACES),
        about=tuple(rng.sample(words.INTERESTS, 2)),
        positions=positions,
        studies=() if not plain and rng.random() < _UNSCHOOLED_SHARE else _studies(rng, positions[-1].start.year),
        connections=rng.randrange(30, 900),
        rank=rng.random(),
    )


def _with_distinct_schools(people: list[Person]) -> list[Person]:
    """Give two consecutive people of one name and company different schools."""
    schools = {person.school for person in people if person.school}
    for index, (first, second) in enumerate(pairwise(people), start=1):
        if first.name == second.name and first.school == second.school:
            latest = replace(second.studies[0], school=min(schools - {study.school for study in second.studies}))
            people[index] = replace(second, studies=(latest, *second.studies[1:]))
    return people


def _positions(rng: random.Random, company: str, *, plain: bool) -> tuple[Position, ...]:
    """Return positions, latest first. ``plain`` people have a job and no earlier company of the directory."""
    title, earlier, before = rng.sample(words.TITLES, 3)
    start = _months_before(TODAY, rng.randrange(2, 100))
    positions = [Position(title, company, start, None)]
    if rng.random() < _MOVED_UP_SHARE:
        start = _months_before(start, rng.randrange(5, 50))
        positions.append(Position(earlier, company, start, positions[0].start))
    former = "Self-employed" if plain else rng.choice([name for name, _, _ in words.COMPANIES if name != company])
    positions.append(Position(before, former, _months_before(start, rng.randrange(9, 70)), start))
    if not plain and rng.random() < _JOBLESS_SHARE:
        positions[0] = replace(positions[0], end=_months_before(TODAY, 1))
    return tuple(positions)


def _studies(rng: random.Random, first_job: int) -> tuple[Study, ...]:
    schools = rng.sample(words.SCHOOLS, rng.choice((1, 1, 2)))
    return tuple(Study(school, rng.choice(words.DEGREES), first_job - 3 * age) for age, school in enumerate(schools))


def _months_before(day: date, months: int) -> date:
    whole = day.year * 12 + day.month - 1 - months
    return date(whole // 12, whole % 12 + 1, 1)


def _others(rng: random.Random, slugs: list[str], own: str) -> list[str]:
    return [slug for slug in rng.sample(slugs, 5) if slug != own][:4]
