"""Every day that a text can mean, in all the ways in which pages write dates.

A word that means two months in two languages (``listopad``) is not guessed: both days are possible, unless the weekday,
or what is known of the page's language, leaves one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from shared.text.date_names import NO_MEANING, DateOrder, Meanings, date_names
from shared.text.date_numbers import (
    COMPACT,
    LOOSE,
    NUMERIC,
    WITH_UNITS,
    YEAR_FIRST,
    DaysByOrder,
    NotADate,
    clock_of,
    days_by_order,
    form_of,
    is_zone,
    possible_days,
    real_day,
    without_gaps,
)
from shared.text.date_words import (
    MONTH,
    WEEKDAY,
    MarkedText,
    is_vague,
    marked,
    patterns,
    weekdays_of,
    with_months_marked,
    with_weekday_marked,
)
from shared.text.normal import bare, plain, quoted

MAX_CHARS = 200
"""No date is longer than this."""
DATES_KEPT = 4096
"""Cached readings: the texts of a few pages."""
_REMARK = re.compile(r"(?P<head>.*\S) ?\((?P<remark>[^()]*)\)")
_DATE_IN_REMARK = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\b(?:19|20)\d\d\b"
    rf"|\d\S{{0,2}} ?(?:de )?{MONTH}(?! of\b)|{MONTH}\.? ?\d"
)
_GAP_IN_ZONE = re.compile(r"(?<=^utc|^gmt) (?=[+-]\d)")
_HAS_DIGIT = re.compile(r"\d")
_YEAR, _DAY = re.compile(r"(?<!\d)\d{4}(?!\d)"), re.compile(r"(?<![\d:.])\d{1,2}(?!\d|[:.]\d)")
_WORD_BEHIND = re.compile(r" ?([^\W\d_]+)")


@dataclass(frozen=True)
class DateHints:
    """What a page settles for reading its dates."""

    order: DateOrder | None = None
    """The order in which numeric dates are written, where one of them can be read in no other ..."""
    forms: frozenset[str] = frozenset()
    """... and the formats of those (see :func:`shared.text.date_numbers.form_of`)."""
    languages: tuple[frozenset[str], ...] = ()
    """The languages that the page can be in; the surest evidence comes first."""


def in_language(language: str) -> DateHints:
    """The hints of a page of which only the language is known."""
    return DateHints(languages=(frozenset({language}),))


Order = DateOrder | DateHints | None
Candidate = tuple[date, frozenset[str]]
"""A day that a text can mean, and the languages in which it does."""


@dataclass(frozen=True)
class Dated:
    """Every day a text can mean, and the time of day behind it: ISO 8601, with its zone where one is given."""

    days: frozenset[date]
    clock: str = ""


@dataclass(frozen=True)
class Undated:
    """A text that says a moment, but not its date: all of it (``yesterday``) or the year. ``months`` (those its word
    can mean) and ``day`` are what it does say."""

    months: frozenset[int] = frozenset()
    day: int | None = None


def read_date(shown: str, order: Order = None) -> Dated | Undated:
    """What a text says of a date by itself. Raises NotADate."""
    if len(shown) > MAX_CHARS:
        raise NotADate(f"{quoted(shown)} is not a date")
    said = _read_or_reason(shown, order)
    if isinstance(said, str):
        raise NotADate(said)
    return said


@lru_cache(maxsize=DATES_KEPT)
def _read_or_reason(shown: str, order: Order) -> Dated | Undated | str:
    """Return what a text says of a date, or why it is none. Each rule, field and check reads the same texts."""
    try:
        return _read(shown, order)
    except NotADate as exc:
        return str(exc)


def _read(shown: str, order: Order) -> Dated | Undated:
    text, dated = _without_remark(_comparable(shown))
    if not dated:
        return _read_alone(text, shown, order)
    if is_vague(text):  # `3 days ago (2024-03-05)`: the remark is the date
        return _read_alone(dated, shown, order)
    said = [one for one in (_dated(text, order), _dated(dated, order)) if one is not None]
    if len(said) < 2 or len(said[0].days) > 1 or said[0].days != said[1].days:
        raise NotADate(f"{quoted(shown)} has two dates")
    return said[0] if said[0].clock else said[1]


def _dated(text: str, order: Order) -> Dated | None:
    try:
        said = _read_alone(text, text, order)
    except NotADate:
        return None
    return said if isinstance(said, Dated) else None


def _read_alone(text: str, shown: str, order: Order) -> Dated | Undated:
    text = without_gaps(text)
    found = _year_first(text) or _numeric(text, order)
    if found is None and is_vague(text):
        return Undated()
    ways = list(marked(text)) if found is None and _HAS_DIGIT.search(text) else []
    found = found or _named(text, ways, order)
    if found is None:
        return _without_year(ways, shown)
    days, rest = found
    return Dated(days, clock_of(rest, shown))


def days_in(text: str, hints: DateHints | None = None) -> frozenset[date]:
    """Return every day that the first date within a text can mean; none where it has no date."""
    wanted = _comparable(text)
    for one in marked(wanted):
        match = _first(pattern.search(one.text) for pattern in patterns().full)
        if match is not None:
            return frozenset(_settled(list(_candidates(match, one, None)), hints))
    scattered = [candidate for one in marked(wanted) for candidate in _scattered(one)]
    if scattered:
        return frozenset(_settled(scattered, hints))
    numbers = WITH_UNITS.search(wanted) or LOOSE.search(wanted) or COMPACT.search(wanted)
    by_order = {} if numbers is None else days_by_order(*numbers.groups())
    return frozenset(day for days in by_order.values() for day in days)


def _scattered(one: MarkedText) -> Iterator[Candidate]:
    """A month in words with one day and one year somewhere: ``Sat Nov 21 14:30:00 2026``."""
    years, days = set(_YEAR.findall(one.text)), set(_DAY.findall(one.text))
    if len(years) == len(days) == 1:
        for month, languages in one.month.items():
            yield from ((day, languages) for day in possible_days(min(years), str(month), min(days)))


def months_in(text: str) -> frozenset[int]:
    """Return every month that a word of the text can mean."""
    return frozenset(month for one in marked(_comparable(text)) for month in one.month)


def languages_of_date(text: str) -> frozenset[str]:
    """Return the languages in which a text is a date with the month in words; none where it is none, or could be two
    dates."""
    wanted = _comparable(text) if len(text) <= MAX_CHARS else ""
    for one in marked(wanted):
        match = _first(pattern.match(one.text) for pattern in (*patterns().full, *patterns().without_year))
        if match is not None:
            return next(iter(one.month.values())) if len(one.month) == 1 else frozenset()
    return frozenset()


# --- the ways in which a date is written; each gives the days it can mean, and what is left of the text

Found = tuple[frozenset[date], str] | None


def _year_first(text: str) -> Found:
    match = YEAR_FIRST.match(text) or WITH_UNITS.match(text)
    if match is None:
        return None
    weekday, end = _weekday_behind(text, match.end()) if match.re is WITH_UNITS else (NO_MEANING, match.end())
    days = [day for day in possible_days(match["y"], match["m"], match["d"]) if not weekday or day.weekday() in weekday]
    return _found(days, match[0], text[end:], weekday)


def _weekday_behind(text: str, end: int) -> tuple[Meanings, int]:
    word = _WORD_BEHIND.match(text, end)
    weekday = weekdays_of(word[1]) if word is not None else NO_MEANING
    return weekday, word.end() if word is not None and weekday else end


def _named(text: str, ways: Sequence[MarkedText], order: Order) -> Found:
    for one in ways:
        match = _first(pattern.match(one.text) for pattern in patterns().full)
        if match is not None:
            rest = one.text[match.end() :]
            days = _settled(list(_candidates(match, one, order)), order)
            return _found(days, text[: len(text) - len(rest)], rest, one.weekday)
    return None


def _candidates(match: re.Match[str], one: MarkedText, order: Order) -> Iterator[Candidate]:
    """The days of a date in words. Where a language knows both its month and its weekday, others do not count."""
    weekdays = one.weekday.items() if WEEKDAY in match[0] else ()
    readings = [(m, None, languages) for m, languages in one.month.items()] if not weekdays else [
        (m, w, in_month & in_week) for m, in_month in one.month.items() for w, in_week in weekdays
    ]  # fmt: skip
    known = [reading for reading in readings if reading[2]]
    for month, weekday, languages in known or readings:
        for year, day in _year_and_day(match["y"], match["d"], order):
            for found in possible_days(year, str(month), day):
                if weekday is None or found.weekday() == weekday:
                    yield found, languages


def _year_and_day(year: str, day: str, order: Order) -> list[tuple[str, str]]:
    """``18 Nov 26`` may begin with the year as well."""
    if len(year) == 4:
        return [(year, day)]
    ways = {"dmy": (year, day), **({"ymd": (day, year)} if len(day) == 2 else {})}
    if isinstance(order, str):
        return [ways[one] for one in ("ymd" if order == "ymd" else "dmy",) if one in ways]
    return list(ways.values())


def _numeric(text: str, order: Order) -> Found:
    languages = order.languages if isinstance(order, DateHints) else ()
    unmarked = MarkedText(text, NO_MEANING, NO_MEANING)
    one = unmarked if text[:1].isdigit() else with_weekday_marked(text, languages)
    match = (patterns().numeric if one.weekday else NUMERIC).match(one.text)
    if match is None:
        return None
    rest = one.text[match.end() :]
    written = text[: len(text) - len(rest)]
    by_order = days_by_order(match["a"], match["b"], match["y"])
    wanted = _wanted(order, match)
    if wanted is not None and wanted not in by_order:
        raise NotADate(f"{quoted(written)} is not a date in the order {wanted}, in which dates are written here")
    if wanted is not None:
        by_order: DaysByOrder = {wanted: by_order[wanted]}
    elif match["sep"] == "/":
        by_order.pop("ymd", None)
    return _found(_settled(_on_weekday(by_order, one.weekday), order), written, rest, one.weekday)


def _on_weekday(by_order: DaysByOrder, weekday: Meanings) -> list[Candidate]:
    """The days of that weekday. Where the numbers can mean several days, only those readings count in which a language
    writes dates in its own order."""
    if not weekday:
        return [(day, frozenset[str]()) for days in by_order.values() for day in days]
    fitting = [
        (order, day, languages)
        for order, days in by_order.items()
        for day in days
        for number, languages in weekday.items()
        if day.weekday() == number
    ]
    if len({day for days in by_order.values() for day in days}) > 1:
        orders = date_names().orders
        fitting = [one for one in fitting if any(one[0] in orders[language] for language in one[2])]
    return [(day, languages) for _, day, languages in fitting]


def _wanted(order: Order, match: re.Match[str]) -> DateOrder | None:
    """The order that is settled for a date of this format. One that ends in four digits does not begin with a year."""
    if isinstance(order, DateHints):
        order = order.order if form_of(match) in order.forms else None
    return None if order == "ymd" and len(match["y"]) == 4 else order


def _settled(candidates: Sequence[Candidate], order: Order) -> list[date]:
    """Of several days those that the language of the page leaves."""
    days = [day for day, _ in candidates]
    for known in order.languages if isinstance(order, DateHints) and len(set(days)) > 1 else ():
        left = [day for day, languages in candidates if languages & known]
        if left:
            return left
    return days


def _found(days: Iterable[date], written: str, rest: str, weekday: Meanings) -> Found:
    fitting = frozenset(days)
    if not fitting:
        raise NotADate(f"{quoted(written)} is not a date{' of that weekday' if weekday else ''}")
    return fitting, rest


def _without_year(ways: Sequence[MarkedText], shown: str) -> Undated:
    for one in ways:
        match = _first(pattern.match(one.text) for pattern in patterns().without_year)
        months = frozenset(m for m in one.month if match is not None and real_day(2000, m, int(match["d"])))
        if match is not None and months:
            clock_of(one.text[match.end() :], shown)
            return Undated(months, int(match["d"]))
    raise NotADate(f"{quoted(shown)} is not a date")


def _first(matches: Iterable[re.Match[str] | None]) -> re.Match[str] | None:
    return next(filter(None, matches), None)


# --- what stands around a date


def _comparable(shown: str) -> str:
    return bare(plain(shown))


def _without_remark(text: str) -> tuple[str, str]:
    """Return the text before a remark in parentheses, and the remark if a date is in it; a zone belongs to the time."""
    match = _REMARK.fullmatch(text)
    if match is None:
        return text, ""
    remark = _GAP_IN_ZONE.sub("", match["remark"].strip())
    if is_zone(remark):
        return f"{match['head']} {remark}", ""
    has_date = _HAS_DIGIT.search(remark) and _DATE_IN_REMARK.search(with_months_marked(remark))
    return match["head"], remark if has_date else ""
