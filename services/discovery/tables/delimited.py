"""Pure: the bytes of a CSV file to a grid. What it cannot be sure of it says."""

from __future__ import annotations

import codecs
import csv
import io
from dataclasses import dataclass

from shared.contracts.discovery import Problem

DELIMITERS = (",", ";", "\t")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Decoded:
    """``guessed``: nothing in the file says that this is its encoding."""

    text: str
    encoding: str
    guessed: bool = False


def decode(data: bytes) -> Decoded | None:
    """The text by its byte order mark, else as UTF-8, else as Windows-1252; None where it is no text at all."""
    if data.startswith(_UTF16):
        return _try(data, "utf-16")
    if b"\0" in data:
        return None
    return _try(data, "utf-8-sig") or _try(data, "cp1252", guessed=True)


def _try(data: bytes, encoding: str, *, guessed: bool = False) -> Decoded | None:
    try:
        return Decoded(data.decode(encoding), encoding, guessed)
    except UnicodeDecodeError:
        return None


def delimiter_of(text: str) -> str:
    """The delimiter that cuts the header into the most cells; a comma where none does."""
    lines = text.lstrip("\r\n").splitlines()
    header = lines[0] if lines else ""
    return max(DELIMITERS, key=lambda mark: _cells(header, mark))


def _cells(line: str, delimiter: str) -> int:
    return max((len(cells) for cells in csv.reader([line], delimiter=delimiter)), default=0)


def grid_of(data: bytes, name: str) -> tuple[list[list[str]], tuple[Problem, ...], Decoded | None]:
    """The cells of a delimited file. A quote that never closes is a problem, not a cell that eats the rest."""
    decoded = decode(data)
    if decoded is None:
        told = "this is no text: save it as CSV (UTF-8) or as an Excel workbook (.xlsx)"
        return [], (Problem(where=name, message=told),), None
    text, delimiter = _without_sep_line(decoded.text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or delimiter_of(text), strict=True)
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


def _without_sep_line(text: str) -> tuple[str, str | None]:
    """Excel says its delimiter in a first line ``sep=;``."""
    first, _, rest = text.partition("\n")
    mark = first.strip("\r").removeprefix("sep=")
    return (rest, mark) if first.startswith("sep=") and len(mark) == 1 else (text, None)
