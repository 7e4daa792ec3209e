"""Opens Excel workbooks: .xlsx by `shared.tables.xlsx`, other formats with python-calamine."""

from __future__ import annotations

import io
import re
import zipfile

from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from shared.errors import InvalidMessage
from shared.tables.workbook import SheetBook, SheetCells, SheetHead
from shared.tables.xlsx import MAX_CELLS, open_xlsx
from shared.tables.xlsx_parts import bad_workbook

MAX_UNPACKED_BYTES = 400_000_000
_CELL = re.compile(rb"""\sr\s*=\s*["']\s*\$?([A-Za-z]{1,3})\$?([0-9]{1,7})\b""")


UNTOLD = "hidden rows, formulas without a value, error values and number formats; save it as .xlsx to have them checked"
"""What calamine does not say of a workbook."""


class _OtherWorkbook:
    """An .xls, .xlsb or .ods file. See :class:`shared.tables.workbook.SheetBook`."""

    untold = UNTOLD

    def __init__(self, book: CalamineWorkbook, form: str) -> None:
        self._book, self.form = book, form

    @property
    def sheets(self) -> tuple[SheetHead, ...]:
        return tuple(
            SheetHead(one.name, one.visible != SheetVisibleEnum.Visible, one.typ == SheetTypeEnum.WorkSheet)
            for one in self._book.sheets_metadata
        )

    def read(self, name: str) -> SheetCells:
        try:
            sheet = self._book.get_sheet_by_name(name)
            merged = sheet.merged_cell_ranges or []
            grid = sheet.to_python(skip_empty_area=False)
        except CalamineError as exc:
            raise bad_workbook(exc) from exc
        return SheetCells(
            [[None if cell == "" else cell for cell in row] for row in grid],
            merged=[(top + 1, left + 1, bottom + 1, right + 1) for (top, left), (bottom, right) in merged],
        )


def open_workbook(data: bytes) -> SheetBook:
    """Return the workbook of these bytes. Its sheets are read when they are asked for.

    Raises InvalidMessage when the bytes are no workbook, or one that is too large. Blocks while it reads.
    """
    file = io.BytesIO(data)
    form = "xls"
    try:
        if zipfile.is_zipfile(file):
            archive = zipfile.ZipFile(file)
            _refuse_bomb(archive)
            if (book := open_xlsx(archive)) is not None:
                return book
            _refuse_wide_sheets(archive)
            form = "ods" if "content.xml" in archive.namelist() else "xlsb"
        return _OtherWorkbook(CalamineWorkbook.from_filelike(io.BytesIO(data)), form)
    except (CalamineError, zipfile.BadZipFile, ValueError, RuntimeError) as exc:
        raise bad_workbook(exc) from exc


def _refuse_bomb(archive: zipfile.ZipFile) -> None:
    """Raise InvalidMessage for a zip bomb, before it exhausts the memory."""
    unpacked_bytes = sum(info.file_size for info in archive.infolist())
    if unpacked_bytes > MAX_UNPACKED_BYTES:
        message = f"it unpacks to {unpacked_bytes} bytes; {MAX_UNPACKED_BYTES} is the most"
        raise InvalidMessage(message, code="bad_workbook")


def _refuse_wide_sheets(archive: zipfile.ZipFile) -> None:
    """Raise InvalidMessage for cells that stand far apart, before calamine allocates all between them.

    Of every XML part: a workbook may give its sheets any name.
    """
    parts = [info for info in archive.infolist() if info.filename.lower().endswith(".xml")]
    cells = max((_extent(archive, info) for info in parts), default=0)
    if cells > MAX_CELLS:
        message = f"its cells span a rectangle of {cells} cells; {MAX_CELLS} is the most. Delete what stands far away"
        raise InvalidMessage(message, code="bad_workbook")


def _extent(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> int:
    """Return rows times columns of the rectangle that the cells span; calamine allocates all of it."""
    rows = columns = 1
    with archive.open(info) as file:
        rest = b""
        while chunk := file.read(1 << 20):
            for letters, digits in _CELL.findall(rest + chunk):
                rows, columns = max(rows, int(digits)), max(columns, _column(letters))
            rest = chunk[-64:]
    return rows * columns


def _column(letters: bytes) -> int:
    """Return the number of a column: ``A`` is 1, ``AA`` is 27."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number
