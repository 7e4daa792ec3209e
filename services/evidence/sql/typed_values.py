"""Pure: a value as the typed columns of the tables hold it. What does not fit a type is NULL there, never an error."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Context, Decimal, InvalidOperation

MOST_DECIMALS, MOST_DIGITS = 9, 29
"""Of DECIMAL(38,9), behind and before the point."""
_WIDE = Context(prec=60)


def text_of(value: object) -> str | None:
    """A value as text: text as it is, anything else as JSON; None for no value."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def exact_of(value: object) -> str | None:
    """A number with all of its digits, or None where it is none or has too many."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        exact = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    if not exact.is_finite() or abs(exact) >= Decimal(10) ** MOST_DIGITS:
        return None
    rounded = exact.quantize(Decimal(1).scaleb(-MOST_DECIMALS), context=_WIDE)
    return f"{rounded:f}" if rounded == exact else None


def date_of(text: str | None) -> str | None:
    """The day of an ISO 8601 date or date-time, as it is written there."""
    try:
        return date.fromisoformat((text or "")[:10]).isoformat()
    except ValueError:
        return None


def moment_of(text: str | None) -> str | None:
    """The moment of an ISO 8601 date-time that names its zone, in UTC."""
    try:
        moment = datetime.fromisoformat(text or "")
        return None if moment.tzinfo is None else moment.astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        return None
