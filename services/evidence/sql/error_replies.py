"""Turns errors of DuckDB into refusals with hints."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from services.evidence.sql.catalogue import VIEWS, VIEWS_BY_NAME
from services.evidence.sql.query_types import QueryRefusal
from shared.contracts.error_codes import SqlCode

MAX_VIEWS_IN_HINTS = 3
_CODES: dict[str, SqlCode] = {"Parser": "syntax", "INTERRUPT": "too_slow", "Out of Memory": "too_large"}
_INTERNAL = ("", "INTERNAL", "FATAL", "IO")
"""Errors that a change of the query does not avoid."""


def parse_error(error: str) -> QueryRefusal:
    """Return the refusal for the text of an exception. Of DuckDB it ends with JSON (``errors_as_json``)."""
    fields = _json_of(error)
    kind, message = str(fields.get("exception_type", "")), str(fields.get("exception_message", error))
    position = fields.get("position")
    code: SqlCode = _CODES.get(kind, "failed" if kind in _INTERNAL else "wrong")
    if fields.get("error_subtype") == "COLUMN_NOT_FOUND":
        code, message = "no_such_column", f"there is no column {str(fields.get('name'))!r} here"
    if fields.get("type") == "Table":
        code, message = "no_such_view", f"there is no view {str(fields.get('name'))!r}"
    return QueryRefusal(code, message.strip().removesuffix("!"), int(position) if position is not None else None)


def _json_of(error: str) -> Mapping[str, Any]:
    try:
        return json.loads(error[error.index("{") :])
    except ValueError:
        return {}


def hints_for(refusal: QueryRefusal, views: Sequence[str]) -> tuple[str, ...]:
    """Return what exists in place of what the query names. ``views``: those that the query reads."""
    if refusal.code == "no_such_view":
        wanted = refusal.message.split("'")[1] if "'" in refusal.message else ""
        similar = get_close_matches(wanted.lower(), VIEWS_BY_NAME, 1, 0.6)
        guess = (f"did you mean {similar[0]}?",) if similar else ()
        return (*guess, f"the views are {', '.join(view.name for view in VIEWS)}")
    if refusal.code == "no_such_column":
        wanted = refusal.message.split("'")[1] if "'" in refusal.message else ""
        return (
            *_similar_columns(wanted, views or list(VIEWS_BY_NAME)),
            *(_columns(view) for view in views[:MAX_VIEWS_IN_HINTS]),
        )
    return ()


def _similar_columns(wanted: str, views: Sequence[str]) -> tuple[str, ...]:
    names = {name: view for view in views for name in VIEWS_BY_NAME[view].names}
    similar = get_close_matches(wanted.lower(), names, 3, 0.6)
    return (f"did you mean {' or '.join(similar)}?",) if similar else ()


def _columns(view: str) -> str:
    return f"{view} has {', '.join(VIEWS_BY_NAME[view].names)}"


def to_characters(query: str, position: int | None) -> int | None:
    """Convert a position in UTF-8 bytes into one in characters."""
    if position is None or position < 0:
        return None
    return min(len(query.encode()[:position].decode(errors="ignore")), len(query))
