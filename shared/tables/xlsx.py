"""Reads .xlsx files, with all that decides what a person sees of a cell: its format, its formula, its row.

A sheet is read as a stream of elements, once, and only when it is asked for.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from shared.errors import InvalidMessage
from shared.tables.cells import MAX_EXACT_NUMBER, Flaw, number_text
from shared.tables.number_formats import is_plain, parse_format, shown_number, shown_text
from shared.tables.serial_dates import shown_date
from shared.tables.workbook import Rectangle, SheetCells, SheetHead
from shared.tables.xlsx_parts import (
    NAMES,
    Attributes,
    bad_workbook,
    find_workbook_part,
    parse_part,
    read_formats,
    read_shared_texts,
    read_workbook_part,
    unescaped,
)

MAX_CELLS = 20_000_000
MAX_REMEMBERED = 50_000
LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
NOT_COMPUTED = "a formula without a stored value; open the file in Excel, save it, and name it again"
TO_COMPUTE = (
    "a formula that is computed when the file is opened, so that its stored value may be an old one; open the file in "
    "Excel, save it, and name it again"
)


class XlsxWorkbook:
    """See :class:`shared.tables.workbook.SheetBook`."""

    form, untold = "xlsx", ""

    def __init__(self, archive: zipfile.ZipFile, part: str) -> None:
        self._archive = archive
        self._book = read_workbook_part(archive, part)
        self._texts = read_shared_texts(archive, self._book.parts.get("sharedStrings"))
        self._formats = read_formats(archive, self._book.parts.get("styles"))

    @property
    def sheets(self) -> tuple[SheetHead, ...]:
        return tuple(one.head for one in self._book.sheets)

    def read(self, name: str) -> SheetCells:
        listed = next(one for one in self._book.sheets if one.head.name == name)
        values = CellValues(self._texts, self._formats, self._book.since_1904, self._book.recomputed)
        sheet = _SheetReader(values)
        parse_part(self._archive, listed.part, sheet.start, sheet.end, sheet.text)
        return sheet.cells()


def open_xlsx(archive: zipfile.ZipFile) -> XlsxWorkbook | None:
    """Return the workbook; None where the archive is another format."""
    part = find_workbook_part(archive)
    return None if part is None else XlsxWorkbook(archive, part)


@dataclass(frozen=True)
class _Style:
    """``plain_numbers``: its numbers are shown as such; ``plain_texts``: its texts are shown as they are."""

    code: str
    plain_numbers: bool
    plain_texts: bool


class CellValues:
    """What the stored values of cells come to."""

    def __init__(self, texts: Sequence[str], formats: Sequence[str], since_1904: bool, recomputed: bool) -> None:
        self._texts, self._formats = texts, formats
        self._since_1904, self._recomputed = since_1904, recomputed
        self._styles: dict[str, _Style] = {}
        self._shown_before: dict[tuple[str, str], str | Flaw] = {}

    def value(self, kind: str, style: str, text: str | None, *, formula: bool) -> object:
        """Return the text of a cell, a flaw, or None for an empty cell. ``text``: as stored; None: nothing is."""
        if text is None or (text == "" and kind != "str"):
            return Flaw("", NOT_COMPUTED) if formula else None
        shown = self._shown(kind, self._styles.get(style) or self._style(style), text)
        if formula and self._recomputed and not isinstance(shown, Flaw):
            return Flaw(shown, TO_COMPUTE)
        return shown

    def _shown(self, kind: str, style: _Style, text: str) -> str | Flaw:
        if kind == "s":
            shared = self._shared(text)
            return shared if style.plain_texts else shown_text(style.code, shared)
        if kind == "n":
            return self._number(style, text)
        if kind in ("str", "inlineStr"):
            return shown_text(style.code, unescaped(text))
        if kind == "b":
            return "true" if text.strip() in ("1", "true") else "false"
        if kind == "e":
            return Flaw(text, f"it shows the error {text}")
        if kind == "d":
            return text.strip().removesuffix("T00:00:00")
        return Flaw(text, f"it is of the type {kind!r}, which is not known")

    def _style(self, style: str) -> _Style:
        known = style.isdigit() and int(style) < len(self._formats)
        code = self._formats[int(style)] if known else "General"
        made = _Style(code, is_plain(code), shown_text(code, "x") == "x")
        return self._styles.setdefault(style, made)

    def _shared(self, text: str) -> str:
        try:
            return self._texts[int(text)]
        except (ValueError, IndexError) as exc:
            raise bad_workbook(f"there is no shared text {text!r}") from exc

    def _number(self, style: _Style, text: str) -> str | Flaw:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            return Flaw(text, f"{text!r} is stored as a number and is none")
        if style.plain_numbers and abs(number) < MAX_EXACT_NUMBER:
            return number_text(number)
        shown = self._shown_before.get((style.code, text))
        if shown is None:
            shown = self._formatted(style.code, number)
            if len(self._shown_before) < MAX_REMEMBERED:
                self._shown_before[style.code, text] = shown
        return shown

    def _formatted(self, code: str, number: float) -> str | Flaw:
        chosen = parse_format(code).section_of(number)
        if chosen is None or not chosen[0].is_date:
            return shown_number(code, number)
        section = chosen[0]
        return shown_date(number, since_1904=self._since_1904, names_day=section.names_day, elapsed=section.elapsed)


@cache
def column_of(letters: str) -> int:
    """Return the number of a column: ``A`` is 1, ``AA`` is 27."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number if letters.isalpha() and letters.isascii() and number <= LAST_COLUMN else 0


