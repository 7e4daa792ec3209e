"""Pure: dates and times as pages show them, to ISO 8601. What could be two dates is none."""

from __future__ import annotations

import re
from datetime import date, datetime, time

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip

_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_MONTH = r"(?P<month>[a-z]{3,9})\.?"
_ISO = re.compile(r"(?P<y>\d{4})(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})")
_MONTH_FIRST = re.compile(rf"{_WEEKDAY}{_MONTH}\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})", re.I)
_DAY_FIRST = re.compile(
    rf"{_WEEKDAY}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\.?(?:\s+of)?[\s-]+{_MONTH},?[\s-]+(?P<y>\d{{4}})", re.I
)
_NUMERIC = re.compile(r"(?P<a>\d{1,2})(?P<sep>[-/.])(?P<b>\d{1,2})(?P=sep)(?P<y>\d{4}|\d{2})")
_TIME = re.compile(
    r"(?P<h>\d{1,2}):(?P<m>\d{2})(?::(?P<s>\d{2})(?:[.,](?P<f>\d{1,9}))?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?\s*(?P<zone>z|utc|gmt|[+-]\d{2}:?\d{2})?",
    re.I,
)
_BETWEEN = re.compile(r"(?:[T.,]?\s*(?:at\s+)?|\s*,?\s+at\s+)", re.I)


class NotADate(ValueError):
    """Says, for people, why the text is no date."""


def iso_date(text: str) -> str:
    """``Mar 3, 2026`` to ``2026-03-03``; a time of day behind it is dropped. Raises NotADate."""
    day, rest = _split(text.strip())
    if rest:
        _time_of(rest, text)
    return day.isoformat()


def iso_date_time(text: str) -> str:
    """``2026-03-03 14:05 UTC`` to ``2026-03-03T14:05:00+00:00``. Raises NotADate."""
    day, rest = _split(text.strip())
    if not rest:
        raise NotADate(f"{text!r} has no time of day")
    return f"{day.isoformat()}T{_time_of(rest, text)}"


def _split(text: str) -> tuple[date, str]:
    for pattern, read in ((_ISO, _iso), (_MONTH_FIRST, _named), (_DAY_FIRST, _named), (_NUMERIC, _numeric)):
        match = pattern.match(text)
        if match is not None and not text[match.end() :][:1].isdigit():
            return read(match), text[match.end() :]
    raise NotADate(f"{text!r} is not a date")


def _iso(match: re.Match[str]) -> date:
    return _date(int(match["y"]), int(match["m"]), int(match["d"]), match[0])


def _named(match: re.Match[str]) -> date:
    written = match["month"].lower()
    months = [n for n, name in enumerate(MONTHS, 1) if name == written or written in (name[:3], name[:4])]
    if len(months) != 1:
        raise NotADate(f"{match[0]!r} names no month")
    return _date(int(match["y"]), months[0], int(match["d"]), match[0])


def _numeric(match: re.Match[str]) -> date:
    """Day and month in either order, where only one order is possible."""
    a, b = int(match["a"]), int(match["b"])
    year = int(match["y"]) + (2000 if len(match["y"]) == 2 else 0)
    if a <= 12 and b <= 12 and a != b:
        raise NotADate(f"{match[0]!r} could be day/month or month/day")
    day, month = (a, b) if a > 12 else (b, a)
    return _date(year, month, day, match[0])


def _date(year: int, month: int, day: int, text: str) -> date:
    try:
        return date(year, month, day)
    except ValueError as exc:
        raise NotADate(f"{text!r} is not a date: {exc}") from exc


def _time_of(rest: str, text: str) -> str:
    between = _BETWEEN.match(rest)
    match = _TIME.fullmatch(rest[between.end() if between else 0 :].strip())
    if match is None:
        raise NotADate(f"{text!r} has more than a date and a time")
    hour = _hour(int(match["h"]), match["half"], text)
    try:
        moment = time(hour, int(match["m"]), int(match["s"] or 0), int((match["f"] or "0").ljust(6, "0")[:6]))
    except ValueError as exc:
        raise NotADate(f"{text!r} is not a time: {exc}") from exc
    return moment.isoformat() + _offset(match["zone"], text)


def _hour(hour: int, half: str | None, text: str) -> int:
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        raise NotADate(f"{text!r} has no such hour")
    return hour % 12 + (12 if half.lower().startswith("p") else 0)


def _offset(zone: str | None, text: str) -> str:
    if zone is None:
        return ""
    if zone.lower() in ("z", "utc", "gmt"):
        return "+00:00"
    written = f"{zone[:3]}:{zone[-2:]}"
    try:
        datetime.fromisoformat(f"2000-01-01T00:00:00{written}")
    except ValueError as exc:
        raise NotADate(f"{text!r} has no such time zone") from exc
    return written
