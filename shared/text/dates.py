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
- ``3 days ago`` is no date: the clock it was counted by is not on the page. Only the element's title can say the date,
  also as the one date within it: ``See timeline at 08/15/26 02:39:00``.
- A date is taken as written: no zone is added and none is converted.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date

from shared.text.date_numbers import (
    ALONE,
    EITHER_MIDNIGHT,
    NUMERIC,
    UNKNOWN_ZONE,
    NotADate,
    is_zoned,
    readable_orders,
)
from shared.text.date_words import is_from_now
from shared.text.normal import Invalid, bare, plain, quoted
from shared.text.written_dates import MAX_CHARS, Dated, Order, Undated, read_date

MOST_TITLE_WORDS, MOST_DATE_WORDS = 40, 8
"""Of a title in which a date is looked for, and of that date."""
_AROUND_DATE = ".,;:()[] "
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


def is_relative(shown: str) -> bool:
    """Return whether a text says a moment by how far it is from the time of reading, as ``3 days ago`` does."""
    return len(shown) <= MAX_CHARS and is_from_now(bare(plain(shown)))


def date_in_markup(shown: str, title: str) -> str:
    """Return the moment, else the day, that the title of a relative text says by itself; empty: it says none, or the
    text is none."""
    if not is_relative(shown):
        return ""
    said = (read(shown, title=title) for read in (date_time_value, date_value))
    return next((one for one in said if isinstance(one, str)), "")


def same_date(one: str, other: str) -> bool:
    """Return whether both texts may say the same day, each in its own notation. Where one of them is no date, they do
    if they have the same numbers."""
    here, there = _read(one), _read(other)
    if isinstance(here, Dated) and isinstance(there, Dated):
        return bool(here.days & there.days)
    numbers = (sorted(map(int, re.findall(r"\d+", _IN_BRACKETS.sub("", text)))) for text in (one, other))
    return next(numbers) == next(numbers)


def _read(text: str, order: Order = None) -> Dated | Undated | None:
    with suppress(NotADate):
        return read_date(text, order)
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
    told = _date_of_title(title, order)
    if told is None:
        raise NotADate(_open(said, shown, lack))
    if len(told.days) > 1:
        is_open = isinstance(said, Undated) and not said.months
        raise NotADate(_open(told, title or "", "") if is_open else _open(said, shown, lack))
    day, clock = next(iter(told.days)), told.clock
    if isinstance(said, Dated) and len(said.days) > 1:
        if day not in said.days:
            raise NotADate(f"{quoted(shown)} is none of what its title says, {quoted(title or '')}")
        return day, clock
    if not any(_fits(said, one) for one in (_around(day) if is_zoned(clock) else (day,))):
        raise NotADate(f"{quoted(shown)} is another day than its title says, {quoted(title or '')}")
    return day, clock


def _date_of_title(title: str | None, order: Order) -> Dated | None:
    """The date that a title is, or the only one within it."""
    if title is None:
        return None
    try:
        told = read_date(title, order)
    except NotADate:
        return _only_date_within(title, order)
    return told if isinstance(told, Dated) else None


def _only_date_within(title: str, order: Order) -> Dated | None:
    """The only run of words that is a date; None where there is none, or several. What may be the number of a version
    is none."""
    words = title.split()
    if len(title) > MAX_CHARS or len(words) > MOST_TITLE_WORDS:
        return None
    taken: list[tuple[range, Dated]] = []
    for count in range(min(MOST_DATE_WORDS, len(words)), 0, -1):
        for start in range(len(words) - count + 1):
            run = range(start, start + count)
            text = " ".join(words[start : start + count]).strip(_AROUND_DATE)
            said = _read(text, order) if not any(one in used for used, _ in taken for one in run) else None
            if isinstance(said, Dated):
                if ALONE.search(plain(text)) is not None and not readable_orders(text):
                    return None
                taken.append((run, said))
    return taken[0][1] if len(taken) == 1 else None


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
