"""Decides which queries are allowed, and turns errors of DuckDB into refusals with hints.

Queries are checked on the syntax tree that DuckDB's own parser makes of them, against a list of what is allowed: the
views, some table functions, and functions that compute. Anything else is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, cast

from services.evidence.sql.catalogue import VIEWS, VIEWS_BY_NAME
from services.evidence.sql.query_types import QueryRefusal
from shared.contracts.error_codes import SqlCode

REVIEWED_DUCKDB = "1.5.5"
"""The version whose functions were reviewed one by one for DENIED. Another version has others."""

ALLOWED_TABLE_FUNCTIONS = frozenset({"unnest", "range", "generate_series", "json_each", "json_tree"})
DENIED = frozenset(
    {
        *("getenv", "getvariable", "current_setting", "write_log", "nextval", "currval", "sleep_ms", "error"),
        *("json_serialize_plan", "json_deserialize_sql", "json_serialize_sql", "parse_duckdb_log_message", "stats"),
        *("vector_type", "create_sort_key", "get_block_size", "in_search_path", "add_parquet_key", "txid_current"),
        *("current_database", "current_schemas", "current_query", "current_query_id", "current_connection_id"),
        *(
            "current_transaction_id",
            "current_catalog",
            "current_role",
            "current_schema",
            "current_user",
            "session_user",
        ),
        *("col_description", "obj_description", "shobj_description", "map_to_pg_oid", "format_pg_type", "user"),
    }
)
DENIED_PREFIXES = ("pg_", "has_", "duckdb_", "pragma_", "__internal")
ALLOWED_IN_SPITE_OF_PREFIX = frozenset({"pg_typeof", "pg_size_pretty"})
ALLOWED_EXPRESSIONS = frozenset(
    {
        *("BETWEEN", "CASE", "CAST", "COLLATE", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT", "FUNCTION"),
        *("LAMBDA", "LAMBDA_REF", "OPERATOR", "POSITIONAL_REFERENCE", "STAR", "SUBQUERY", "WINDOW"),
    }
)
ALLOWED_TABLES = frozenset(
    {"BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST", "EMPTY", "PIVOT", "SHOW_REF"}
)
ALLOWED_QUERIES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
ALLOWED_SHOWS = frozenset({"DESCRIBE", "SUMMARY"})
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SYSTEM_NAME = re.compile(r"duckdb_|pragma_|sqlite_|pg_|information_schema", re.IGNORECASE)
NO_POSITION = 2**64 - 1

Tree = Mapping[str, Any]


def refusal_of(statement: Tree) -> QueryRefusal | None:
    """Return why this statement (of ``json_serialize_sql``) is refused; None if it is allowed."""
    known = {*VIEWS_BY_NAME, *_cte_names(statement)}
    return next((refusal for part in _parts(statement) if (refusal := _part_refusal(part, known))), None)


def find_views(statement: Tree) -> list[str]:
    """Return the views that the statement reads, in the order of its text."""
    names = (part["table_name"] for part in _parts(statement) if part.get("type") == "BASE_TABLE")
    return [name for name in dict.fromkeys(names) if name in VIEWS_BY_NAME]


def _parts(tree: object) -> Iterator[Tree]:
    """Yield every object of the tree."""
    if isinstance(tree, dict):
        yield cast("Tree", tree)
    inner: list[object] = list(tree.values()) if isinstance(tree, dict) else tree if isinstance(tree, list) else []  # type: ignore[assignment]
    for below in inner:
        yield from _parts(below)


def _cte_names(statement: Tree) -> Iterator[str]:
    """Yield the names that the query gives to its own parts (WITH). A name that could be a file or a system table is
    left out: outside of its scope it would mean that."""
    for part in _parts(statement):
        given: Tree = part.get("cte_map") or {}
        for entry in given.get("map", ()):
            if _PLAIN_NAME.fullmatch(entry["key"]) and not _SYSTEM_NAME.match(entry["key"]):
                yield entry["key"]


def _part_refusal(part: Tree, known: set[str]) -> QueryRefusal | None:
    kind = part.get("type")
    if "cte_map" in part:
        return None if kind in ALLOWED_QUERIES else _denied_part(part, str(kind))
    if "sample" in part and "alias" in part:
        return _table_refusal(part, known) if kind in ALLOWED_TABLES else _denied_part(part, str(kind))
    if "class" in part:
        return (
            _expression_refusal(part)
            if part["class"] in ALLOWED_EXPRESSIONS
            else _denied_part(part, str(part["class"]))
        )
    return None


def _table_refusal(part: Tree, known: set[str]) -> QueryRefusal | None:
    kind = part["type"]
    if kind == "BASE_TABLE":
        own = not part["schema_name"] and not part["catalog_name"] and not part["at_clause"]
        if own and part["table_name"] in known:
            return None
        name = ".".join(word for word in (part["catalog_name"], part["schema_name"], part["table_name"]) if word)
        return QueryRefusal("no_such_view", f"there is no view {name!r}", _position(part), name)
    if kind == "TABLE_FUNCTION":
        name = str(part["function"].get("function_name", ""))
        if name.lower() in ALLOWED_TABLE_FUNCTIONS:
            return None
        return _denied_function(name, "they read the views, and nothing else", part)
    if kind == "SHOW_REF" and part["show_type"] not in ALLOWED_SHOWS and part["table_name"].strip('"') != "tables":
        return QueryRefusal(
            "not_allowed", "of the database itself only DESCRIBE, SUMMARIZE and SHOW TABLES are answered"
        )
    return None


def _expression_refusal(part: Tree) -> QueryRefusal | None:
    name = str(part.get("function_name", "")).lower()
    closed = name in DENIED or (name.startswith(DENIED_PREFIXES) and name not in ALLOWED_IN_SPITE_OF_PREFIX)
    elsewhere = str(part.get("schema") or "").lower() not in ("", "main") or bool(part.get("catalog"))
    if closed or (name and elsewhere):
        return _denied_function(name, "it tells of this process, not of evidence", part)
    return None


def _denied_function(name: str, why: str, part: Tree) -> QueryRefusal:
    return QueryRefusal("not_allowed", f"{name}() is not open to queries: {why}", _position(part))


def _denied_part(part: Tree, kind: str) -> QueryRefusal:
    return QueryRefusal("not_allowed", f"{kind.replace('_', ' ').lower()} is not open to queries", _position(part))


def _position(part: Tree) -> int | None:
    position = part.get("query_location", NO_POSITION)
    return None if position >= NO_POSITION else int(position)


# --- errors of DuckDB

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
    name, unknown_name = str(fields.get("name")), ""
    if fields.get("error_subtype") == "COLUMN_NOT_FOUND":
        code, message, unknown_name = "no_such_column", f"there is no column {name!r} here", name
    if fields.get("type") == "Table":
        code, message, unknown_name = "no_such_view", f"there is no view {name!r}", name
    at = int(position) if position is not None else None
    return QueryRefusal(code, message.strip().removesuffix("!"), at, unknown_name)


def _json_of(error: str) -> Mapping[str, Any]:
    try:
        return json.loads(error[error.index("{") :])
    except ValueError:
        return {}


VALUES_OF_FIELDS = "what a task reads is no column: select sample_id, value from fields where field = 'NAME'"


def hints_for(refusal: QueryRefusal, views: Sequence[str]) -> tuple[str, ...]:
    """Return what exists in place of what the query names. ``views``: those that the query reads."""
    if refusal.code == "no_such_view":
        similar = get_close_matches(refusal.unknown_name.lower(), VIEWS_BY_NAME, 1, 0.6)
        guess = (f"did you mean {similar[0]}?",) if similar else ()
        return (*guess, f"the views are {', '.join(view.name for view in VIEWS)}")
    if refusal.code == "no_such_column":
        return (
            *_similar_columns(refusal.unknown_name, views or list(VIEWS_BY_NAME)),
            *(_columns(view) for view in views[:MAX_VIEWS_IN_HINTS]),
            *(() if "fields" in views else (VALUES_OF_FIELDS,)),
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
