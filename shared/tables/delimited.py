"""Parse the bytes of a CSV file. A guessed encoding is reported as such."""

from __future__ import annotations

import codecs
import csv
import io
from dataclasses import dataclass

from shared.contracts.discovery import Problem

DELIMITERS = (",", ";", "\t")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class DecodedText:
    """The text of a file. ``guessed``: nothing in the file proves the encoding."""

    text: str
    encoding: str
    guessed: bool = False


def decode_text(data: bytes) -> DecodedText | None:
    """Decode by byte order mark, else as UTF-8, else as Windows-1252. Return None for bytes that are no text."""
    if data.startswith(_UTF16):
        return _decode_as(data, "utf-16")
    if b"\0" in data:
        return None
    return _decode_as(data, "utf-8-sig") or _decode_as(data, "cp1252", guessed=True)


def _decode_as(data: bytes, encoding: str, *, guessed: bool = False) -> DecodedText | None:
    try:
        return DecodedText(data.decode(encoding), encoding, guessed)
    except UnicodeDecodeError:
        return None


def detect_delimiter(text: str) -> str:
    """Return the delimiter that splits the header into the most cells; a comma when none does."""
    lines = text.lstrip("\r\n").splitlines()
    header = lines[0] if lines else ""
    return max(DELIMITERS, key=lambda mark: _count_cells(header, mark))


def _count_cells(line: str, delimiter: str) -> int:
    return max((len(cells) for cells in csv.reader([line], delimiter=delimiter)), default=0)


def parse_delimited(data: bytes, name: str) -> tuple[list[list[str]], tuple[Problem, ...], DecodedText | None]:
    """Return the rows, the problems, and the decoded text. An unclosed quote is a problem."""
    decoded = decode_text(data)
    if decoded is None:
        message = "this is no text: save it as CSV (UTF-8) or as an Excel workbook (.xlsx)"
        return [], (Problem(where=name, message=message),), None
    text, delimiter = _split_sep_line(decoded.text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or detect_delimiter(text), strict=True)
    grid: list[list[str]] = []
    try:
        grid.extend(reader)
    except csv.Error as exc:
        return (
            grid,
            (Problem(where=f"{name}, line {reader.line_num}", message=f"cannot be read as CSV: {exc}"),),
            decoded,
        )
    return grid, (), decoded


def _split_sep_line(text: str) -> tuple[str, str | None]:
    """Split off the first line ``sep=;`` with which Excel states the delimiter. Return the rest and the delimiter."""
    first, _, rest = text.partition("\n")
    mark = first.strip("\r").removeprefix("sep=")
    return (rest, mark) if first.startswith("sep=") and len(mark) == 1 else (text, None)
