"""Dates in numbers, in every order in which they can be written, and the time of day behind a date.

Texts with a time come bare (see :func:`shared.text.normal.bare`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time

from shared.text.date_names import DateOrder
from shared.text.normal import plain, quoted

LAST_SURE_YEAR = 49
"""Of the years written with two digits, the last that is surely of this century."""
NUMERIC = re.compile(r"(?P<a>\d{1,2})(?P<sep>[-/.])(?P<b>\d{1,2})(?P=sep)(?P<y>\d{4}|\d{2})(?!\d)")
YEAR_FIRST = re.compile(r"(?P<y>\d{4})(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})(?!\d)")
WITH_UNITS = re.compile(r"(?P<y>\d{4}) ?[年년] ?(?P<m>\d{1,2}) ?[月월] ?(?P<d>\d{1,2}) ?[日일]")
"""As Chinese, Japanese and Korean write dates."""
ALONE = re.compile(rf"(?<![\w./-]){NUMERIC.pattern}(?![\w/-]|\.\d)")
"""Within a text, and no part of a longer number."""
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


def only_order(match: re.Match[str]) -> DateOrder | None:
    """Return the one order in which this is a date. `2.13.24` is more likely a version than a date with 13 months."""
    orders = days_by_order(match["a"], match["b"], match["y"])
    if match["sep"] == "/":
        orders.pop("ymd", None)
    if _may_be_version(match) or len(orders) != 1:
        return None
    return next(iter(orders))


def readable_orders(text: str) -> frozenset[DateOrder]:
    """Return the orders of which each, said of the first numeric date of a text, leaves it a date; none where there is
    no such date. A date that ends in four digits is read whatever is said of the year coming first."""
    match = ALONE.search(without_gaps(plain(text)))
    if match is None or _may_be_version(match):
        return frozenset()
    orders: set[DateOrder] = set(days_by_order(match["a"], match["b"], match["y"]))
    if orders and len(match["y"]) == 4:
        orders.add("ymd")
    return frozenset(orders)


def _may_be_version(match: re.Match[str]) -> bool:
    return (match["sep"], len(match["y"])) == (".", 2)


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


_NAMED_ZONE = r"[ecmpaj][sd]?t|[cew]es?t|bst|ist|aest|aedt|jst|kst|sgt|hkt|msk|nzst|nzdt|akst|akdt|hst|[a-z]+/[a-z_]+"
_HALF = r"(?P<half>[ap]\.?m\.?)"
_OF_ZONE = rf" ?(?P<zone>z|(?:utc|gmt)[+-]\d{{1,2}}|(?:utc|gmt)?[+-]\d{{2}}:?\d{{2}}|utc|gmt|{_NAMED_ZONE})?"
_TIME = re.compile(
    rf"(?P<h>\d{{1,2}}):(?P<m>\d{{2}})(?::(?P<s>\d{{2}})(?:[.,](?P<f>\d{{1,9}}))?)?(?: uhr)? ?{_HALF}?{_OF_ZONE}"
)
_WITH_UNIT = re.compile(rf"(?P<h>\d{{1,2}})(?:\.(?P<m>\d{{2}}))? ?(?:{_HALF}|uhr|o'clock){_OF_ZONE}")
_AFTER_WORD = re.compile(rf"(?P<h>\d{{1,2}})(?:[.h](?P<m>\d{{2}})| ?h){_OF_ZONE}")
"""Alone it may be another date (``15.06``), an amount, or how long something took (``1h30``)."""
_WITHIN = re.compile(r"(?P<h>\d{1,2})[:.h](?P<m>\d{2})(?!\d)(?:[:.]\d{2})?\s*(?P<half>[ap])?\.?m?", re.I)
_HOUR_WITHIN = re.compile(r"(?<![\d:.h])(?P<h>1[0-2]|0?[1-9])\s?(?P<half>[ap])\.?m\b", re.I)
_BETWEEN = re.compile(r"[t.,]? ?(?:(?P<word>at|um|a las|a) )?")
_ZONE = re.compile(rf"z|(?:utc|gmt)[+-]\d{{1,2}}|(?:utc|gmt)?[+-]\d{{2}}:?\d{{2}}|{_NAMED_ZONE}|utc|gmt")
UNKNOWN_ZONE = "?"
"""What a time of day ends in where its zone cannot be told."""
EITHER_MIDNIGHT = "00:00:00 or 24:00:00"
"""What stands for the time of day of ``midnight``: it may be that of the beginning of its day, or of its end."""
_BY_NAME = {"noon": "12:00:00", "midday": "12:00:00", "12 noon": "12:00:00"} | dict.fromkeys(
    ("midnight", "12 midnight"), EITHER_MIDNIGHT
)


class NotADate(ValueError):
    """Says, for people, why the text is no date, or no time."""


def is_zone(text: str) -> bool:
    """Whether a remark behind a time names its zone."""
    return _ZONE.fullmatch(text) is not None


def is_zoned(clock: str) -> bool:
    """Whether a time that was read says how far it is from UTC."""
    return re.search(r"[+-]\d{2}:\d{2}$", clock) is not None


def times_in(text: str) -> frozenset[tuple[int, int]]:
    """Return hour and minute of every time of day within a text."""
    exact = ((_of_24(int(found["h"]), found["half"]), int(found["m"])) for found in _WITHIN.finditer(text))
    return frozenset((*exact, *((_of_24(int(found["h"]), found["half"]), 0) for found in _HOUR_WITHIN.finditer(text))))


def clock_of(rest: str, shown: str) -> str:
    """The time of day behind a date, or nothing where nothing is there."""
    if not rest.strip():
        return ""
    between = _BETWEEN.match(rest)
    written = rest[between.end() if between else 0 :].strip()
    if written in _BY_NAME:
        return _BY_NAME[written]
    after_word = _AFTER_WORD.fullmatch(written) if between is not None and between["word"] else None
    match = _TIME.fullmatch(written) or _WITH_UNIT.fullmatch(written) or after_word
    if match is None:
        raise NotADate(f"{quoted(shown)} has more than a date and a time: {quoted(written)}")
    said = {name: part for name, part in match.groupdict().items() if part is not None}
    hour = _hour(int(match["h"]), said.get("half"), shown)
    try:
        clock = time(hour, int(said.get("m", "0")), int(said.get("s", "0")), int(said.get("f", "0").ljust(6, "0")[:6]))
    except ValueError as exc:
        raise NotADate(f"{quoted(shown)} is not a time: {exc}") from exc
    return clock.isoformat() + _offset(match["zone"], shown)


def _hour(hour: int, half: str | None, shown: str) -> int:
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        raise NotADate(f"{quoted(shown)} has no such hour")
    return _of_24(hour, half)


def _of_24(hour: int, half: str | None) -> int:
    return hour if half is None else hour % 12 + (12 if half.lower().startswith("p") else 0)


def _offset(zone: str | None, shown: str) -> str:
    if zone is None:
        return ""
    digits = zone.removeprefix("utc").removeprefix("gmt")
    if digits in ("z", ""):
        return "+00:00"
    if digits[0].isalpha():
        return UNKNOWN_ZONE
    written = f"{digits[0]}{digits[1:]:0>2}:00" if len(digits) <= 3 else f"{digits[:3]}:{digits[-2:]}"
    try:
        datetime.fromisoformat(f"2000-01-01T00:00:00{written}")
    except ValueError as exc:
        raise NotADate(f"{quoted(shown)} has no such time zone") from exc
    return written
