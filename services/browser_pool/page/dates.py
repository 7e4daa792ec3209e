"""Dates as actions name them and as fields want them, and whether what a field holds is that date.

Written dates are read by :mod:`shared.text.written_dates`.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date

import msgspec

from shared.text.date_names import date_names, language_of, month_numbers
from shared.text.date_numbers import days_by_order, times_in
from shared.text.normal import plain
from shared.text.written_dates import days_in, in_language, months_in

_ISO = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?(?:[T ](\d{2}):(\d{2})(?::\d{2})?)?$|(\d{2}):(\d{2})(?::\d{2})?$")
_WEEK = re.compile(r"(\d{4})-W(\d{2})$")
_THREE_NUMBERS = re.compile(r"(\d{1,4})\s*[./\- ]\s*(\d{1,2})\s*[./\- ]\s*(\d{1,4})")
_MASK = re.compile(
    r"(?<![a-z])(y{4}|y{2}|j{4}|a{4}|m{1,4}|d{1,2}|t{2}|j{2})([./\- ,]{1,2})(m{1,4}|d{1,2}|t{2}|j{2})([./\- ,]{1,2})"
    r"(y{4}|y{2}|j{4}|a{4}|m{1,2}|d{1,2}|t{2}|j{2})(?![a-z])"
)


@dataclass(frozen=True)
class Moment:
    """The value to set: a day, a month (``day`` is None), a time of day (``year`` is None), or a day with a time."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    hour: int | None = None
    minute: int = 0

    @property
    def clock(self) -> str:
        return "" if self.hour is None else f"{self.hour:02d}:{self.minute:02d}"

    def iso(self) -> str:
        if self.year is None:
            return self.clock
        day = f"{self.year:04d}-{self.month:02d}" + ("" if self.day is None else f"-{self.day:02d}")
        return f"{day}T{self.clock}" if self.hour is not None else day


def parse(text: str) -> Moment | None:
    """``2026-11-21``, ``2026-11``, ``14:30``, ``2026-11-21T14:30`` or ``2026-W47`` (its Monday); None for others."""
    week = _WEEK.fullmatch(text.strip())
    if week:
        return _monday(int(week[1]), int(week[2]))
    found = _ISO.fullmatch(text.strip())
    if found is None:
        return None
    numbers = [None if group is None else int(group) for group in found.groups()]
    year, month, day, hour, minute, clock_hour, clock_minute = numbers
    if clock_hour is not None:
        return _valid(Moment(hour=clock_hour, minute=clock_minute or 0))
    return _valid(Moment(year, month, day, hour, minute or 0))


def _monday(year: int, week: int) -> Moment | None:
    try:
        day = date.fromisocalendar(year, week, 1)
    except ValueError:
        return None
    return Moment(day.year, day.month, day.day)


def _valid(moment: Moment) -> Moment | None:
    try:
        if moment.year is not None:
            date(moment.year, moment.month or 0, moment.day or 1)
    except ValueError:
        return None
    hours_ok = moment.hour is None or (moment.hour < 24 and moment.minute < 60)
    return moment if hours_ok and (moment.hour is None or moment.year is None or moment.day is not None) else None


def native(moment: Moment, kind: str) -> str | None:
    """Return the value for a native input of type ``kind``, or None when the moment lacks a part of it."""
    if kind == "time":
        return moment.clock or None
    if moment.year is None or moment.month is None:
        return None
    if kind == "month":
        return f"{moment.year:04d}-{moment.month:02d}"
    if moment.day is None:
        return None
    if kind == "week":
        year, week, _ = date(moment.year, moment.month, moment.day).isocalendar()
        return f"{year:04d}-W{week:02d}"
    day = f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d}"
    if kind == "date":
        return day
    return f"{day}T{moment.clock}" if moment.clock else None


