"""Dates and times as pages show them, to ISO 8601. What could be two dates is none.

Decided so, and held by tests:

- Months by name leave no doubt, in all languages of ``date_names``, but for words that mean two months in two of them:
  those are settled by the weekday, by the language of the page, or not at all. A weekday beside a date must be that of
  the date, and may settle which one is meant.
- ``03/10/24`` needs to be told which comes first. ``24-03-10`` and ``31.12.25`` may begin with the year as well, as
  they do in Korea or Hungary, and ``18-Nov-26`` may be of 2018; ``25/12/24`` begins with the day.
- Two digits are a year of this century up to 49; ``25/12/75`` could be of either.
- A remark behind it in parentheses is no part of the date, unless it contains another date. The date in that of
  ``3 days ago (2024-03-05)`` is the one.
- ``midnight`` may be the beginning of its day or the end: no date-time can be made of it, but a date can.
- A zone by name (``EST``) is not told from others of that name: no date-time can be made of it, but a date can.
- ``3 days ago`` is no date: the clock it was counted by is not on the page. Only the element's title can say the date.
- A date is taken as written: no zone is added and none is converted.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date

from shared.text.date_numbers import EITHER_MIDNIGHT, NUMERIC, UNKNOWN_ZONE, NotADate, is_zoned
from shared.text.normal import Invalid, plain, quoted
from shared.text.written_dates import Dated, Order, Undated, read_date

_IN_BRACKETS = re.compile(r"\([^()]*\)")


def date_value(shown: str, *, order: Order = None, title: str | None = None) -> str | Invalid:
    """``Mar 3, 2026`` to ``2026-03-03``; a time of day is dropped. ``title`` counts where that is not enough."""
    try:
        return _day(shown, order, title).isoformat()
    except NotADate as exc:
        return Invalid(str(exc))


def date_time_value(shown: str, *, order: Order = None, title: str | None = None) -> str | Invalid:
    """``2026-03-03 14:05 UTC`` to ``2026-03-03T14:05:00+00:00``."""
    try:
        return _moment(shown, order, title)
    except NotADate as exc:
        return Invalid(str(exc))


def iso_date(text: str) -> str:
    """The day that a text says by itself. Raises NotADate."""
    return _day(text, None, None).isoformat()


def same_date(one: str, other: str) -> bool:
    """Return whether both texts may say the same day, each in its own notation. Where one of them is no date, they do
    if they have the same numbers."""
    here, there = _read(one), _read(other)
    if isinstance(here, Dated) and isinstance(there, Dated):
        return bool(here.days & there.days)
    numbers = (sorted(map(int, re.findall(r"\d+", _IN_BRACKETS.sub("", text)))) for text in (one, other))
    return next(numbers) == next(numbers)


def _read(text: str) -> Dated | Undated | None:
    with suppress(NotADate):
        return read_date(text)
    return None


# --- which day, which moment


def _day(shown: str, order: Order, title: str | None) -> date:
    said = read_date(shown, order)
    if isinstance(said, Dated) and len(said.days) == 1:
        return next(iter(said.days))
    return _by_title(said, shown, title, order)[0]


def _moment(shown: str, order: Order, title: str | None) -> str:
    said = read_date(shown, order)
    clock = said.clock if isinstance(said, Dated) else ""
    lack = _lack(clock)
    if not lack:
        return f"{_day(shown, order, title).isoformat()}T{clock}"
    day, clock = _by_title(said, shown, title, order, lack)
    if _lack(clock):
        raise NotADate(f"{quoted(shown)} {lack}")
    return f"{day.isoformat()}T{clock}"


def _lack(clock: str) -> str:
    """Return what a time of day lacks, or nothing."""
    if clock == EITHER_MIDNIGHT:
        return "does not say which midnight: that of the beginning of its day or of its end"
    if clock.endswith(UNKNOWN_ZONE):
        return "has a time zone that is not known"
    return "" if clock else "has no time of day"


def _by_title(said: Dated | Undated, shown: str, title: str | None, order: Order, lack: str = "") -> tuple[date, str]:
    """The day and time the title says, where it is one of those that are shown."""
    told = _whole_date(title, order)
    if told is None:
        raise NotADate(_open(said, shown, lack))
    day, clock = told
    if isinstance(said, Dated) and len(said.days) > 1:
        if day not in said.days:
            raise NotADate(f"{quoted(shown)} is none of what its title says, {quoted(title or '')}")
        return day, clock
    if not any(_fits(said, one) for one in (_around(day) if is_zoned(clock) else (day,))):
        raise NotADate(f"{quoted(shown)} is another day than its title says, {quoted(title or '')}")
    return day, clock


def _whole_date(title: str | None, order: Order) -> tuple[date, str] | None:
    if title is None:
        return None
    try:
        told = read_date(title, order)
    except NotADate:
        return None
    return (next(iter(told.days)), told.clock) if isinstance(told, Dated) and len(told.days) == 1 else None


def _around(day: date) -> tuple[date, ...]:
    """A title may give the moment in another zone, so that its day is the one before or after."""
    last = date.max.toordinal()
    return tuple(date.fromordinal(n) for n in range(day.toordinal() - 1, day.toordinal() + 2) if 1 <= n <= last)


def _fits(said: Dated | Undated, day: date) -> bool:
    if isinstance(said, Dated):
        return day in said.days
    return not said.months or (day.month in said.months and said.day == day.day)


def _open(said: Dated | Undated, shown: str, lack: str) -> str:
    if isinstance(said, Undated):
        told = "lacks the year" if said.months else "is relative: without the date in the markup it cannot be known"
        return f"{quoted(shown)} {told}"
    if len(said.days) == 1:
        return f"{quoted(shown)} {lack}"
    days = " or ".join(sorted(day.isoformat() for day in said.days))
    either = NUMERIC.search(plain(shown)) is not None and len({day.year for day in said.days}) == 1
    settle = "; `date_order` of the field settles it" if either else ""
    return f"{quoted(shown)} could be {'day/month or month/day: ' if either else ''}{days}{settle}"
