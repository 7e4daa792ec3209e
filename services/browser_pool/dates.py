"""Pure: dates as they are asked for, as fields want them written, and as pages write them back."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date

_ISO = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?(?:[T ](\d{2}):(\d{2})(?::\d{2})?)?$|(\d{2}):(\d{2})(?::\d{2})?$")
_WEEK = re.compile(r"(\d{4})-W(\d{2})$")
# The first letters by which a month is known in the languages that use them; English first.
_MONTHS = (
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "jän feb mär apr mai jun jul aug sep okt nov dez",
    "janv févr mars avr mai juin juil août sept oct nov déc",
    "ene feb mar abr may jun jul ago sep oct nov dic",
    "gen feb mar apr mag giu lug ago set ott nov dic",
    "jan fev mar abr mai jun jul ago set out nov dez",
    "jan feb mrt apr mei jun jul aug sep okt nov dec",
)
_MASK = re.compile(
    r"(?<![a-z])(y{4}|y{2}|j{4}|a{4}|m{1,4}|d{1,2}|t{2}|j{2})([./\- ,]{1,2})(m{1,4}|d{1,2}|t{2}|j{2})([./\- ,]{1,2})"
    r"(y{4}|y{2}|j{4}|a{4}|m{1,2}|d{1,2}|t{2}|j{2})(?![a-z])"
)


@dataclass(frozen=True)
class Moment:
    """What is to be set: a day, a month (``day`` None), a time of day (``year`` None), or day and time."""

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
    """What a native input of that type takes, or None where the moment does not say it."""
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
    """How a field wants its date: the order of day, month and year, what stands between, and the digits of each."""

    order: str
    between: tuple[str, str]
    year_digits: int = 4
    padded: bool = True
    named: bool = False
    """The month by name."""

    def write(self, moment: Moment) -> str:
        assert moment.year is not None
        width = 2 if self.padded else 1
        year = f"{moment.year:04d}" if self.year_digits == 4 else f"{moment.year % 100:02d}"
        month = calendar.month_abbr[moment.month or 1] if self.named else f"{moment.month or 1:0{width}d}"
        parts = {"d": f"{moment.day or 1:0{width}d}", "m": month, "y": year}
        first, second, third = (parts[one] for one in self.order)
        return f"{first}{self.between[0]}{second}{self.between[1]}{third}"


def format_of(*hints: str) -> Format | None:
    """From what a field says of itself (placeholder, title, label): ``MM/DD/YYYY``, ``tt.mm.jjjj``."""
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
    """From a date that is written there already, where it can be read in one way only."""
    found = re.search(r"(\d{1,4})([./\-] ?)(\d{1,2})([./\-] ?)(\d{1,4})", text)
    if found is None:
        return None
    read = {order for order, _ in _numeric((found[1], found[3], found[5]))}
    if len(read) != 1:
        return None
    order = read.pop()
    numbers = (found[1], found[3], found[5])
    padded = len(numbers[order.index("d")]) == 2 and len(numbers[order.index("m")]) == 2
    return Format(order, (found[2], found[4]), len(numbers[order.index("y")]), padded)


def readings(text: str) -> frozenset[tuple[int, int, int]]:
    """Every (year, month, day) that ``text`` can mean; several where day and month cannot be told apart."""
    named = _named_month(text)
    if named is not None:
        month, rest = named
        numbers = [int(one) for one in re.findall(r"\d+", rest)]
        years = [one for one in numbers if one >= 1000]
        days = [one for one in numbers if 1 <= one <= 31]
        if years:
            return frozenset((years[0], month, day) for day in days[:1])
        pairs = ((numbers[0], numbers[1]), (numbers[1], numbers[0])) if len(numbers) > 1 else ()
        return frozenset((2000 + year, month, day) for day, year in pairs if 1 <= day <= 31 and year < 100)
    found = re.search(r"(\d{1,4})\s*[./\-年]\s*(\d{1,2})\s*[./\-月]\s*(\d{1,4})", text) or re.search(
        r"(?<!\d)(\d{4})(\d{2})(\d{2})(?!\d)", text
    )
    if found is None:
        return frozenset()
    return frozenset(day for _, day in _numeric((found[1], found[2], found[3])))


def _numeric(parts: tuple[str, str, str]) -> list[tuple[str, tuple[int, int, int]]]:
    """Orders in which three numbers are a date, each with it."""
    orders = ("ymd",) if len(parts[0]) == 4 else ("mdy", "dmy")
    if all(len(part) <= 2 for part in parts):
        orders = ("mdy", "dmy", "ymd")
    found: list[tuple[str, tuple[int, int, int]]] = []
    for order in orders:
        values = {unit: int(part) for unit, part in zip(order, parts, strict=True)}
        year = values["y"] if values["y"] >= 100 else 2000 + values["y"]
        if 1 <= values["m"] <= 12 and 1 <= values["d"] <= 31:
            found.append((order, (year, values["m"], values["d"])))
    return found


def _named_month(text: str) -> tuple[int, str] | None:
    """The month that is written as a word, and the text without it."""
    for word in re.findall(r"[^\W\d_]{3,}", text.casefold()):
        for names in _MONTHS:
            for number, stem in enumerate(names.split(), 1):
                if word.startswith(stem):
                    return number, text.casefold().replace(word, " ", 1)
    return None


def reads_as(text: str, moment: Moment) -> bool | None:
    """Whether ``text`` is that moment: yes, no, or None where it can be read as it and as another day too."""
    if moment.hour is not None and not _has_clock(text, moment):
        return False
    if moment.year is None:
        return True
    if moment.day is None:
        named = _named_month(text)
        numbers = [int(one) for one in re.findall(r"\d+", text)]
        month_there = named[0] == moment.month if named else moment.month in numbers
        return month_there and any(one in (moment.year, moment.year % 100) for one in numbers)
    asked = (moment.year, moment.month or 0, moment.day)
    read = readings(text)
    if asked not in read:
        return False
    return True if len(read) == 1 else None


def _has_clock(text: str, moment: Moment) -> bool:
    for found in re.finditer(r"(\d{1,2})[:.h](\d{2})(?!\d)(?:[:.]\d{2})?\s*([ap])?\.?m?", text, re.IGNORECASE):
        hour = int(found[1])
        if found[3]:
            hour = hour % 12 + (12 if found[3].lower() == "p" else 0)
        if (hour, int(found[2])) == (moment.hour, moment.minute):
            return True
    return False


def clock_for(hint: str, moment: Moment) -> str:
    """The time of day as a field wants it, 12 or 24 hours."""
    if re.search(r"\b(a|aa|am|pm|tt)\b|am/pm|h:mm a", hint.lower()) and moment.hour is not None:
        return f"{(moment.hour % 12) or 12:02d}:{moment.minute:02d} {'AM' if moment.hour < 12 else 'PM'}"
    return moment.clock


def reads_in(text: str, order: str, moment: Moment) -> bool:
    """Whether ``text`` is that moment in a field whose order of day, month and year is known."""
    if moment.year is None or moment.day is None:
        return reads_as(text, moment) is True
    found = re.search(r"(\d{1,4})\s*[./\- ]\s*(\d{1,2})\s*[./\- ]\s*(\d{1,4})", text)
    clock_ok = moment.hour is None or _has_clock(text, moment)
    if found is None:
        return clock_ok and reads_as(text, moment) is True
    asked = (moment.year, moment.month, moment.day)
    return clock_ok and (order, asked) in _numeric((found[1], found[2], found[3]))
