"""Resolve a name and a company, and list the directory. Pure, over the people of the ground truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from practice.people import words
from practice.people.data import Person, company_slug, folded

RESULTS_A_PAGE = 10
ROWS_A_PAGE = 20
REPEATED = 2
"""Number of rows that are repeated at the start of the next page, as in lists that grow during reading."""


@dataclass(frozen=True)
class Answer:
    """The result of :func:`settle`.

    ``found`` is one person. ``ambiguous``: several have this name at this company. ``near``: none has, but a person
    there has a similar spelling, which proves nothing. ``not_found``: no such person.
    """

    kind: Literal["found", "ambiguous", "near", "not_found"]
    person: Person | None = None


def settle(people: Sequence[Person], name: str, company: str) -> Answer:
    """Return the person ``name`` of ``company``, held now or before. Never guesses."""
    there = [person for person in people if company in person.companies]
    exact = [person for person in there if folded(person.name) == folded(name)]
    if len(exact) == 1:
        return Answer("found", exact[0])
    if exact:
        return Answer("ambiguous")
    return Answer("near" if any(_near(person.name, name) for person in there) else "not_found")


def search(people: Sequence[Person], name: str, company: str = "", place: str = "") -> list[Person]:
    """Return the search results, with near spellings and former employees, in the order given."""
    return [
        person
        for person in people
        if (not name.strip() or _near(person.name, name) or _begins(person.name, name))
        and (not company.strip() or any(folded(company) in folded(known) for known in person.companies))
        and (not place or person.location == place)
    ]


def same_name_elsewhere(people: Sequence[Person], name: str, found: Sequence[Person]) -> list[Person]:
    """Return other people of that name, without the requested company."""
    return [person for person in people if folded(person.name) == folded(name) and person not in found]


def suggestions(people: Sequence[Person], typed: str, most: int = 6) -> list[str]:
    """Return names that begin with the typed text, each once, in alphabetical order."""
    if not folded(typed):
        return []
    return sorted({person.name for person in people if _begins(person.name, typed)}, key=folded)[:most]


def company_of(slug: str) -> str | None:
    """Return the company with this slug."""
    return next((name for name, _, _ in words.COMPANIES if company_slug(name) == slug), None)


def people_of(people: Sequence[Person], company: str) -> list[Person]:
    """Return the current people of a company, each once."""
    return [person for person in people if person.current_company == company]


def listed_pages(listed: Sequence[Person]) -> list[list[Person]]:
    """Return the pages of a company's list; each but the first repeats the last :data:`REPEATED` rows before it."""
    step = ROWS_A_PAGE - REPEATED
    pages = [list(listed[:ROWS_A_PAGE])]
    for start in range(step, len(listed) - REPEATED, step):
        pages.append(list(listed[start : start + ROWS_A_PAGE]))
    return pages


def _begins(name: str, typed: str) -> bool:
    """Return whether every typed word begins a word of the name."""
    parts = folded(name).split()
    return all(any(part.startswith(word) for part in parts) for word in folded(typed).split())


def _near(name: str, asked: str) -> bool:
    """Return whether the family names are equal and the first names are spellings of one; initials are ignored."""
    own, other = folded(name).split(), folded(asked).split()
    return bool(other) and own[-1] == other[-1] and _spelling(own[0]) == _spelling(other[0])


def _spelling(first_name: str) -> str:
    same = {folded(first): folded(second) for _, first, second, _ in words.SPELLINGS}
    return same.get(first_name, first_name)
