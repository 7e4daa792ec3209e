"""Pure: the SQL that makes tables of rows, and views of tables. Nothing of it comes from a query."""

from __future__ import annotations

from collections.abc import Sequence

from services.evidence.sql.catalogue import SqlView
from services.evidence.tables import csv_cells

LEAST_ROOM_BYTES = 8 * 1024 * 1024
GROUP_ROWS = 16_384
"""Rows that DuckDB holds in memory together while it writes them; by itself it would hold over a hundred thousand."""


def from_lines(view: SqlView, path: str, longest_bytes: int) -> str:
    """The rows of a file with one JSON object a line, typed as the catalogue has them. DuckDB sets room for two of the
    longest lines aside."""
    columns = ", ".join(f"{text(c.name)}: {text(c.type)}" for c in view.columns)
    return (
        f"SELECT * FROM read_json({text(path)}, format='newline_delimited', columns={{{columns}}}, "
        f"maximum_object_size={max(longest_bytes, LEAST_ROOM_BYTES)})"
    )


def to_parquet(view: SqlView, lines: str, longest_bytes: int, target: str) -> str:
    form = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {GROUP_ROWS}"
    return f"COPY ({from_lines(view, lines, longest_bytes)}) TO {text(target)} ({form})"


def view_over(view: SqlView, files: Sequence[str]) -> str:
    """One view over the files of several runs. A column that an older run does not have yet is NULL there."""
    typed = ", ".join(f"CAST(NULL AS {c.type}) AS {name(c.name)}" for c in view.columns)
    rows = f"SELECT {typed} WHERE false"
    if files:
        listed = ", ".join(text(path) for path in files)
        rows += f" UNION ALL BY NAME SELECT * FROM read_parquet([{listed}], union_by_name=true)"
    chosen = ", ".join(name(c.name) for c in view.columns)
    return f"CREATE VIEW {name(view.name)} AS SELECT {chosen} FROM ({rows})"


def name(identifier: str) -> str:
    return '"' + identifier.replace('"', '""') + '"'


def text(words: str) -> str:
    return "'" + words.replace("'", "''") + "'"


ANSWER = "aside.answer"
"""In a schema of its own, so that it is none of the tables that a query can name or be shown."""
FORMATS = {
    "json": "FORMAT json, ARRAY true, TIMESTAMPFORMAT '%Y-%m-%dT%H:%M:%S.%fZ'",
    "csv": "FORMAT csv, HEADER true, TIMESTAMPFORMAT '%Y-%m-%dT%H:%M:%S.%fZ'",
    "parquet": "FORMAT parquet, COMPRESSION zstd",
}
COUNTED = f"SELECT count(*) FROM {ANSWER}"
DESCRIBED = f"SELECT column_name, column_type FROM (DESCRIBE {ANSWER})"
FORGOTTEN = f"DROP TABLE IF EXISTS {ANSWER}"


def answer_of(query: str, most_rows: int) -> str:
    """Keeps what the query brings in the table ``answer``, and one row more where there are more. The query was written
    by DuckDB itself, from the syntax tree of one SELECT."""
    return f"CREATE TABLE {ANSWER} AS SELECT * FROM ({query}) LIMIT {most_rows + 1}"


def answer_to(columns: Sequence[tuple[str, str]], most_rows: int, format_: str, target: str) -> str:
    """Copies the table ``answer`` into a file."""
    written = {"csv": {"VARCHAR": guarded}, "json": {"DOUBLE": finite, "FLOAT": finite}}.get(format_, {})
    titled = csv_cells.guarded if format_ == "csv" else str
    chosen = ", ".join(f"{written.get(type_, name)(column)} AS {name(titled(column))}" for column, type_ in columns)
    return f"COPY (SELECT {chosen} FROM {ANSWER} LIMIT {most_rows}) TO {text(target)} ({FORMATS[format_]})"


def finite(column: str) -> str:
    """A number that JSON has: what was divided by zero is null there."""
    return f"CASE WHEN isfinite({name(column)}) THEN {name(column)} END"


def guarded(column: str) -> str:
    """A text as `services.evidence.tables.csv_cells.guarded` has it."""
    value = name(column)
    number = f"regexp_full_match({value}, {text(csv_cells.NUMBER)})"
    risky = f"regexp_matches({value}, {text(csv_cells.RISKY)}) AND NOT {number}"
    return f"CASE WHEN {risky} THEN '''' || {value} ELSE {value} END"
