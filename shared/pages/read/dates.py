"""What a page settles about reading its dates: the order of their parts, if it is unambiguous, and their language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from shared.contracts.browser_pool import Element, PageObserved
from shared.field_types import base_type
from shared.task.output_field import OutputField
from shared.task.typed_values import typed_value
from shared.text.date_names import LANGUAGES, DateOrder, language_of
from shared.text.date_numbers import (
    ALONE,
    NUMERIC,
    DaysByOrder,
    NotADate,
    days_by_order,
    form_of,
    only_order,
    real_day,
)
from shared.text.normal import Normal, plain
from shared.text.written_dates import Dated, DateHints, in_language, languages_of_date, read_date

_WORDED = re.compile(r"\d.*[^\W\d_]{2}|[^\W\d_]{2}.*\d")
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
MAX_TEXT_CHARS = 500
MAX_DATE_CHARS = 60
"""A longer text is a sentence with a date, not a date."""
Evidence = tuple[str, DateOrder]


@dataclass(frozen=True)
class DateSettlement:
    """What settled how one date is read: the order of the page's dates, or the language of its month."""

    order: str | None = None
    language: str | None = None


def date_hints(page: PageObserved) -> DateHints:
    """Return what all dates of the page say together.

    If one says another order than the rest, no order is settled. The same holds for languages, unless the page declares
    its own.
    """
    found: set[Evidence] = {evidence for element in page.elements for evidence in _evidence(element)}
    found = found or set(_twin_evidence(page))
    orders: set[DateOrder] = {order for _, order in found}
    if len(orders) != 1:
        return DateHints(languages=_languages(page))
    return DateHints(orders.pop(), frozenset(form for form, _ in found), _languages(page))


def date_settlement(shown: str, field: OutputField, title: str | None, page: PageObserved) -> DateSettlement:
    """Return what the page had to settle for a date that is ambiguous by itself; empty for all other values."""
    dated = base_type(field.type) in ("date", "date-time")
    if not dated or isinstance(typed_value(field, shown, title=title), Normal):
        return DateSettlement()
    hints = date_hints(page)
    read = typed_value(field, shown, title=title, order=hints)
    languages = sorted(language for known in hints.languages for language in known)
    ways = (
        (DateSettlement(order=hints.order), replace(hints, languages=())),
        *((DateSettlement(language=language), in_language(language)) for language in languages),
    )
    same = (settled for settled, order in ways if typed_value(field, shown, title=title, order=order) == read)
    return next(same, DateSettlement()) if isinstance(read, Normal) else DateSettlement()


def _languages(page: PageObserved) -> tuple[frozenset[str], ...]:
    """Return the declared language of the document, else the languages in which all its dates in words can be read."""
    own = language_of(page.lang)
    if own in LANGUAGES:
        return (frozenset({own}),)
    worded = (e.name for e in page.elements if len(e.name) <= MAX_DATE_CHARS and _WORDED.search(e.name))
    found = [languages for languages in map(languages_of_date, worded) if languages]
    common = frozenset[str].intersection(*found) if found else frozenset[str]()
    return (common,) if common else ()


def _evidence(element: Element) -> Iterator[Evidence]:
    for text in (element.name, element.value, element.title, element.header):
        for match in ALONE.finditer(plain(text)) if text and _may_hold_one(text) else ():
            order = only_order(match)
            if order is not None:
                yield form_of(match), order
    yield from _title_evidence(element)


def _may_hold_one(text: str) -> bool:
    return any(separator in text for separator in "/-.") or not text.isascii()


def _twin_evidence(page: PageObserved) -> Iterator[Evidence]:
    """A date that the page also writes in a way of only one meaning shows how the page writes dates."""
    matches = (NUMERIC.fullmatch(plain(element.name)) for element in page.elements if len(element.name) <= 30)
    ambiguous = {match[0]: match for match in matches if match is not None and len(_orders(match)) > 1}
    written = _days_written(page) if ambiguous else frozenset[date]()
    for match in ambiguous.values():
        orders: list[DateOrder] = [order for order, days in _orders(match).items() if written & set(days)]
        if len(orders) == 1:
            yield form_of(match), orders[0]


def _orders(match: re.Match[str]) -> DaysByOrder:
    return days_by_order(match["a"], match["b"], match["y"])


def _days_written(page: PageObserved) -> frozenset[date]:
    """Return the days that the page writes in a way of only one meaning: ISO dates, also in links and titles, and
    dates in words."""
    days: set[date] = set()
    for element in page.elements:
        for text in (element.name[:MAX_TEXT_CHARS], element.title, element.value, element.url):
            for match in _ISO.finditer(text[:MAX_TEXT_CHARS]) if text else ():
                day = real_day(int(match[1]), int(match[2]), int(match[3]))
                days.update([day] if day is not None else [])
        for text in (element.name, element.title):
            if text and len(text) <= MAX_DATE_CHARS and _WORDED.search(text):
                days.update(_only_day(text))
    return frozenset(days)


def _only_day(text: str) -> frozenset[date]:
    try:
        said = read_date(text)
    except NotADate:
        return frozenset()
    return said.days if isinstance(said, Dated) and len(said.days) == 1 else frozenset()


def _title_evidence(element: Element) -> Iterator[Evidence]:
    """A date whose title gives the full date shows how the page writes dates."""
    match = NUMERIC.fullmatch(plain(element.name)) if element.title is not None and len(element.name) <= 30 else None
    if match is None or element.title is None:
        return
    try:
        title_date = read_date(element.title)
    except NotADate:
        return
    if isinstance(title_date, Dated):
        by_order = days_by_order(match["a"], match["b"], match["y"])
        orders: list[DateOrder] = [order for order, days in by_order.items() if title_date.days <= set(days)]
        if len(orders) == 1:
            yield form_of(match), orders[0]
