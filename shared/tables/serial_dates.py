"""The days and times of a workbook, which it keeps as numbers of days."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from shared.tables.cells import Flaw, cell_text, number_text

_DAY_MS = 86_400_000
_LAST_DAY = date(9999, 12, 31)
_FALSE_DAY = 60
"""29 February 1900, which Excel has and no calendar."""


def shown_date(value: float, *, since_1904: bool, names_day: bool, elapsed: bool) -> str | Flaw:
    """Return a number that is shown as a day or time in ISO form, to the millisecond."""
    if value < 0 or value != value or value > 2_958_466:
        return Flaw(number_text(value), f"{number_text(value)} is formatted as a date and is none")
    days, ms = divmod(round(value * _DAY_MS), _DAY_MS)
    clock = timedelta(milliseconds=ms)
    if elapsed:
        return _duration(days, ms)
    if days == 0 and not names_day:
        return _time_of(clock).isoformat()
    if not since_1904 and days in (0, _FALSE_DAY):
        shown = "29 February 1900" if days else "0 January 1900"
        return Flaw(number_text(value), f"it is shown as {shown}, which is no day")
    first = date(1904, 1, 1) if since_1904 else date(1899, 12, 31) if days < _FALSE_DAY else date(1899, 12, 30)
    if days > (_LAST_DAY - first).days:
        return Flaw(number_text(value), f"{number_text(value)} is formatted as a date and is none")
    return cell_text(datetime.combine(first + timedelta(days=days), _time_of(clock)))


def _time_of(clock: timedelta) -> time:
    return (datetime.min + clock).time()


def _duration(days: int, ms: int) -> str:
    seconds, ms = divmod(ms, 1000)
    hours, rest = divmod(days * 86_400 + seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" + (f".{ms:03}" if ms else "")
