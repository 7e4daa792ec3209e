"""Pure: every day that a text can mean, in all the ways in which pages write dates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from services.planner.values.clocks import NotADate, clock_of, is_zone
from services.planner.values.date_words import MONTHS, WEEKDAYS, bare, is_vague
from shared.task_spec import DateOrder
from shared.text.normal import plain, quoted

LAST_SURE_YEAR = 49
"""Of the years written with two digits, the last that is surely of this century."""

_MONTHS = "|".join(sorted(MONTHS, key=len, reverse=True))
_WEEKDAY = rf"(?:(?P<weekday>{'|'.join(sorted(WEEKDAYS, key=len, reverse=True))})\.?,? (?:(?:den|the|le|el) )?)?"
_MONTH = rf"(?P<month>{_MONTHS})\.?"
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th|er|\.|\u00ba)?"
_END = r"(?![\w/-])"
_ISO = re.compile(r"(?P<y>\d{4})(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})(?!\d)")
_BY_NAME = (
    re.compile(rf"(?P<y>\d{{4}})[ /-]{_MONTH}[ /-]{_DAY}{_END}"),
    re.compile(rf"{_WEEKDAY}{_MONTH} ?{_DAY},? (?P<y>\d{{4}}){_END}"),
    re.compile(rf"{_WEEKDAY}{_DAY}(?: of| de)?[ /.-]?{_MONTH},?(?: del?)?[ /-](?P<y>\d{{4}}|\d{{2}}){_END}"),
)
_WITHOUT_YEAR = (
    re.compile(rf"{_WEEKDAY}{_MONTH} ?{_DAY}{_END}"),
    re.compile(rf"{_WEEKDAY}{_DAY}(?: of| de)? ?{_MONTH}{_END}"),
)
NUMERIC = re.compile(r"(?P<a>\d{1,2})(?P<sep>[-/.])(?P<b>\d{1,2})(?P=sep)(?P<y>\d{4}|\d{2})(?!\d)")
_NUMERIC = re.compile(rf"{_WEEKDAY}{NUMERIC.pattern}")
_REMARK = re.compile(r"(?P<head>.*\S) ?\((?P<remark>[^()]*)\)")
_DATE_IN_WORDS = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\b(?:19|20)\d\d\b"
    rf"|\d\S{{0,2}} ?(?:de )?(?:{_MONTHS})\b|\b(?:{_MONTHS})\.? ?\d"
)
MAX_CHARS = 200
"""No date is longer than this."""


@dataclass(frozen=True)
class DateOrders:
    """What a page settles: in which order its dates are written, for each of the formats in which one of them can be
    read in no other (see :func:`form_of`)."""

    order: DateOrder
    forms: frozenset[str]


Order = DateOrder | DateOrders | None


@dataclass(frozen=True)
class Dated:
    """Every day a text can mean, and the time of day behind it: ISO 8601, with its zone where one is given."""

    days: frozenset[date]
    clock: str = ""


@dataclass(frozen=True)
class Undated:
    """A text that says a moment, but not its date: all of it (``yesterday``) or the year. ``month`` and ``day`` are
    those it does say."""

    month: int | None = None
    day: int | None = None


def read_date(shown: str, order: Order = None) -> Dated | Undated:
    """What a text says of a date by itself. Raises NotADate."""
    if len(shown) > MAX_CHARS:
        raise NotADate(f"{quoted(shown)} is not a date")
    text = _without_remark(bare(plain(shown)), shown)
    if is_vague(text):
        return Undated()
    found = _iso(text, order) or _named(text, order) or _numeric(text, order)
    if found is None:
        return _without_year(text, shown)
    days, rest = found
    return Dated(days, clock_of(rest, shown))


def form_of(match: re.Match[str]) -> str:
    """The format of a numeric date: its separator, and how many digits its year has."""
    return f"{match['sep']}{len(match['y'])}"


def days_by_order(match: re.Match[str]) -> dict[DateOrder, tuple[date, ...]]:
    """What a numeric date means in each order in which it can be written at all."""
    a, b, y = match["a"], match["b"], match["y"]
    orders: dict[DateOrder, tuple[str, str, str]] = {"dmy": (y, b, a), "mdy": (y, a, b)}
    if len(y) == 2:
        orders["ymd"] = (a, b, y)
    found: dict[DateOrder, tuple[date, ...]] = {order: _days(*parts) for order, parts in orders.items()}
    kept: dict[DateOrder, tuple[date, ...]] = {order: days for order, days in found.items() if days}
    return kept


# --- the ways in which a date is written; each gives the days it can mean, and what is left of the text

Found = tuple[frozenset[date], str] | None


def _iso(text: str, order: Order) -> Found:
    match = _ISO.match(text)
    return None if match is None else _found(_days(match["y"], match["m"], match["d"]), match)


def _named(text: str, order: Order) -> Found:
    match = next(filter(None, (pattern.match(text) for pattern in _BY_NAME)), None)
    if match is None:
        return None
    month = str(MONTHS[match["month"]])
    days = {"dmy": _days(match["y"], month, match["d"])}
    if len(match["y"]) == 2:
        days["ymd"] = _days(match["d"], month, match["y"]) if len(match["d"]) == 2 else ()
        if isinstance(order, str):
            days = {"": days["ymd" if order == "ymd" else "dmy"]}
    return _found([day for several in days.values() for day in several], match)


def _numeric(text: str, order: Order) -> Found:
    match = _NUMERIC.match(text)
    if match is None:
        return None
    by_order = days_by_order(match)
    wanted = _wanted(order, match)
    if wanted is not None and wanted not in by_order:
        raise NotADate(f"{quoted(match[0])} is not a date in the order {wanted}, in which dates are written here")
    if wanted is not None:
        return _found(by_order[wanted], match)
    if match["sep"] == "/":
        by_order.pop("ymd", None)
    return _found([day for days in by_order.values() for day in days], match)


def _wanted(order: Order, match: re.Match[str]) -> DateOrder | None:
    """The order that is settled for a date of this format. One that ends in four digits does not begin with a year."""
    if isinstance(order, DateOrders):
        order = order.order if form_of(match) in order.forms else None
    return None if order == "ymd" and len(match["y"]) == 4 else order


def _found(days: Iterable[date], match: re.Match[str]) -> Found:
    weekday = match.groupdict().get("weekday")
    fitting = frozenset(day for day in days if weekday is None or day.weekday() == WEEKDAYS[weekday])
    if not fitting:
        raise NotADate(f"{quoted(match[0])} is not a date{' of that weekday' if weekday else ''}")
    return fitting, match.string[match.end() :]


def _days(year: str, month: str, day: str) -> tuple[date, ...]:
    found = (_real(one, int(month), int(day)) for one in _years(year))
    return tuple(one for one in found if one is not None)


def _years(year: str) -> Iterator[int]:
    written = int(year)
    if len(year) != 2:
        yield written
        return
    yield 2000 + written
    if written > LAST_SURE_YEAR:
        yield 1900 + written


def _real(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _without_year(text: str, shown: str) -> Undated:
    match = next(filter(None, (pattern.match(text) for pattern in _WITHOUT_YEAR)), None)
    if match is None or _real(2000, MONTHS[match["month"]], int(match["d"])) is None:
        raise NotADate(f"{quoted(shown)} is not a date")
    clock_of(text[match.end() :], shown)
    return Undated(MONTHS[match["month"]], int(match["d"]))


# --- what stands behind a date


def _without_remark(text: str, shown: str) -> str:
    """The text before a remark in parentheses; a zone in them belongs to the time."""
    match = _REMARK.fullmatch(text)
    if match is None:
        return text
    if is_zone(match["remark"].strip()):
        return f"{match['head']} {match['remark'].strip()}"
    if _DATE_IN_WORDS.search(match["remark"]):
        raise NotADate(f"{quoted(shown)} has two dates")
    return match["head"]
