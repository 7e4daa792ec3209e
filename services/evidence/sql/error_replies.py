"""Pure: what DuckDB says of a query, as a refusal with what there is instead."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from services.evidence.sql.catalogue import BY_NAME, VIEWS
from services.evidence.sql.query_guard import Refusal
from shared.contracts.error_codes import SqlCode

SHOWN_HINTS = 3
_CODES: dict[str, SqlCode] = {"Parser": "syntax", "INTERRUPT": "too_slow", "Out of Memory": "too_large"}
_OURS = ("", "INTERNAL", "FATAL", "IO")
"""Faults that no other query would mend."""


def refusal_from(error: str) -> Refusal:
    """Of an exception's words, which are JSON behind a name (``errors_as_json``) where it comes from DuckDB."""
    said = _said(error)
    kind, message = str(said.get("exception_type", "")), str(said.get("exception_message", error))
    position = said.get("position")
    code: SqlCode = _CODES.get(kind, "failed" if kind in _OURS else "wrong")
    if said.get("error_subtype") == "COLUMN_NOT_FOUND":
        code, message = "no_such_column", f"there is no column {str(said.get('name'))!r} here"
    if said.get("type") == "Table":
        code, message = "no_such_view", f"there is no view {str(said.get('name'))!r}"
    return Refusal(code, message.strip().removesuffix("!"), int(position) if position is not None else None)


def _said(error: str) -> Mapping[str, Any]:
    try:
        return json.loads(error[error.index("{") :])
    except ValueError:
        return {}


def hints_for(refusal: Refusal, views: Sequence[str]) -> tuple[str, ...]:
    """What there is instead; ``views`` are those that the query reads."""
    if refusal.code == "no_such_view":
        wanted = refusal.message.split("'")[1] if "'" in refusal.message else ""
        near = get_close_matches(wanted.lower(), BY_NAME, 1, 0.6)
        meant = (f"did you mean {near[0]}?",) if near else ()
        return (*meant, f"the views are {', '.join(view.name for view in VIEWS)}")
    if refusal.code == "no_such_column":
        wanted = refusal.message.split("'")[1] if "'" in refusal.message else ""
        return (*_near(wanted, views or list(BY_NAME)), *(_columns(view) for view in views[:SHOWN_HINTS]))
    return ()


def _near(wanted: str, views: Sequence[str]) -> tuple[str, ...]:
    names = {name: view for view in views for name in BY_NAME[view].names}
    near = get_close_matches(wanted.lower(), names, 3, 0.6)
    return (f"did you mean {' or '.join(near)}?",) if near else ()


def _columns(view: str) -> str:
    return f"{view} has {', '.join(BY_NAME[view].names)}"


def characters(query: str, position: int | None) -> int | None:
    """A place that is counted in bytes of UTF-8, in characters."""
    if position is None or position < 0:
        return None
    return min(len(query.encode()[:position].decode(errors="ignore")), len(query))
