"""Pure: what a query may say. Decided on the syntax tree that DuckDB's own parser makes of it, by what is allowed:
these views, these table functions, functions that compute. What else the tree holds is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from services.evidence.sql.catalogue import BY_NAME
from shared.contracts.error_codes import SqlCode

REVIEWED = "1.5.5"
"""The DuckDB whose functions were gone through one by one for DENIED. Another one has others."""

TABLE_FUNCTIONS = frozenset({"unnest", "range", "generate_series", "json_each", "json_tree"})
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
DENIED_BEGIN = ("pg_", "has_", "duckdb_", "pragma_", "__internal")
HARMLESS = frozenset({"pg_typeof", "pg_size_pretty"})
EXPRESSIONS = frozenset(
    {
        *("BETWEEN", "CASE", "CAST", "COLLATE", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT", "FUNCTION"),
        *("LAMBDA", "LAMBDA_REF", "OPERATOR", "POSITIONAL_REFERENCE", "STAR", "SUBQUERY", "WINDOW"),
    }
)
TABLES = frozenset(
    {"BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST", "EMPTY", "PIVOT", "SHOW_REF"}
)
QUERIES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
SHOWN = frozenset({"DESCRIBE", "SUMMARY"})
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SYSTEM = re.compile(r"duckdb_|pragma_|sqlite_|pg_|information_schema", re.IGNORECASE)
NO_PLACE = 2**64 - 1

Tree = Mapping[str, Any]


@dataclass(frozen=True)
class Refusal:
    """``position`` counts bytes of the query before the place, where there is one."""

    code: SqlCode
    message: str
    position: int | None = None


def refusal_of(statement: Tree) -> Refusal | None:
    """Why this statement (of ``json_serialize_sql``) is not answered; None where it may be."""
    known = {*BY_NAME, *_own_names(statement)}
    return next((refusal for part in _parts(statement) if (refusal := _of_part(part, known))), None)


def views_named(statement: Tree) -> list[str]:
    """The views that the statement reads, in the order of its text."""
    names = (part["table_name"] for part in _parts(statement) if part.get("type") == "BASE_TABLE")
    return [name for name in dict.fromkeys(names) if name in BY_NAME]


def _parts(tree: object) -> Iterator[Tree]:
    """Every object of the tree."""
    if isinstance(tree, dict):
        yield cast("Tree", tree)
    inner: list[object] = list(tree.values()) if isinstance(tree, dict) else tree if isinstance(tree, list) else []  # type: ignore[assignment]
    for below in inner:
        yield from _parts(below)


def _own_names(statement: Tree) -> Iterator[str]:
    """Names that the query gives to its own parts (WITH). One that is none of ours and could be a file's or a system
    table's name is not among them: outside of its part it would be that."""
    for part in _parts(statement):
        given: Tree = part.get("cte_map") or {}
        for entry in given.get("map", ()):
            if _PLAIN.fullmatch(entry["key"]) and not _SYSTEM.match(entry["key"]):
                yield entry["key"]


def _of_part(part: Tree, known: set[str]) -> Refusal | None:
    kind = part.get("type")
    if "cte_map" in part:
        return None if kind in QUERIES else _unknown(part, str(kind))
    if "sample" in part and "alias" in part:
        return _of_table(part, known) if kind in TABLES else _unknown(part, str(kind))
    if "class" in part:
        return _of_expression(part) if part["class"] in EXPRESSIONS else _unknown(part, str(part["class"]))
    return None


def _of_table(part: Tree, known: set[str]) -> Refusal | None:
    kind = part["type"]
    if kind == "BASE_TABLE":
        own = not part["schema_name"] and not part["catalog_name"] and not part["at_clause"]
        if own and part["table_name"] in known:
            return None
        name = ".".join(word for word in (part["catalog_name"], part["schema_name"], part["table_name"]) if word)
        return Refusal("no_such_view", f"there is no view {name!r}", _place(part))
    if kind == "TABLE_FUNCTION":
        name = str(part["function"].get("function_name", ""))
        if name.lower() in TABLE_FUNCTIONS:
            return None
        return _closed(name, "they read the views, and nothing else", part)
    if kind == "SHOW_REF" and part["show_type"] not in SHOWN and part["table_name"].strip('"') != "tables":
        return Refusal("not_allowed", "of the database itself only DESCRIBE, SUMMARIZE and SHOW TABLES are answered")
    return None


def _of_expression(part: Tree) -> Refusal | None:
    name = str(part.get("function_name", "")).lower()
    closed = name in DENIED or (name.startswith(DENIED_BEGIN) and name not in HARMLESS)
    elsewhere = str(part.get("schema") or "").lower() not in ("", "main") or bool(part.get("catalog"))
    if closed or (name and elsewhere):
        return _closed(name, "it tells of this process, not of evidence", part)
    return None


def _closed(name: str, why: str, part: Tree) -> Refusal:
    return Refusal("not_allowed", f"{name}() is not open to queries: {why}", _place(part))


def _unknown(part: Tree, kind: str) -> Refusal:
    return Refusal("not_allowed", f"{kind.replace('_', ' ').lower()} is not open to queries", _place(part))


def _place(part: Tree) -> int | None:
    place = part.get("query_location", NO_PLACE)
    return None if place >= NO_PLACE else int(place)
