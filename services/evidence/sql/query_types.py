"""A query, the tables it runs over, and its answer, as they pass between the service and the sandbox."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from shared.contracts.error_codes import SqlCode

MAX_ROWS = 5_000_000
MAX_QUERY_S = 120.0


@dataclass(frozen=True)
class QuerySources:
    """``runs``: the rows of the view ``runs``, one JSON object a line. ``files``: Parquet files of each other view.
    Sources with the same ``key`` are equal."""

    runs: bytes
    files: Mapping[str, tuple[str, ...]]

    @cached_property
    def key(self) -> str:
        digest = hashlib.sha256(self.runs)
        for view, paths in sorted(self.files.items()):
            digest.update("\0".join((view, *paths, "")).encode())
        return digest.hexdigest()


@dataclass(frozen=True)
class SqlQuery:
    query: str
    format: str
    max_rows: int
    timeout_s: float

    @property
    def message(self) -> dict[str, Any]:
        """The query as the sandbox is sent it."""
        return {"query": self.query, "format": self.format, "max_rows": self.max_rows, "timeout_s": self.timeout_s}


@dataclass(frozen=True)
class AnswerFile:
    """``cut``: the query has more rows than the file."""

    path: Path
    columns: tuple[tuple[str, str], ...]
    rows: int
    cut: bool
    elapsed_ms: float


@dataclass(frozen=True)
class QueryRefusal:
    """Why a query is not answered. ``position``: where in the query, counted in UTF-8 bytes while the query is checked,
    and in characters in a reply. ``unknown_name``: the view or column that the query names and that does not exist."""

    code: SqlCode
    message: str
    position: int | None = None
    unknown_name: str = ""
    hints: tuple[str, ...] = ()


def parse_sandbox_reply(reply: Mapping[str, Any], query: SqlQuery) -> AnswerFile | QueryRefusal:
    if "path" in reply:
        columns = tuple((str(name), str(type_)) for name, type_ in reply["columns"])
        return AnswerFile(
            Path(reply["path"]), columns, int(reply["rows"]), bool(reply["cut"]), float(reply["elapsed_ms"])
        )
    message = str(reply["message"])
    if reply["code"] == "too_slow":
        message = f"it took longer than {query.timeout_s:g} s"
    return QueryRefusal(cast("SqlCode", reply["code"]), message, reply["position"], hints=tuple(reply["hints"]))