def _place(reference: str) -> tuple[int, int]:
    """Return row and column of ``B7``. Raises InvalidMessage."""
    bare = reference.replace("$", "")
    letters = bare.rstrip("0123456789")
    digits = bare[len(letters) :]
    column, row = column_of(letters) if letters else 0, int(digits) if digits and len(digits) < 8 else 0
    if not column or not 1 <= row <= LAST_ROW:
        raise bad_workbook(f"{reference!r} names no cell")
    return row, column


class _SheetReader:
    """Collects the cells of a sheet while it is parsed."""

    def __init__(self, values: CellValues) -> None:
        self._values = values
        self._rows: dict[int, list[object]] = {}
        self._hidden_rows: set[int] = set()
        self._hidden_columns: set[int] = set()
        self._merged: list[Rectangle] = []
        self._filtered = self._hides_by_default = False
        self._cells = self._row = self._column = 0
        self._kind = "n"
        self._style = ""
        self._value: list[str] | None = None
        self._formula = self._spoken = self._listens = False

    def start(self, full: str, attributes: Attributes) -> None:
        name = NAMES.get(full)
        if name == "c":
            self._start_cell(attributes)
        elif name == "v":
            self._value, self._listens = [], True
        elif name == "f":
            self._formula = True
        elif name == "row":
            self._start_row(attributes)
        elif name == "is":
            self._value = []
        elif name == "rPh":
            self._spoken = True
        elif name == "t":
            self._listens = not self._spoken and self._value is not None
        elif name is not None:
            self._start_other(name, attributes)

    def end(self, full: str) -> None:
        name = NAMES.get(full)
        if name == "c":
            self._end_cell()
        elif name in ("v", "t"):
            self._listens = False
        elif name == "rPh":
            self._spoken = False

    def text(self, data: str) -> None:
        if self._listens and self._value is not None:
            self._value.append(data)

    def cells(self) -> SheetCells:
        none: list[object] = []
        last = max((number for number, row in self._rows.items() if row), default=0)
        grid = [self._rows.get(number, none) for number in range(1, last + 1)]
        hidden = frozenset(self._hidden_rows)
        return SheetCells(grid, hidden, frozenset(self._hidden_columns), tuple(self._merged), self._filtered)

    def _start_other(self, name: str, attributes: Attributes) -> None:
        if name == "sheetFormatPr":
            self._hides_by_default = attributes.get("zeroHeight") in ("1", "true")
        elif name == "col" and (_is_hidden(attributes) or attributes.get("width") == "0"):
            first, last = int(attributes.get("min", 0)), int(attributes.get("max", 0))
            self._hidden_columns.update(range(max(first, 1), min(last, LAST_COLUMN) + 1))
        elif name == "mergeCell":
            first, _, last = attributes.get("ref", "").partition(":")
            self._merged.append((*_place(first), *_place(last or first)))
        elif name == "filterColumn":
            self._filtered = True

    def _start_row(self, attributes: Attributes) -> None:
        stated = attributes.get("r")
        self._open_row(int(stated) if stated is not None and stated.isdigit() else self._row + 1)
        self._column = 0
        stated_open = "ht" in attributes or attributes.get("hidden") in ("0", "false")
        if _is_hidden(attributes) or (self._hides_by_default and not stated_open) or _is_zero(attributes.get("ht")):
            self._hidden_rows.add(self._row)

    def _open_row(self, number: int) -> None:
        if not 1 <= number <= LAST_ROW or number in self._rows:
            raise bad_workbook(f"its row {number} is there twice or lies outside of a sheet")
        self._row = number
        self._rows[number] = []

    def _start_cell(self, attributes: Attributes) -> None:
        reference = attributes.get("r")
        if reference is None:
            self._column += 1
        else:
            letters = reference.rstrip("0123456789")
            self._column = column_of(letters)
            if not self._column or reference[len(letters) :] != str(self._row):
                row, self._column = _place(reference)
                if row != self._row:
                    raise bad_workbook(f"the cell {reference} is in row {self._row}")
        self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "")
        self._value, self._formula = None, False

    def _end_cell(self) -> None:
        text = None if self._value is None else "".join(self._value)
        value = self._values.value(self._kind, self._style, text, formula=self._formula)
        self._value = None
        if value is None:
            return
        row = self._rows[self._row]
        missing = self._column - 1 - len(row)
        if missing < 0:
            if row[self._column - 1] is not None:
                raise bad_workbook(f"row {self._row} has two cells in column {self._column}")
            row[self._column - 1] = value
            return
        row.extend([None] * missing)
        row.append(value)
        self._cells += missing + 1
        if self._cells > MAX_CELLS:
            message = f"its cells span more than {MAX_CELLS} cells. Delete what stands far away"
            raise InvalidMessage(message, code="bad_workbook")


def _is_hidden(attributes: Attributes) -> bool:
    return attributes.get("hidden") in ("1", "true")


def _is_zero(height: str | None) -> bool:
    return height is not None and height.strip("0.") == "" and "0" in height
