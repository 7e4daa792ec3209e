"""Read Excel workbooks with python-calamine."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence

from python_calamine import CalamineError, CalamineWorkbook

from shared.errors import InvalidMessage

MAX_UNPACKED_BYTES = 400_000_000
MAX_CELLS = 20_000_000
_CELL = re.compile(rb"""\sr\s*=\s*["']\s*\$?([A-Za-z]{1,3})\$?([0-9]{1,7})\b""")


def read_sheet(data: bytes) -> Sequence[Sequence[object]]:
    """Return the cells of the first sheet of an .xlsx or .xls file, without empty rows and columns before the first.

    Raises InvalidMessage when the bytes are no workbook, or one that is too large. Blocks while it reads.
    """
    _refuse_bomb(data)
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        return workbook.get_sheet_by_index(0).to_python()
    except (CalamineError, IndexError) as exc:
        raise InvalidMessage(f"cannot be read as an Excel workbook: {exc}", code="bad_workbook") from exc


def _refuse_bomb(data: bytes) -> None:
    """Raise InvalidMessage for a zip bomb, before it exhausts the memory."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked_bytes = sum(info.file_size for info in archive.infolist())
            # Every XML part: a workbook may give its sheets any name.
            parts = [info for info in archive.infolist() if info.filename.lower().endswith(".xml")]
            small = unpacked_bytes <= MAX_UNPACKED_BYTES
            cells = max((_extent(archive, info) for info in parts), default=0) if small else 0
    except (zipfile.BadZipFile, ValueError) as exc:
        raise InvalidMessage(f"cannot be read as an Excel workbook: {exc}", code="bad_workbook") from exc
    if unpacked_bytes > MAX_UNPACKED_BYTES:
        message = f"it unpacks to {unpacked_bytes} bytes; {MAX_UNPACKED_BYTES} is the most"
        raise InvalidMessage(message, code="bad_workbook")
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
