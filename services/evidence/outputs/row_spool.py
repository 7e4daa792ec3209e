"""The rows of a table in a file, until all of them are there: as lines of CSV and of JSON, each written once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from services.evidence.outputs.sorted_spool import SortedSpool
from shared.evidence_format.table.cells import fraction_digits, has_zone
from shared.evidence_format.table.columns import TableColumn
from shared.evidence_format.table.rows import TableRow


class RowSpool:
    """In memory there is only what must be known of each column before a typed table of it is written."""

    def __init__(self, path: Path, columns: Sequence[TableColumn]) -> None:
        self.fraction_digits = [0] * len(columns)
        """Most of each column's decimals."""
        self.zones: list[set[bool]] = [set() for _ in columns]
        """Whether each column's times have a zone."""
        self.most_bytes = 0
        """Of a line of JSON."""
        self._decimals = [place for place, one in enumerate(columns) if one.kind == "decimal"]
        self._times = [place for place, one in enumerate(columns) if one.kind == "date-time"]
        self._lines = SortedSpool(path)

    def add(self, row: TableRow, csv: str, line: bytes) -> None:
        """``line``: see `line_of`."""
        self._lines.add(row.sample_id, csv.encode(), line)
        self.most_bytes = max(self.most_bytes, len(line))
        cells = row.cells
        for place in self._decimals:
            if (decimal := cells[place]) is not None:
                self.fraction_digits[place] = max(self.fraction_digits[place], fraction_digits(decimal))
        for place in self._times:
            if (time := cells[place]) is not None:
                self.zones[place].add(has_zone(time))

    def in_order(self) -> Iterator[tuple[bytes, bytes]]:
        """The lines of CSV and of JSON, by ``sample_id``."""
        return self._lines.in_order()

    def close(self) -> None:
        self._lines.close()


class RowLines:
    """Rows as lines of JSON, and back. What is empty is left out; a cell is named by its place, for the columns of a
    task may have any name."""

    def __init__(self, columns: Sequence[TableColumn]) -> None:
        self._cells = len(columns)
        cells: list[tuple[str, Any, Any]] = [(f"c{place}", Any, None) for place in range(self._cells)]
        own = [("id", str), ("status", str), ("wrong", dict[str, str] | None), ("screenshots", list[str])]
        self._line: Any = msgspec.defstruct("Line", [*own, *cells], omit_defaults=True, gc=False)
        self._encoder, self._decoder = msgspec.json.Encoder(), msgspec.json.Decoder(self._line)

    def line_of(self, row: TableRow) -> bytes:
        told = self._line(row.sample_id, row.status, row.wrong or None, row.screenshots, *row.cells)
        return self._encoder.encode(told) + b"\n"

    def row_of(self, line: bytes) -> TableRow:
        sample_id, status, wrong, screenshots, *cells = msgspec.structs.astuple(self._decoder.decode(line))
        return TableRow(sample_id, status, cells, wrong or {}, screenshots)
