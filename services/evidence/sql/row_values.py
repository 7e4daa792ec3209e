"""Values of table rows. A value that does not fit the type of its column is NULL there, never an error."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Context, Decimal, InvalidOperation
from typing import Any

from shared.contracts.results import Box
from shared.evidence_view.sample_facts import SampleFacts

Row = dict[str, Any]
"""Column names with their values. A column that is missing is NULL."""
MAX_DECIMALS, MAX_WHOLE_DIGITS = 9, 29
"""Digits after and before the point in DECIMAL(38,9)."""
_WIDE = Context(prec=60)


# --- columns


def id_columns(run_id: str, facts: SampleFacts) -> Row:
    """Return the columns that every row of a sample begins with."""
    return {"run_id": run_id, "task_id": facts.task.task_id, "sample_id": facts.sample_id}


def attributes_of(value: object, *names: str) -> Row:
    """Return these attributes of an object as columns; each is None if the object is None."""
    return dict.fromkeys(names) if value is None else {name: getattr(value, name) for name in names}


def box_columns(box: Box | None) -> Row:
    return {} if box is None else {f"box_{side}_px": getattr(box, side) for side in ("x", "y", "width", "height")}


# --- typed values


def text_of(value: object) -> str | None:
    """Return a value as text: a string as it is, anything else as JSON; None for None."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def exact_of(value: object) -> str | None:
    """Return a number with all of its digits; None if it is none or has too many."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        exact = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    if not exact.is_finite() or abs(exact) >= Decimal(10) ** MAX_WHOLE_DIGITS:
        return None
    rounded = exact.quantize(Decimal(1).scaleb(-MAX_DECIMALS), context=_WIDE)
    return f"{rounded:f}" if rounded == exact else None


def date_of(text: str | None) -> str | None:
    """Return the day of an ISO 8601 date or date-time, without converting time zones."""
    try:
        return date.fromisoformat((text or "")[:10]).isoformat()
    except ValueError:
        return None


def moment_of(text: str | None) -> str | None:
    """Return an ISO 8601 date-time that has a zone, in UTC."""
    try:
        moment = datetime.fromisoformat(text or "")
        return None if moment.tzinfo is None else moment.astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        return None
