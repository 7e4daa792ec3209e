"""The cells of a file as texts, and cells of which it cannot be told what they say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal

MAX_EXACT_NUMBER = 1e15
"""Larger numbers in a workbook have lost digits: Excel keeps 15."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """A cell whose value cannot be told for certain. ``text``: what it shows, as far as that is known."""

    text: str
    message: str


def cell_text(value: object) -> str:
    """Return a cell as clean text: ``1001.0`` is "1001", a day "2026-03-03", True "true", None "".

    >>> cell_text(1001.0), cell_text(date(2026, 3, 3)), cell_text(None)
    ('1001', '2026-03-03', '')
    """
    if isinstance(value, str):
        return value.strip()
    if value is None:
        return ""
    if isinstance(value, Flaw):
        return value.text.strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() and value.tzinfo is None else value.isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value).strip()


def number_text(value: float) -> str:
    """Return a number with the 15 digits that Excel shows, without an exponent.

    >>> number_text(7.0000000000000009), number_text(0.1 + 0.2), number_text(0.00001)
    ('7', '0.3', '0.00001')
    """
    if value.is_integer():
        return str(int(value))
    text = f"{value:.15g}"
    return format(Decimal(text), "f") if "e" in text else text


def column_letters(position: int) -> str:
    """Return the letters of a column, from 1: 1 is ``A``, 27 is ``AA``."""
    letters = ""
    while position > 0:
        position, rest = divmod(position - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
