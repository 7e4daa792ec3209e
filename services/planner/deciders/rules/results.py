"""A list of records, read as table rows or cards, and which of them match exactly."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from services.planner.page.lists import cards, table_rows
from services.planner.page.targets import distinct_targets
from services.planner.page.text import (
    PRESSED_ROLES,
    humanised,
    is_input,
    label_form,
    text_of,
)
from shared.contracts.browser_pool import Element
from shared.text.normal import fold, tidy

_PIECES = re.compile(r"\s+(?:·|•|\||–|—|at|@)\s+")
"""Separators of facts on one line. A comma is none: "Acme, Inc." is not "Acme"."""


_NUMBER = re.compile(r"^\d+[.):]?\s+")


@dataclass(frozen=True)
class MatchingRecord:
    """One matching record. `link` opens it; `key` identifies it on any page of results."""

    link: Element | None
    key: str
    description: str


@dataclass(frozen=True)
class ListMatches:
    """The matching records. `items`: the number of all records. `lacking`: wanted columns that the table lacks."""

    items: int
    matches: tuple[MatchingRecord, ...]
    lacking: tuple[str, ...] = ()


def matches_in(part: Sequence[Element], wanted: Mapping[str, str], *, numbered: bool = False) -> ListMatches:
    """Return the records that match every wanted column exactly, but for case and white space."""
    rows = table_rows(part)
    headed = {label_form(e.header) for row in rows for e in row if e.header is not None}
    asked = {name: _labels(name) for name in wanted}
    if rows and any(labels & headed for labels in asked.values()):
        lacking = tuple(name for name, labels in asked.items() if not labels & headed)
        hits = tuple(_hit(row, wanted) for row in rows if not lacking and _row_matches(row, wanted, asked))
        return ListMatches(len(rows), _distinct_hits(hits), lacking)
    found = cards(part)
    fitting = [card for card in found if all(_card_shows(card, name, wanted[name], numbered) for name in wanted)]
    return ListMatches(len(found), _distinct_hits([_hit(card, wanted) for card in fitting]))


def _distinct_hits(hits: Sequence[MatchingRecord]) -> tuple[MatchingRecord, ...]:
    return tuple({hit.key: hit for hit in hits}.values())


def _labels(column: str) -> set[str]:
    return {label_form(column), label_form(humanised(column))}


# --- tables


def _row_matches(row: Sequence[Element], wanted: Mapping[str, str], asked: Mapping[str, set[str]]) -> bool:
    return all(
        any(label_form(e.header or "") in asked[name] and fold(text_of(e)) == fold(value) for e in row)
        for name, value in wanted.items()
    )


# --- cards


def _card_shows(card: Sequence[Element], column: str, value: str, numbered: bool) -> bool:
    shown = {fold(piece) for e in card if not is_input(e) for piece in pieces(e, column)}
    if numbered:
        shown |= {_NUMBER.sub("", piece) for piece in shown}
    return fold(value) in shown


def pieces(element: Element, column: str) -> list[str]:
    """Return the texts of one element of a card: the whole, its parts, and what follows the column's label."""
    text = tidy(element.name)
    if element.header is not None:
        return [text] if label_form(element.header) in _labels(column) else []
    label, colon, value = text.partition(":")
    if colon and label_form(label) in _labels(column):
        return [value.strip()]
    return [text, *_PIECES.split(text)]


# --- what opens a record


def _hit(record: Sequence[Element], wanted: Mapping[str, str]) -> MatchingRecord:
    link = _link(record, wanted)
    text = ", ".join(dict.fromkeys(tidy(e.name) for e in record if e.name and e.role not in PRESSED_ROLES))
    key = link.url if link is not None and link.url else text
    return MatchingRecord(link, key, text[:200])


def _link(record: Sequence[Element], wanted: Mapping[str, str]) -> Element | None:
    """Return the link named like one of the columns, else the only element that can be pressed."""
    values = {fold(value) for value in wanted.values()}
    links = [e for e in record if e.role in ("link", "button") and "disabled" not in e.states]
    named = distinct_targets(e for e in links if fold(e.name) in values)
    if named:
        return named[0] if len(named) == 1 else None
    every = distinct_targets(links)
    return every[0] if len(every) == 1 else None
