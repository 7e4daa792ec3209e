"""What a cell of a workbook can hold: texts, exact numbers and days, and the limits of a sheet. Pure."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from shared.evidence_format.table.rows import day, moment

MOST_TEXT = 32_767
"""Maximum length of a cell in UTF-16 code units."""
MOST_LINKS = 65_530
"""Maximum number of hyperlinks on a sheet. Excel drops further ones."""
MOST_ROWS = 1_048_575
"""Maximum number of rows of a sheet below its header."""
EXACT_DIGITS = 15
"""Digits of a number that Excel keeps. A number with more is written as text."""
CUT = " … [cut: {} characters, all of them in result.json]"
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]")
_EPOCH = datetime(1899, 12, 30)
_NEWEST = 9999
_OLDEST = date(1900, 3, 1)
"""Excel counts a day before this date that does not exist, 1900-02-29."""


def cell_text(text: str) -> tuple[str, bool]:
    """Return the text as a cell can hold it, and whether it was cut. Characters that XML cannot hold become U+FFFD."""
    clean = text if text.isprintable() else _UNPRINTABLE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    if clean.startswith("<r>") and clean.endswith("</r>"):
        clean += " "  # otherwise XlsxWriter takes it for its own markup and does not escape it
    if len(clean) <= MOST_TEXT // 2 or _units(clean) <= MOST_TEXT:
        return clean, False
    note = CUT.format(len(text))
    kept = clean.encode("utf-16-le")[: 2 * (MOST_TEXT - len(note))].decode("utf-16-le", errors="ignore")
    return kept + note, True


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def number_of(decimal: str) -> float | None:
    """Return a decimal as a number; None if Excel would not keep all of its digits."""
    digits = decimal.lstrip("+-").replace(".", "").strip("0")
    return float(decimal) if len(digits) <= EXACT_DIGITS else None


def serial_of(text: str) -> tuple[float, str] | None:
    """Return a date or date-time of result.json as a serial day of Excel, and its style; None if Excel cannot hold it.

    A workbook has no time zones. A time with a zone is converted to UTC, and its style says so.
    """
    if found := day(text):
        return (float((found - _EPOCH.date()).days), "date") if found >= _OLDEST else None
    at = moment(text)
    if at is None or not _OLDEST.year < at.year < _NEWEST:
        return None
    if at.tzinfo is None:
        return (at - _EPOCH) / timedelta(days=1), "moment"
    return (at.astimezone(UTC).replace(tzinfo=None) - _EPOCH) / timedelta(days=1), "utc"
