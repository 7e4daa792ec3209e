"""Pure: dates in numbers, in every order in which they can be written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from shared.text.date_names import DateOrder

LAST_SURE_YEAR = 49
"""Of the years written with two digits, the last that is surely of this century."""
NUMERIC = re.compile(r"(?P<a>\d{1,2})(?P<sep>[-/.])(?P<b>\d{1,2})(?P=sep)(?P<y>\d{4}|\d{2})(?!\d)")
YEAR_FIRST = re.compile(r"(?P<y>\d{4})(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})(?!\d)")
WITH_UNITS = re.compile(r"(?P<y>\d{4}) ?[年년] ?(?P<m>\d{1,2}) ?[月월] ?(?P<d>\d{1,2}) ?[日일]")
"""As Chinese, Japanese and Korean write dates."""
LOOSE = re.compile(r"(?<!\d)(\d{1,4}) ?[-/.] ?(\d{1,2}) ?[-/.] ?(\d{1,4})(?!\d)")
"""As fields may hold it, with blanks and with different signs between."""
COMPACT = re.compile(r"(?<!\d)(\d{4})(\d{2})(\d{2})(?!\d)")
_SPACED = re.compile(r"(?<!\d)(\d{1,4})\. (\d{1,2})\. (\d{1,4})(?!\d)\.?")

DaysByOrder = dict[DateOrder, tuple[date, ...]]


def days_by_order(first: str, second: str, third: str) -> DaysByOrder:
    """Return what three numbers mean as a date, in each order in which they can be one at all."""
    orders: dict[DateOrder, tuple[str, str, str]] = {"dmy": (third, second, first), "mdy": (third, first, second)}
    if len(first) == 4:
        orders = {"ymd": (first, second, third)}
    elif len(third) == 2:
        orders["ymd"] = (first, second, third)
    found: DaysByOrder = {order: possible_days(*parts) for order, parts in orders.items()}
    kept: DaysByOrder = {order: days for order, days in found.items() if days}
    return kept


def possible_days(year: str, month: str, day: str) -> tuple[date, ...]:
    """Return the days that three written numbers can mean: none, or one for each century the year can be of."""
    found = (real_day(one, int(month), int(day)) for one in _years(year))
    return tuple(one for one in found if one is not None)


def real_day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def form_of(match: re.Match[str]) -> str:
    """The format of a numeric date: its separator, and how many digits its year has."""
    return f"{match['sep']}{len(match['y'])}"


def without_gaps(text: str) -> str:
    """Return the text with its first date of the form ``7. 11. 2026`` or ``2026. 11. 7.`` written without blanks."""
    return _SPACED.sub(r"\1.\2.\3", text, count=1)


def _years(year: str) -> Iterator[int]:
    written = int(year)
    if len(year) != 2:
        yield written
        return
    yield 2000 + written
    if written > LAST_SURE_YEAR:
        yield 1900 + written
