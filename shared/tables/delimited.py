"""Parse the bytes of a CSV file."""

from __future__ import annotations

import csv
import io

from shared.contracts.discovery import Problem
from shared.tables.encodings import Undecoded, decode_text

DELIMITERS = (",", ";", "\t")


def detect_delimiter(text: str) -> str:
    """Return the delimiter that splits the header into the most cells; a comma when none does."""
    lines = text.lstrip("\r\n").splitlines()
    header = lines[0] if lines else ""
    return max(DELIMITERS, key=lambda mark: _count_cells(header, mark))


def _count_cells(line: str, delimiter: str) -> int:
    return max((len(cells) for cells in csv.reader([line], delimiter=delimiter)), default=0)


def parse_delimited(
    data: bytes, name: str, told: str = "", option: str = "--encoding"
) -> tuple[list[list[str]], tuple[Problem, ...], str]:
    """Return the rows, the problems, and the encoding of the text. An unclosed quote is a problem.

    ``told``: the encoding, from a person; ``option``: what says it.
    """
    decoded = decode_text(data, told, option)
    if isinstance(decoded, Undecoded):
        return [], (Problem(where=name, message=decoded.message),), ""
    text, delimiter = _split_sep_line(decoded.text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or detect_delimiter(text), strict=True)
    grid: list[list[str]] = []
    try:
        grid.extend(reader)
    except csv.Error as exc:
        where = f"{name}, line {reader.line_num}"
        return grid, (Problem(where=where, message=f"cannot be read as CSV: {exc}"),), decoded.encoding
    return grid, (), decoded.encoding


def _split_sep_line(text: str) -> tuple[str, str | None]:
    """Split off the first line ``sep=;`` with which Excel states the delimiter. Return the rest and the delimiter."""
    first, _, rest = text.partition("\n")
    mark = first.strip("\r").removeprefix("sep=")
    return (rest, mark) if first.startswith("sep=") and len(mark) == 1 else (text, None)
