"""SQL statements that make tables of rows, views over tables and answers of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.evidence.sql.view_types import SqlView
from shared.tables import csv_cells

MIN_OBJECT_BYTES = 8 * 1024 * 1024
GROUP_ROWS = 16_384
"""Rows that DuckDB holds in memory while it writes a Parquet file; its default is over a hundred thousand."""


def select_from_lines(view: SqlView, path: str, longest_bytes: int) -> str:
    """Return the SELECT of the rows of a JSON Lines file, with the types of the catalogue. DuckDB reserves memory for
    two lines of ``longest_bytes``."""
    columns = ", ".join(f"{quote_text(c.name)}: {quote_text(c.type)}" for c in view.columns)
    return (
        f"SELECT * FROM read_json({quote_text(path)}, format='newline_delimited', columns={{{columns}}}, "
        f"maximum_object_size={max(longest_bytes, MIN_OBJECT_BYTES)})"
    )


def copy_lines_to_parquet(view: SqlView, lines: str, longest_bytes: int, target: str) -> str:
    return _copy_to_parquet(select_from_lines(view, lines, longest_bytes), target)


def copy_with_columns(
    view: SqlView, made: str, keys: Sequence[str], replaced: Sequence[str], lines: str, longest_bytes: int, target: str
) -> str:
    """Return the statement that copies a Parquet file with other values in some columns.

    Args:
        view: of the table.
        made: the file.
        keys: columns that name a row.
        replaced: columns that get the value of the row with the same keys in ``lines``, NULL where it has none.
        lines: a JSON Lines file with the columns of both.
        longest_bytes: of its lines.
        target: the new file. Its rows are in the order of the old one.
    """
    only = replace(view, columns=tuple(c for c in view.columns if c.name in {*keys, *replaced}))
    chosen = ", ".join(
        f"{'n' if c.name in replaced else 'o'}.{quote_name(c.name)} AS {quote_name(c.name)}" for c in view.columns
    )
    same = " AND ".join(f"o.{quote_name(key)} = n.{quote_name(key)}" for key in keys)
    rows = f"read_parquet({quote_text(made)}, file_row_number=true)"
    found = f"({select_from_lines(only, lines, longest_bytes)})"
    query = f"SELECT {chosen} FROM {rows} o LEFT JOIN {found} n ON {same} ORDER BY o.file_row_number"
    return _copy_to_parquet(query, target)


def _copy_to_parquet(query: str, target: str) -> str:
    form = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {GROUP_ROWS}"
    return f"COPY ({query}) TO {quote_text(target)} ({form})"


def create_view(view: SqlView, files: Sequence[str]) -> str:
    """Return the CREATE VIEW over the files of several runs. A column that an older run lacks is NULL there."""
    typed = ", ".join(f"CAST(NULL AS {c.type}) AS {quote_name(c.name)}" for c in view.columns)
    rows = f"SELECT {typed} WHERE false"
    if files:
        listed = ", ".join(quote_text(path) for path in files)
        rows += f" UNION ALL BY NAME SELECT * FROM read_parquet([{listed}], union_by_name=true)"
    chosen = ", ".join(quote_name(c.name) for c in view.columns)
    return f"CREATE VIEW {quote_name(view.name)} AS SELECT {chosen} FROM ({rows})"


def quote_name(identifier: str) -> str:
    return '"' + identifier.replace('"', '""') + '"'


def quote_text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


ANSWER_SCHEMA = "aside"
"""A schema of its own: a query can neither name its tables nor list them."""
ANSWER = f"{ANSWER_SCHEMA}.answer"
FORMATS = {
    "json": "FORMAT json, ARRAY true, TIMESTAMPFORMAT '%Y-%m-%dT%H:%M:%S.%fZ'",
    "csv": "FORMAT csv, HEADER true, TIMESTAMPFORMAT '%Y-%m-%dT%H:%M:%S.%fZ'",
    "parquet": "FORMAT parquet, COMPRESSION zstd",
}
COUNT_ANSWER = f"SELECT count(*) FROM {ANSWER}"
DESCRIBE_ANSWER = f"SELECT column_name, column_type FROM (DESCRIBE {ANSWER})"
DROP_ANSWER = f"DROP TABLE IF EXISTS {ANSWER}"


def create_answer(query: str, max_rows: int) -> str:
    """Return the statement that stores the rows of a query in the table ``answer``, and one row more to see whether
    there are more. DuckDB wrote ``query`` itself, from the checked syntax tree of one SELECT."""
    return f"CREATE TABLE {ANSWER} AS SELECT * FROM ({query}) LIMIT {max_rows + 1}"


def copy_answer(columns: Sequence[tuple[str, str]], max_rows: int, format_: str, target: str) -> str:
    """Return the statement that copies the table ``answer`` into a file."""
    convert = {"csv": {"VARCHAR": without_formula}, "json": {"DOUBLE": finite, "FLOAT": finite}}.get(format_, {})
    title = csv_cells.without_formula if format_ == "csv" else str
    chosen = ", ".join(
        f"{convert.get(type_, quote_name)(column)} AS {quote_name(title(column))}" for column, type_ in columns
    )
    return f"COPY (SELECT {chosen} FROM {ANSWER} LIMIT {max_rows}) TO {quote_text(target)} ({FORMATS[format_]})"


def finite(column: str) -> str:
    """Return the expression of a float column for JSON: NULL for infinity and NaN."""
    return f"CASE WHEN isfinite({quote_name(column)}) THEN {quote_name(column)} END"


def without_formula(column: str) -> str:
    """Return the expression of a text column for CSV: as `csv_cells.without_formula`."""
    value = quote_name(column)
    number = f"regexp_full_match({value}, {quote_text(csv_cells.NUMBER)})"
    risky = f"regexp_matches({value}, {quote_text(csv_cells.RISKY)}) AND NOT {number}"
    return f"CASE WHEN {risky} THEN '''' || {value} ELSE {value} END"
