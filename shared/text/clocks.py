"""Pure: the time of day behind a date, to ISO 8601. Texts come bare (see ``date_words``)."""

from __future__ import annotations

import re
from datetime import datetime, time

from shared.text.normal import quoted

_NAMED_ZONE = r"[ecmpaj][sd]?t|[cew]es?t|bst|ist|aest|aedt|jst|kst|sgt|hkt|msk|nzst|nzdt|akst|akdt|hst"
_TIME = re.compile(
    r"(?P<h>\d{1,2}):(?P<m>\d{2})(?::(?P<s>\d{2})(?:[.,](?P<f>\d{1,9}))?)?(?: uhr)? ?(?P<half>[ap]\.?m\.?)?"
    rf" ?(?P<zone>z|(?:utc|gmt)[+-]\d{{1,2}}|(?:utc|gmt)?[+-]\d{{2}}:?\d{{2}}|utc|gmt|{_NAMED_ZONE})?"
)
_WITHIN = re.compile(r"(?P<h>\d{1,2})[:.h](?P<m>\d{2})(?!\d)(?:[:.]\d{2})?\s*(?P<half>[ap])?\.?m?", re.I)
_BETWEEN = re.compile(r"(?:[t.,]? ?(?:(?:at|um|a las|a) )?)")
_ZONE = re.compile(rf"{_NAMED_ZONE}|utc|gmt")
UNKNOWN_ZONE = "?"
"""What a time of day ends in where its zone cannot be told."""


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
    return frozenset((_of_24(int(found["h"]), found["half"]), int(found["m"])) for found in _WITHIN.finditer(text))


def clock_of(rest: str, shown: str) -> str:
    """The time of day behind a date, or nothing where nothing is there."""
    if not rest.strip():
        return ""
    between = _BETWEEN.match(rest)
    match = _TIME.fullmatch(rest[between.end() if between else 0 :].strip())
    if match is None:
        raise NotADate(f"{quoted(shown)} has more than a date and a time")
    hour = _hour(int(match["h"]), match["half"], shown)
    try:
        clock = time(hour, int(match["m"]), int(match["s"] or 0), int((match["f"] or "0").ljust(6, "0")[:6]))
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
    if digits.isalpha():
        return UNKNOWN_ZONE
    written = f"{digits[0]}{digits[1:]:0>2}:00" if len(digits) <= 3 else f"{digits[:3]}:{digits[-2:]}"
    try:
        datetime.fromisoformat(f"2000-01-01T00:00:00{written}")
    except ValueError as exc:
        raise NotADate(f"{quoted(shown)} has no such time zone") from exc
    return written
