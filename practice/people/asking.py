"""Who is meant by a name and a company, and what the directory lists: pure, over the people of the ground truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from practice.people import words
from practice.people.data import Person, company_slug, folded

RESULTS_A_PAGE = 10
ROWS_A_PAGE = 20
REPEATED = 2
"""Rows of a company's list that stand again at the head of the next page, as in lists that grow while one reads."""


@dataclass(frozen=True)
class Answer:
    """``found`` is one person. ``ambiguous``: several have this name at this company. ``near``: none has, but
    somebody there is spelt nearly so, which proves nothing. ``not_found``: nobody like that."""

    kind: Literal["found", "ambiguous", "near", "not_found"]
    person: Person | None = None


def settle(people: Sequence[Person], name: str, company: str) -> Answer:
    """Who ``name`` of ``company`` is, with the company held now or before. A guess is never made."""
    there = [person for person in people if company in person.companies]
    exact = [person for person in there if folded(person.name) == folded(name)]
    if len(exact) == 1:
        return Answer("found", exact[0])
    if exact:
        return Answer("ambiguous")
    return Answer("near" if any(_near(person.name, name) for person in there) else "not_found")


def search(people: Sequence[Person], name: str, company: str = "", place: str = "") -> list[Person]:
    """As the search page answers: also near spellings, also former employees, in the order given."""
    return [
        person
        for person in people
        if (not name.strip() or _near(person.name, name) or _begins(person.name, name))
        and (not company.strip() or any(folded(company) in folded(one) for one in person.companies))
        and (not place or person.location == place)
    ]


def same_name_elsewhere(people: Sequence[Person], name: str, found: Sequence[Person]) -> list[Person]:
    """Others of that name, whom the company asked for does not know."""
    return [person for person in people if folded(person.name) == folded(name) and person not in found]


def suggestions(people: Sequence[Person], typed: str, most: int = 6) -> list[str]:
    """Names that begin with what was typed, each once, in order of the alphabet."""
    if not folded(typed):
        return []
    return sorted({person.name for person in people if _begins(person.name, typed)}, key=folded)[:most]


def company_of(slug: str) -> str | None:
    """The company with this part of an address."""
    return next((name for name, _, _ in words.COMPANIES if company_slug(name) == slug), None)


def people_of(people: Sequence[Person], company: str) -> list[Person]:
    """Who works there now, each once."""
    return [person for person in people if person.current_company == company]


def listed_pages(listed: Sequence[Person]) -> list[list[Person]]:
    """The pages of a company's list, the first :data:`REPEATED` rows of each but the first a second time."""
    step = ROWS_A_PAGE - REPEATED
    pages = [list(listed[:ROWS_A_PAGE])]
    for start in range(step, len(listed) - REPEATED, step):
        pages.append(list(listed[start : start + ROWS_A_PAGE]))
    return pages


def _begins(name: str, typed: str) -> bool:
    """Whether every word typed begins a word of the name."""
    parts = folded(name).split()
    return all(any(part.startswith(word) for part in parts) for word in folded(typed).split())


def _near(name: str, asked: str) -> bool:
    """The same family name, and first names that are spellings of one; a middle initial does not matter."""
    own, other = folded(name).split(), folded(asked).split()
    return bool(other) and own[-1] == other[-1] and _spelling(own[0]) == _spelling(other[0])


def _spelling(first: str) -> str:
    same = {folded(one): folded(other) for _, one, other, _ in words.SPELLINGS}
    return same.get(first, first)
