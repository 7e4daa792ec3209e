"""Pure: a question, what it is asked of, and its answer: between whoever answers and whoever keeps the database."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from shared.contracts.error_codes import SqlCode

MOST_ROWS = 5_000_000
MOST_S = 120.0


@dataclass(frozen=True)
class Sources:
    """``runs``: the rows of the view of that name, one JSON object a line; ``files``: parquet files of each other view.
    Equal ``key``: the same of everything, as it was."""

    runs: bytes
    files: Mapping[str, tuple[str, ...]]

    @cached_property
    def key(self) -> str:
        digest = hashlib.sha256(self.runs)
        for view, paths in sorted(self.files.items()):
            digest.update("\0".join((view, *paths, "")).encode())
        return digest.hexdigest()


@dataclass(frozen=True)
class Question:
    query: str
    format: str
    max_rows: int
    timeout_s: float

    @property
    def told(self) -> dict[str, Any]:
        return {"query": self.query, "format": self.format, "max_rows": self.max_rows, "timeout_s": self.timeout_s}


@dataclass(frozen=True)
class Written:
    """An answer in a file. ``cut``: there are more rows than these."""

    path: Path
    columns: tuple[tuple[str, str], ...]
    rows: int
    cut: bool
    elapsed_ms: float


@dataclass(frozen=True)
class Refused:
    code: SqlCode
    message: str
    position: int | None = None
    hints: tuple[str, ...] = ()


def reply_from(told: Mapping[str, Any], question: Question) -> Written | Refused:
    """What the database's process said."""
    if "path" in told:
        columns = tuple((str(name), str(type_)) for name, type_ in told["columns"])
        return Written(Path(told["path"]), columns, int(told["rows"]), bool(told["cut"]), float(told["elapsed_ms"]))
    message = str(told["message"])
    if told["code"] == "too_slow":
        message = f"it took longer than {question.timeout_s:g} s"
    return Refused(cast("SqlCode", told["code"]), message, told["position"], tuple(told["hints"]))
