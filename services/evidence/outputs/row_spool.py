"""Temporary files for the rows of a table: rows are written as they arrive and read back in the order of the input."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from shared.evidence_format.table.columns import TableColumn
from shared.evidence_format.table.rows import TableRow, fraction_digits, has_zone
from shared.evidence_view.sample_facts import SampleFacts

_HEAD = struct.Struct("<III")
"""Sizes in bytes of the name and of the two parts of a record. The three follow it."""


def place_of(sample: SampleFacts) -> str:
    """Return the name by which a spool sorts a sample: in the order of the input, and of one row by its id."""
    return f"{sample.row or 0:012d} {sample.sample_id}"


class RowSpool:
    """A file of rows, each as a line of CSV and a line of JSON.

    Only statistics of the columns are kept in memory; a typed table cannot be declared without them.
    """

    def __init__(self, path: Path, columns: Sequence[TableColumn]) -> None:
        self.fraction_digits = [0] * len(columns)
        """By column: the largest number of decimals. 0 for columns of other types."""
        self.zones: list[set[bool]] = [set() for _ in columns]
        """By column: whether its date-times have a time zone; both values if only some do."""
        self.most_bytes = 0
        """Size of the longest line of JSON."""
        self._decimals = [place for place, one in enumerate(columns) if one.kind == "decimal"]
        self._times = [place for place, one in enumerate(columns) if one.kind == "date-time"]
        self._lines = SortedSpool(path)

    def add(self, order: str, row: TableRow, csv: str, line: bytes) -> None:
        """Write a row. ``order``: from `place_of`. ``csv``: its line of CSV. ``line``: its line of JSON, from
        `RowLines.line_of`."""
        self._lines.add(order, csv.encode(), line)
        self.most_bytes = max(self.most_bytes, len(line))
        cells = row.cells
        for place in self._decimals:
            if (decimal := cells[place]) is not None:
                self.fraction_digits[place] = max(self.fraction_digits[place], fraction_digits(decimal))
        for place in self._times:
            if (time := cells[place]) is not None:
                self.zones[place].add(has_zone(time))

    def in_order(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield the line of CSV and the line of JSON of each row, in the order of the input."""
        return self._lines.in_order()

    def close(self) -> None:
        self._lines.close()


class RowLines:
    """Encodes rows of one table as lines of JSON.

    Empty cells are omitted. A cell is named by the index of its column, because a column of a task may have any name.
    """

    def __init__(self, columns: Sequence[TableColumn]) -> None:
        cells: list[tuple[str, Any, Any]] = [(f"c{place}", Any, None) for place in range(len(columns))]
        wrong = ("wrong", dict[str, str] | None)
        self._line: Any = msgspec.defstruct("Line", [wrong, *cells], omit_defaults=True, gc=False)
        self._encoder = msgspec.json.Encoder()

    def line_of(self, row: TableRow) -> bytes:
        return self._encoder.encode(self._line(row.wrong or None, *row.cells)) + b"\n"


class SortedSpool:
    """A file of records, each with a name and two parts in bytes, that is read back sorted by name.

    Records are not kept in memory. If they were not added in the order of their names, their offsets are, while they
    are read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb")
        self._last = b""
        self._ascending = True

    def add(self, name: str, one: bytes, other: bytes) -> None:
        key = name.encode(errors="surrogatepass")
        self._ascending = self._ascending and self._last <= key
        self._last = key
        self._file.write(_HEAD.pack(len(key), len(one), len(other)))
        self._file.writelines((key, one, other))

    def in_order(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield both parts of each record, sorted by name. Records of the same name keep their order."""
        self._file.flush()
        with self._path.open("rb") as file:
            if self._ascending:
                while head := file.read(_HEAD.size):
                    name_bytes, *parts = _HEAD.unpack(head)
                    file.read(name_bytes)
                    yield file.read(parts[0]), file.read(parts[1])
                return
            for _, offset in sorted(self._names_and_offsets()):
                file.seek(offset)
                name_bytes, *parts = _HEAD.unpack(file.read(_HEAD.size))
                file.read(name_bytes)
                yield file.read(parts[0]), file.read(parts[1])

    def _names_and_offsets(self) -> Iterator[tuple[bytes, int]]:
        with self._path.open("rb") as file:
            offset = 0
            while head := file.read(_HEAD.size):
                sizes: tuple[int, ...] = _HEAD.unpack(head)
                yield file.read(sizes[0]), offset
                offset += _HEAD.size + sum(sizes)
                file.seek(offset)

    def close(self) -> None:
        self._file.close()
