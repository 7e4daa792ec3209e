"""Searches for a record and opens the one result that matches exactly.

A similar name is no match, and several matches go to a person. Both are decided only after all pages of results.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from services.planner.drivers.rules.navigation import (
    ambiguous_targets,
    filled_words,
    has_succeeded,
    press_once,
    quoted_choice,
)
from services.planner.drivers.rules.route_context import NextStep, RouteContext, row_with_gaps
from services.planner.state.attempt_state import Act, ObserveAgain
from services.planner.state.common_decisions import MAX_TRIES, fail_with_screenshot, observe_later, observe_more
from shared.contracts.actions import Click, Fail, Goto, Press, TypeText
from shared.contracts.browser_pool import Element
from shared.pages.elements import PRESSED_ROLES, is_input, text_of, words_of_name
from shared.pages.identity.scope import find_section
from shared.pages.lists.lists import cards, is_link_meant, table_rows
from shared.pages.lists.paging import PagingControl, next_results_control
from shared.pages.locate.by_name import distinct_targets, find_controls, find_pressable
from shared.task.route import Lookup, Pick, Search, Words
from shared.task.spec import fill
from shared.text.normal import fold, label_form, quoted, tidy

TYPE_PART, SEND_PART, TURN_PART, OPEN_PART = "type", "press", "turn", "open"
MAX_PAGES = 40
_PIECES = re.compile(r"\s+(?:·|•|\||–|—|at|@)\s+")
"""Separators of facts on one line. A comma is none: "Acme, Inc." is not "Acme"."""
MOST_NAMED = 6
"""Links of a record that a refusal names."""
_NUMBER = re.compile(r"^\d+[.):]?\s+")


@dataclass(frozen=True)
class SearchedRecord:
    """What is looked for in a list, under which heading, and what opens it."""

    columns: dict[str, str]
    under: Words | None
    numbered: bool
    link: Words | None


def search(context: RouteContext, step: Search) -> Act | ObserveAgain | NextStep:
    """Type the search, send it, and pick the result."""
    what = step.search
    if not context.is_done(TYPE_PART):
        return _type(context, what)
    if not has_succeeded(context.entries(SEND_PART)):
        return _send(context, what)
    return NextStep() if what.pick is None else _pick(context, _wanted(context, what.pick, what))


def pick(context: RouteContext, step: Pick) -> Act | ObserveAgain | NextStep:
    """Pick the record from a list."""
    return _pick(context, _wanted(context, step.pick, step))


def _wanted(context: RouteContext, columns: dict[str, str], step: Lookup | Pick) -> SearchedRecord:
    row = row_with_gaps(context.view.spec, context.view.sample)
    filled_in = {name: fill(template, row).strip() for name, template in columns.items()}
    return SearchedRecord(filled_in, step.under, step.numbered, step.link)


# --- asking for it


def _type(context: RouteContext, what: Lookup) -> Act | ObserveAgain:
    names = filled_words(context, what.into)
    field = _field(context, names)
    if not isinstance(field, Element):
        return field
    tried = context.entries(TYPE_PART)
    if len(tried) >= MAX_TRIES:
        return context.off_route(f"nothing can be typed into {quoted(field.name)}: {tried[-1].message}")
    text = context.filled_text(what.text)
    return context.act(TypeText(target=context.ref(field), text=text), "what is looked for.", TYPE_PART)


def _send(context: RouteContext, what: Lookup) -> Act | ObserveAgain | NextStep:
    tried = context.entries(SEND_PART)
    if what.press is None:
        field = _field(context, filled_words(context, what.into))
        if tried:  # A list that is filtered while typing has no send action.
            return NextStep() if what.pick is None else _pick(context, _wanted(context, what.pick, what))
        if not isinstance(field, Element):
            return field
        return context.act(Press(keys="Enter", target=context.ref(field)), "the search is sent.", SEND_PART)
    names = filled_words(context, what.press)
    found = find_pressable(context.page, names)
    if not found:
        return context.missing_element(f"button called {quoted_choice(names)}")
    if len(found) > 1:
        return ambiguous_targets(context, f"button called {quoted_choice(names)}", found)
    return press_once(context, found[0], "the search is sent.", SEND_PART)


def _field(context: RouteContext, names: tuple[str, ...]) -> Element | Act | ObserveAgain:
    found = find_controls(context.page, names)
    if not found:
        return context.missing_element(f"search field called {quoted_choice(names)}")
    return (
        found[0]
        if len(found) == 1
        else ambiguous_targets(context, f"search field called {quoted_choice(names)}", found)
    )


# --- reading what came


def _pick(context: RouteContext, wanted: SearchedRecord) -> Act | ObserveAgain | NextStep:
    if has_succeeded(context.entries(OPEN_PART)):
        return NextStep()
    more = observe_more(context.view, context.page)
    if more is not None:
        return more
    names = filled_words(context, wanted.under) if wanted.under is not None else ()
    part = find_section(context.page, names) if names else context.page.elements
    if part is None:
        return context.missing_element(f"heading {quoted_choice(names)} over the results")
    links = filled_words(context, wanted.link) if wanted.link is not None else ()
    found = matches_in(part, wanted.columns, numbered=wanted.numbered, links=links)
    return _decide_on_matches(context, wanted, found, part)


def _decide_on_matches(
    context: RouteContext, wanted: SearchedRecord, list_matches: ListMatches, part: tuple[Element, ...]
) -> Act | ObserveAgain:
    if list_matches.lacking:
        lacking = ", ".join(map(quoted, list_matches.lacking))
        return context.fail("off_route", f"the list has no column {lacking}, so nobody in it can be told apart by that")
    if (
        not list_matches.matches
        and (later := observe_later(context.view, looks=1 if list_matches.items else 3)) is not None
    ):
        return later
    before, key = _earlier_matches(context)
    new_matches = tuple(hit for hit in list_matches.matches if not before or hit.key != key)
    if before + len(new_matches) > 1:
        return _several_matches(context, wanted, before, key, new_matches)
    following = _next_page(context, part)
    if following is not None and len(context.entries(TURN_PART)) < MAX_PAGES:
        return _turn(context, following, before + len(new_matches), new_matches[0].key if new_matches else key)
    if following is not None:
        return context.fail("off_route", f"the results have more than {MAX_PAGES} pages")
    if new_matches:
        return _open(context, new_matches[0])
    return _open_again(context, key, list_matches) if before else _no_match(context, wanted, list_matches)


def _earlier_matches(context: RouteContext) -> tuple[int, str]:
    """Return how many records matched on earlier pages, and the key of the one; both from the mark of the last page
    turn."""
    turned = context.entries(TURN_PART)
    mark = turned[-1].route if turned else None
    return (mark.found, mark.at) if mark is not None else (0, "")


def _next_page(context: RouteContext, part: tuple[Element, ...]) -> PagingControl | None:
    """Return the control for the next page; None if the last turn had no effect."""
    if context.entries(TURN_PART) and not has_succeeded(context.entries(TURN_PART)[-1:]):
        return None
    return next_results_control(context.page, part)


def _turn(context: RouteContext, control: PagingControl, found: int, key: str) -> Act:
    """Turn the page. A button that adds to the list keeps earlier records in sight, so no match is carried over."""
    if not found or control.kind == "more":
        found, key = 0, ""
    so_far = f"matches so far: {found}, at {key.replace(' ', '_')}" if found else "matches so far: 0"
    why = f"the next page of results; {so_far}"
    return context.act(Click(target=context.ref(control.element)), why, TURN_PART, found=found, at=key)


def _open(context: RouteContext, hit: MatchingRecord) -> Act | ObserveAgain:
    if hit.link is None:
        several = f"; say in `link` which of {', '.join(map(quoted, hit.links))}" if hit.links else ""
        return context.fail("off_route", f"it cannot be told what opens {quoted(hit.description)}{several}")
    return press_once(context, hit.link, f"{quoted(hit.description)} is the one result that matches.", OPEN_PART)


def _open_again(context: RouteContext, key: str, list_matches: ListMatches) -> Act | ObserveAgain:
    """Open the match of an earlier page: by its address, or where this page repeats it."""
    repeated = next((hit for hit in list_matches.matches if hit.key == key), None)
    if repeated is not None and (repeated.link is None or not repeated.link.url):
        return _open(context, repeated)
    if not key.startswith(("http://", "https://")):
        return context.fail(
            "off_route", f"the one result that matches ({key}) is on an earlier page without an address"
        )
    if len(context.entries(OPEN_PART)) >= MAX_TRIES:
        return context.fail("unreachable", f"{key} could not be opened: {context.entries(OPEN_PART)[-1].message}")
    return context.act(Goto(url=key), "the one result that matches, on an earlier page.", OPEN_PART)


def _no_match(context: RouteContext, wanted: SearchedRecord, list_matches: ListMatches) -> Act:
    """Fail as not found, after a screenshot, with the number of records and pages that were read."""
    asked = ", ".join(f"{name} {quoted(value)}" for name, value in wanted.columns.items())
    pages = len(context.entries(TURN_PART)) + 1
    note = f"none of the results is exactly {asked} ({list_matches.items} on the last of {pages} pages)"
    return fail_with_screenshot(context.view, Fail(code="not_found", note=note))


def _several_matches(
    context: RouteContext, wanted: SearchedRecord, before: int, key: str, new_matches: tuple[MatchingRecord, ...]
) -> Act | ObserveAgain:
    later = observe_later(context.view, looks=1)
    asked = ", ".join(f"{name} {quoted(value)}" for name, value in wanted.columns.items())
    known = [f"on an earlier page: {key}"] if before else []
    message = "; ".join([*known, *(f"{quoted(hit.description)} ({hit.key})" for hit in new_matches[:6])])
    return later or context.fail(
        "ambiguous_record", f"{before + len(new_matches)} results are exactly {asked}: {message}"
    )


# --- which rows or cards of a list match exactly


@dataclass(frozen=True)
class MatchingRecord:
    """One matching record. `link` opens it; `key` identifies it on any page of results. `links`: the names of those
    between which the task has to choose. `own`: what tells it from another one with the same key."""

    link: Element | None
    key: str
    description: str
    links: tuple[str, ...] = ()
    own: tuple[object, ...] = ()


@dataclass(frozen=True)
class ListMatches:
    """The matching records. `items`: the number of all records. `lacking`: wanted columns that the table lacks."""

    items: int
    matches: tuple[MatchingRecord, ...]
    lacking: tuple[str, ...] = ()


def matches_in(
    part: Sequence[Element], wanted: Mapping[str, str], *, numbered: bool = False, links: Sequence[str] = ()
) -> ListMatches:
    """Return the records that match every wanted column exactly, but for case and white space.

    `links`: what opens a record is called."""
    meant = frozenset(map(label_form, links)) - {""}
    rows = table_rows(part)
    headed = {label_form(e.header) for row in rows for e in row if e.header is not None}
    asked = {name: _labels(name) for name in wanted}
    if rows and any(labels & headed for labels in asked.values()):
        lacking = tuple(name for name, labels in asked.items() if not labels & headed)
        hits = tuple(_hit(row, wanted, meant) for row in rows if not lacking and _row_matches(row, wanted, asked))
        return ListMatches(len(rows), _distinct_hits(hits), lacking)
    found = cards(part)
    fitting = [card for card in found if all(_card_shows(card, name, wanted[name], numbered) for name in wanted)]
    return ListMatches(len(found), _distinct_hits([_hit(card, wanted, meant) for card in fitting]))


def _distinct_hits(hits: Sequence[MatchingRecord]) -> tuple[MatchingRecord, ...]:
    return tuple({(hit.key, hit.own): hit for hit in hits}.values())


def _labels(column: str) -> set[str]:
    return {label_form(column), label_form(words_of_name(column))}


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


def _hit(record: Sequence[Element], wanted: Mapping[str, str], meant: frozenset[str]) -> MatchingRecord:
    pressable = [e for e in record if e.role in ("link", "button") and "disabled" not in e.states]
    link = _link(pressable, wanted, meant)
    text = ", ".join(dict.fromkeys(tidy(e.name) for e in record if e.name and e.role not in PRESSED_ROLES))
    key = link.url if link is not None and link.url else text
    names = dict.fromkeys(tidy(e.name) for e in pressable if e.name) if link is None else ()
    # Two records may share the page that the task's link leads to, or have a button without an address.
    addresses = tuple(sorted({e.url for e in record if e.url})) if meant else ()
    row = record[0].row if link is not None and not link.url else None
    return MatchingRecord(link, key, text[:200], tuple(names)[:MOST_NAMED], (addresses, row))


def _link(pressable: Sequence[Element], wanted: Mapping[str, str], meant: frozenset[str]) -> Element | None:
    """Return the link that the task means, else the one named like one of the columns, else the only element that can
    be pressed."""
    values = {fold(value) for value in wanted.values()}
    named = [e for e in pressable if (is_link_meant(e, meant) if meant else fold(e.name) in values)]
    possible = distinct_targets(named if named or meant else pressable)
    return possible[0] if len(possible) == 1 else None
