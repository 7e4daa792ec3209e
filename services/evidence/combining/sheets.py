"""Pure: what a workbook can hold: texts, numbers, names of sheets, links, widths."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta

from shared.evidence_format import layout
from shared.evidence_format.table.cells import day, moment
from shared.evidence_format.table.columns import TableColumn

MOST_TEXT = 32_767
"""UTF-16 units in a cell."""
MOST_LINKS = 65_530
"""On a sheet; further ones Excel throws away."""
EXACT_DIGITS = 15
"""Excel keeps so many of a number; one of more digits stands as text, whole."""
CUT = " … [cut: {} characters, all of them in result.json]"
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]")
_NO_NAME = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_MARGIN, _NARROWEST, _WIDEST = 2.0, 9.0, 48.0
_NOUGHT = datetime(1899, 12, 30)
_NEWEST = 9999
_OLDEST = date(1900, 3, 1)
"""Before it Excel counts a day that never was."""


def cell_text(text: str) -> tuple[str, bool]:
    """The text as a cell can hold it, and whether it was cut. What XML cannot hold becomes U+FFFD."""
    clean = _UNPRINTABLE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    if clean.startswith("<r>") and clean.endswith("</r>"):
        clean += " "  # XlsxWriter would take it for markup of its own and write it unescaped
    if len(clean) <= MOST_TEXT // 2 or _units(clean) <= MOST_TEXT:
        return clean, False
    told = CUT.format(len(text))
    kept = clean.encode("utf-16-le")[: 2 * (MOST_TEXT - len(told))].decode("utf-16-le", errors="ignore")
    return kept + told, True


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def number_of(decimal: str) -> float | None:
    """A decimal as a number, where Excel keeps all of its digits."""
    digits = decimal.lstrip("+-").replace(".", "").strip("0")
    return float(decimal) if len(digits) <= EXACT_DIGITS else None


def serial_of(text: str) -> tuple[float, str] | None:
    """A day or a time, as it stands in result.json, as Excel counts days, and the name of its style; None where Excel
    cannot hold it. There are no zones in a workbook: a time that has one is told in UTC, and its style says so."""
    if found := day(text):
        return (float((found - _NOUGHT.date()).days), "date") if found >= _OLDEST else None
    at = moment(text)
    if at is None or not _OLDEST.year < at.year < _NEWEST:
        return None
    if at.tzinfo is None:
        return (at - _NOUGHT) / timedelta(days=1), "moment"
    return (at.astimezone(UTC).replace(tzinfo=None) - _NOUGHT) / timedelta(days=1), "utc"


def sheet_name(text: str, taken: Collection[str]) -> str:
    """A name for a sheet that is not ``taken``: 31 characters at most, and none that Excel refuses."""
    plain = _NO_NAME.sub(" ", text).strip(" '")[:31].strip(" '") or "other"
    lowered = {name.lower() for name in (*taken, "history")}
    number, name = 2, plain
    while name.lower() in lowered:
        name, number = f"{plain[:27]} {number}", number + 1
    return name


def folder_link(sample_id: str) -> str | None:
    """From the run's folder to the sample's; None where the name did not come from us."""
    return f"{sample_id}/" if layout.is_safe(sample_id) else None


def file_link(sample_id: str, filename: str) -> str | None:
    safe = layout.is_safe(sample_id) and layout.is_filename(filename)
    return f"{sample_id}/{filename}" if safe else None


def width_of(column: TableColumn, longest: int) -> float:
    """In characters; ``longest`` is that of the column's longest line."""
    least = {"date": 12.0, "date-time": 20.0}.get(column.kind, _NARROWEST)
    heading = len(column.name) + _MARGIN + 2  # and the button of the filter
    return min(_WIDEST, max(least, heading, longest + _MARGIN))
