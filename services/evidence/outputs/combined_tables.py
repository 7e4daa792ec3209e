"""Makes combined.csv and .parquet: one row per sample, in the order of the input. The bytes are deterministic."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import duckdb

from services.evidence.facts import RunFacts
from services.evidence.outputs.products import OpenFile, OutputFile
from services.evidence.outputs.row_spool import RowLines, RowSpool, place_of
from shared.errors import Unavailable
from shared.evidence_format import layout
from shared.evidence_format.table.columns import WRONG_TYPE, TableColumn
from shared.evidence_format.table.rows import RowMaker, cell_texts
from shared.evidence_view.sample_facts import SampleFacts
from shared.tables.csv_cells import csv_line, without_formula

PARQUET = "combined.parquet"
_LEAST_LINE_BYTES = 1 << 20
GROUP_ROWS = 8_192
"""Held in memory together while they are written."""
_SQL_TYPES = {
    "text": "VARCHAR",
    "number": "DOUBLE",
    "whole": "BIGINT",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "array": "VARCHAR[]",
    "rows": "VARCHAR",  # as JSON; typed they are in tables/items.parquet
    "names": "VARCHAR[]",
    "notes": "VARCHAR[]",
}


class CombinedTables:
    """See :class:`services.evidence.outputs.products.Product`."""

    makes = "combined.csv and .parquet"

    def __init__(self, closing: RunFacts, folder: Path) -> None:
        self._folder = folder
        self._maker = RowMaker(closing.task)
        self._lines = RowLines(self._maker.columns)
        self._spool = RowSpool(folder / "rows", self._maker.columns)

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        row = self._maker.row(sample)
        line = self._lines.line_of(row)
        self._spool.add(
            place_of(sample), row, csv_line(map(without_formula, cell_texts(row, self._maker.columns))), line
        )

    def finish(self) -> Iterable[OutputFile]:
        table, typed = self._folder / layout.COMBINED, self._folder / PARQUET
        ordered = self._folder / "ordered.json"
        columns = self._maker.columns
        with table.open("wb") as file, ordered.open("wb") as lines:
            file.write(csv_line(column.name for column in columns).encode())
            for csv, line in self._spool.in_order():
                file.write(csv)
                lines.write(line)
        yield OutputFile(table.name, table)
        _write_parquet(typed, ordered, self._spool, columns)
        yield OutputFile(typed.name, typed)

    def close(self) -> None:
        self._spool.close()


def _write_parquet(path: Path, ordered: Path, spool: RowSpool, columns: tuple[TableColumn, ...]) -> None:
    types = [_sql_type(column, place, spool) for place, column in enumerate(columns)]
    # Lists are read as they are; all else as text, of which a cast that fails makes nothing instead of an error.
    read = ", ".join(f"c{place}: {_text(_read_as(sort))}" for place, sort in enumerate(types))
    cells = [f"TRY_CAST(c{place} AS {sort})" for place, sort in enumerate(types)]
    made = [f"{_own(column, cell)} AS {_identifier(column.name)}" for column, cell in zip(columns, cells, strict=True)]
    bound = max(_LEAST_LINE_BYTES, spool.most_bytes + 1)
    rows = (
        f"read_json({_text(str(ordered))}, format='newline_delimited', maximum_object_size={bound},"
        f" columns={{{read}, wrong: 'MAP(VARCHAR, VARCHAR)'}})"
    )
    query = f"SELECT {', '.join(made)} FROM {rows}"  # noqa: S608  only quoted names of fields
    try:
        # One thread: then the rows lie in the file as they came.
        with duckdb.connect(config={"threads": 1, "autoinstall_known_extensions": False}) as db:
            form = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {GROUP_ROWS}"
            db.execute(f"COPY ({query}) TO {_text(str(path))} ({form})")
    except (duckdb.IOException, duckdb.OutOfMemoryException) as exc:
        raise Unavailable(f"{PARQUET} cannot be made: {str(exc)[:500]}", code="table_unavailable") from exc


def _own(column: TableColumn, cell: str) -> str:
    return "wrong" if column.common_name == WRONG_TYPE else cell


def _sql_type(column: TableColumn, place: int, spool: RowSpool) -> str:
    """A time without a zone is no moment: a column of both kinds is text."""
    if column.kind == "decimal":
        return f"DECIMAL(38, {spool.fraction_digits[place]})"
    if column.kind == "date-time":
        zones = spool.zones[place]
        return "VARCHAR" if len(zones) == 2 else "TIMESTAMP" if False in zones else "TIMESTAMPTZ"
    return _SQL_TYPES[column.kind]


def _read_as(sort: str) -> str:
    return sort if sort.endswith("[]") else "VARCHAR"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
