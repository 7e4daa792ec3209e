"""Pure: values of fields as cells: whether one is of its column's type, and how it is written as text.

A value that is not of its column's type is none of that column's: the typed table has nothing there, ``wrong_type``
names the field, and tables of text show it all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any, cast

import msgspec

from shared.evidence_format.table.columns import Kind

EXACT_WHOLE = 2**53
"""Up to here every whole number is exact where numbers are binary fractions of 64 bits, as in most programs."""
WHOLE_DIGITS, FRACTION_DIGITS = 20, 18
"""Of a decimal; together they fit the 38 digits that tables have."""
_DECIMAL = re.compile(rf"[+-]?0*[0-9]{{1,{WHOLE_DIGITS}}}(\.[0-9]{{1,{FRACTION_DIGITS}}})?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?"
)


def fits(value: object, kind: Kind) -> bool:
    """Whether ``value``, as it stands in result.json, is of the type; nothing fits every type."""
    return value is None or _FITS[kind](value)


def text_of(value: Any, kind: Kind) -> str:
    """A value as text: words as they are, nothing as "", lists of ours joined, anything else as JSON.

    >>> text_of(True, "boolean"), text_of(["a", "b"], "names"), text_of(["a", "b"], "array")
    ('true', 'a;b', '["a","b"]')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if kind in ("names", "notes"):
        return _JOINED_BY[kind].join(map(str, value))
    return msgspec.json.encode(value).decode()


def fraction_digits(decimal: str) -> int:
    """``12.50`` has two."""
    return len(decimal.partition(".")[2])


def moment(text: str) -> datetime | None:
    """A date-time as it stands in result.json, with a zone or without one; None where it is none."""
    try:
        return datetime.fromisoformat(text) if _TIME.fullmatch(text) else None
    except ValueError:
        return None


def has_zone(moment: str) -> bool:
    """Of a text that is a date-time."""
    return moment.endswith("Z") or moment[-6] in "+-"


def day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def _is_number(value: object) -> bool:
    """A whole number that would lose its last digits is no number of a table."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) <= EXACT_WHOLE
    return isinstance(value, float)


def _is_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in cast("list[object]", value))


_JOINED_BY = {"names": ";", "notes": "; "}
_FITS: dict[Kind, Callable[[object], bool]] = {
    "text": lambda value: True,
    "number": _is_number,
    "whole": lambda value: isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63,
    "decimal": lambda value: isinstance(value, str) and _DECIMAL.fullmatch(value) is not None,
    "boolean": lambda value: isinstance(value, bool),
    "date": lambda value: isinstance(value, str) and day(value) is not None,
    "date-time": lambda value: isinstance(value, str) and moment(value) is not None,
    "array": _is_list,
    "names": _is_list,
    "notes": _is_list,
}
