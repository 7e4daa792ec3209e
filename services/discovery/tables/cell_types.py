"""Whether the text of a cell fits the declared type of its column."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime

from shared.field_types import base_type, nullable

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)")
BOOLEANS = frozenset({"true", "false", "yes", "no", "1", "0"})


def find_cell_problem(expression: str, text: str) -> str | None:
    """Return what is wrong with ``text`` as a cell of this type, or None."""
    if not text:
        return None if nullable(expression) else "empty, and it is required"
    fits, wanted = _CHECKS.get(base_type(expression), _ANYTHING)
    return None if fits(text) else f"{_short(text)} is not {wanted}"


def _is_date(text: str) -> bool:
    return re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) is not None and _parses(date.fromisoformat, text)


def _is_date_time(text: str) -> bool:
    return _parses(datetime.fromisoformat, text)


def _parses(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


_ANYTHING: tuple[Callable[[str], bool], str] = (lambda _: True, "anything")
_CHECKS: dict[str, tuple[Callable[[str], bool], str]] = {
    "number": (lambda text: _NUMBER.fullmatch(text) is not None, "a number (write 1234.5)"),
    "decimal": (lambda text: _DECIMAL.fullmatch(text) is not None, "a decimal number (write 1234.50)"),
    "boolean": (lambda text: text.lower() in BOOLEANS, "true or false"),
    "date": (_is_date, "a date (write 2026-03-31)"),
    "date-time": (_is_date_time, "a date and time (write 2026-03-31T14:05:00Z)"),
}
