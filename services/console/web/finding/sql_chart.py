"""The chart of an answer in SQL: a bar for each row, where the answer is names and a count. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shared.contracts.evidence import SqlColumn

LEAST_BARS, MOST_BARS = 2, 40
_NUMBERS = ("BIGINT", "INTEGER", "HUGEINT", "UBIGINT", "UINTEGER", "SMALLINT", "TINYINT", "DOUBLE", "FLOAT", "DECIMAL")


@dataclass(frozen=True)
class ChartBar:
    """``names``: what the row is about; None for NULL. ``shown``: its number. ``share``: of the longest, 0 to 100."""

    names: tuple[str | None, ...]
    shown: str
    share: float


@dataclass(frozen=True)
class SqlChart:
    """``of``: the column that is drawn; ``by``: those that name the bars."""

    of: str
    by: tuple[str, ...]
    bars: tuple[ChartBar, ...]


def chart_of(columns: Sequence[SqlColumn], rows: Sequence[Mapping[str, Any]]) -> SqlChart | None:
    """Return the chart of an answer; None where it is no such thing.

    It is drawn where one column alone is a number, no number is missing or below 0, and something names each row.
    """
    numbers = [one.name for one in columns if one.type.split("(")[0].upper() in _NUMBERS]
    by = tuple(one.name for one in columns if one.name not in numbers)
    if len(numbers) != 1 or not by or not LEAST_BARS <= len(rows) <= MOST_BARS:
        return None
    values = [_number(row[numbers[0]]) for row in rows]
    most = max((value for value in values if value is not None), default=0.0)
    if most <= 0 or any(value is None or value < 0 for value in values):
        return None
    bars = tuple(
        ChartBar(tuple(_name(row[name]) for name in by), str(row[numbers[0]]), 100 * (value or 0) / most)
        for row, value in zip(rows, values, strict=True)
    )
    return SqlChart(numbers[0], by, bars)


def _number(value: Any) -> float | None:
    """Return a number, also one that JSON has as a text, such as a decimal."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _name(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)
