"""combined.csv through DuckDB, straight from the result.json files."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import duckdb

from shared.errors import Unavailable

BEFORE = ("sample_id", "row", "status", "reason")
AFTER = ("not_present", "not_found", "flagged", "attempt", "llm_calls", "artifacts", "message", "notes")
JUDGED = ("judgment", "judgment_confidence", "judgment_reasoning")
"""Only where the task asks for a judgment."""
MAX_RESULT_BYTES = 256 * 1024 * 1024
NOTES = "array_to_string(notes, '; ')"
_COLUMNS = (
    "{sample_id: 'VARCHAR', row: 'BIGINT', status: 'VARCHAR', reason: 'VARCHAR', message: 'VARCHAR',"
    " flagged: 'BOOLEAN', notes: 'VARCHAR[]', fields: 'MAP(VARCHAR, JSON)', attempt: 'BIGINT',"
    " llm_calls: 'BIGINT', judgment: 'JSON', artifacts: 'STRUCT(filename VARCHAR)[]'}"
)


async def _say_nothing(key: str, why: str) -> None: ...


class DuckDbTables:
    """See :class:`services.evidence.deps.Tables`. Equal results give equal bytes."""

    def __init__(self, on_blocked: Callable[[str, str], Awaitable[None]] = _say_nothing) -> None:
        self._on_blocked = on_blocked

    async def combined(self, results: Sequence[str], fields: Sequence[str], *, judged: bool = False) -> bytes:
        try:
            return await asyncio.to_thread(_combined, list(results), list(fields), judged)
        except (duckdb.Error, OSError) as exc:
            told = f"the table cannot be made: {str(exc)[:500]}"
            run_id = Path(results[0]).parent.parent.name if results else "-"
            await self._on_blocked(f"{run_id}/-", told)
            raise Unavailable(told, code="table_unavailable") from exc


def _combined(results: list[str], fields: list[str], judged: bool) -> bytes:
    if not results:
        return (",".join([*BEFORE, *fields, *(JUDGED if judged else ()), *AFTER]) + "\n").encode()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "combined.csv"
        with duckdb.connect(config={"threads": 2}) as db:
            db.execute(_copy(fields, judged, target), {"files": results})
        return target.read_bytes()


def _copy(fields: list[str], judged: bool, target: Path) -> str:
    columns = [
        *(f"nullif({column}, '') AS {column}" if column == "reason" else column for column in BEFORE),
        *(f"{_guarded(_value(field))} AS {_identifier(field)}" for field in fields),
        *(f"{_guarded(_judgment(column))} AS {column}" for column in (JUDGED if judged else ())),
        *(f"{_named(state)} AS {state}" for state in ("not_present", "not_found")),
        "flagged",
        "attempt",
        "llm_calls",
        "nullif(array_to_string([a.filename FOR a IN artifacts], ';'), '') AS artifacts",
        f"nullif({_guarded('message')}, '') AS message",
        f"nullif({_guarded(NOTES)}, '') AS notes",
    ]
    rows = f"read_json($files, columns={_COLUMNS}, format='unstructured', maximum_object_size={MAX_RESULT_BYTES})"
    query = f"SELECT {', '.join(columns)} FROM {rows} ORDER BY sample_id"  # noqa: S608  only quoted names of fields
    return f"COPY ({query}) TO {_text(str(target))} (FORMAT csv, HEADER)"


def _value(field: str) -> str:
    """The value as text: a string as it is, anything else as JSON."""
    return f"(fields[{_text(field)}] ->> '$.value')"


def _judgment(column: str) -> str:
    key = {"judgment": "answer"}.get(column, column.removeprefix("judgment_"))
    return f"(judgment ->> '$.{key}')"


def _named(state: str) -> str:
    """Names of the fields in this state, in the order of the schema."""
    names = f"[e.key FOR e IN map_entries(fields) IF (e.value ->> '$.state') = {_text(state)}]"
    return f"nullif(array_to_string({names}, ';'), '')"


def _guarded(value: str) -> str:
    """Formula-injection safe: a spreadsheet must never run what a page said. Plain numbers stay numbers."""
    risky = (
        f"regexp_matches({value}, '^[=+\\-@\\t\\r\\n]') AND NOT regexp_matches({value}, '^[+-]?[0-9]+([.][0-9]+)?$')"
    )
    return f"CASE WHEN {risky} THEN '''' || {value} ELSE {value} END"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
