"""Excel workbooks through python-calamine."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

from python_calamine import CalamineError, CalamineWorkbook

from shared.errors import InvalidMessage

MAX_UNPACKED_BYTES = 400_000_000


def read_sheet(data: bytes) -> Sequence[Sequence[object]]:
    """The cells of the first sheet of an .xlsx or .xls file, empty rows and columns before the first cell left out.

    Raises InvalidMessage, in words for people, where the bytes are no workbook. Blocks while it reads.
    """
    _refuse_bomb(data)
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        return workbook.get_sheet_by_index(0).to_python()
    except (CalamineError, IndexError) as exc:
        raise InvalidMessage(f"cannot be read as an Excel workbook: {exc}", code="bad_workbook") from exc


def _refuse_bomb(data: bytes) -> None:
    """A small file that unpacks to an enormous one would take this machine's memory."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked_bytes = sum(info.file_size for info in archive.infolist())
    except (zipfile.BadZipFile, ValueError) as exc:
        raise InvalidMessage(f"cannot be read as an Excel workbook: {exc}", code="bad_workbook") from exc
    if unpacked_bytes > MAX_UNPACKED_BYTES:
        told = f"it unpacks to {unpacked_bytes} bytes; {MAX_UNPACKED_BYTES} is the most"
        raise InvalidMessage(told, code="bad_workbook")