@dataclass(frozen=True)
class Format:
    """How a field writes dates: the order of day, month and year, the two separators, and the digits."""

    order: str
    between: tuple[str, str]
    year_digits: int = 4
    padded: bool = True
    named: bool = False
    """The month is written by name."""

    def write(self, moment: Moment) -> str:
        assert moment.year is not None
        width = 2 if self.padded else 1
        year = f"{moment.year:04d}" if self.year_digits == 4 else f"{moment.year % 100:02d}"
        month = calendar.month_abbr[moment.month or 1] if self.named else f"{moment.month or 1:0{width}d}"
        parts = {"d": f"{moment.day or 1:0{width}d}", "m": month, "y": year}
        first, second, third = (parts[one] for one in self.order)
        return f"{first}{self.between[0]}{second}{self.between[1]}{third}"


def format_of(*hints: str) -> Format | None:
    """Return the format that a field's own words show (placeholder, title, label), such as ``MM/DD/YYYY`` or
    ``tt.mm.jjjj``."""
    for hint in hints:
        found = _MASK.search(hint.lower())
        if found is None:
            continue
        units = (found[1], found[3], found[5])
        order = "".join(_unit(unit) for unit in units)
        if sorted(order) != ["d", "m", "y"]:
            continue
        year = units[order.index("y")]
        month, day = units[order.index("m")], units[order.index("d")]
        return Format(order, (found[2], found[4]), 4 if len(year) == 4 else 2, len(day) == 2, len(month) >= 3)
    return None


def _unit(unit: str) -> str:
    if unit.startswith("m"):
        return "m"
    if unit.startswith(("d", "t")) or unit == "jj":
        return "d"
    return "y"


def example(text: str) -> Format | None:
    """Return the format of a date that the field already holds, or None when it can be read in more than one way."""
    found = re.search(r"(\d{1,4})([./\-] ?)(\d{1,2})([./\-] ?)(\d{1,4})", text)
    if found is None:
        return None
    read = set(days_by_order(found[1], found[3], found[5]))
    if len(read) != 1:
        return None
    order = read.pop()
    numbers = (found[1], found[3], found[5])
    padded = len(numbers[order.index("d")]) == 2 and len(numbers[order.index("m")]) == 2
    return Format(order, (found[2], found[4]), len(numbers[order.index("y")]), padded)


def reads_as(text: str, moment: Moment, lang: str = "") -> bool | None:
    """Return whether ``text`` is that moment; None when it can also be read as another day.

    ``lang`` is the language of the text, if known.
    """
    if moment.hour is not None and (moment.hour, moment.minute) not in times_in(text):
        return False
    if moment.year is None:
        return True
    if moment.day is None:
        return _reads_as_month(text, moment)
    read = days_in(text, in_language(language_of(lang)))
    if date(moment.year, moment.month or 0, moment.day) not in read:
        return False
    return True if len(read) == 1 else None


def _reads_as_month(text: str, moment: Moment) -> bool:
    numbers = [int(one) for one in re.findall(r"\d+", plain(text))]
    month_there = moment.month in (months_in(text) or numbers)
    return month_there and any(one in (moment.year, (moment.year or 0) % 100) for one in numbers)


def clock_for(hint: str, moment: Moment) -> str:
    """Return the time of day as the hint of a field wants it, with 12 or 24 hours."""
    if re.search(r"\b(a|aa|am|pm|tt)\b|am/pm|h:mm a", hint.lower()) and moment.hour is not None:
        return f"{(moment.hour % 12) or 12:02d}:{moment.minute:02d} {'AM' if moment.hour < 12 else 'PM'}"
    return moment.clock


def reads_in(text: str, order: str, moment: Moment, lang: str = "") -> bool:
    """Return whether ``text`` is that moment in a field whose order of day, month and year is known."""
    if moment.year is None or moment.day is None:
        return reads_as(text, moment, lang) is True
    found = _THREE_NUMBERS.search(plain(text))
    clock_ok = moment.hour is None or (moment.hour, moment.minute) in times_in(text)
    if found is None:
        return clock_ok and reads_as(text, moment, lang) is True
    asked = date(moment.year, moment.month or 0, moment.day)
    by_order = days_by_order(found[1], found[2], found[3])
    return clock_ok and any(order == one and asked in days for one, days in by_order.items())


def month_table(lang: str) -> str:
    """Return, as JSON, the month names of a language and the words that surround a month's number."""
    table = {"words": month_numbers(lang), "numbered": sorted(date_names().numbered)}
    return msgspec.json.encode(table).decode()
