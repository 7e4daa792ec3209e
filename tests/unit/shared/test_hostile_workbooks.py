"""A workbook that would fill the memory is refused before it is opened."""

from __future__ import annotations

import io
import zipfile

import pytest

from shared.errors import InvalidMessage
from shared.tables import excel
from shared.tables.excel import open_workbook
from tests.cases import cases


def workbook(**parts: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), data)
    return file.getvalue()


def test_a_workbook_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(excel, "MAX_UNPACKED_BYTES", 1_000_000)
    data = workbook(xl__worksheets__sheet1_xml=bytes(1_000_001))
    assert len(data) < 2000
    with pytest.raises(InvalidMessage, match="unpacks to") as refused:
        open_workbook(data)
    assert refused.value.code == "bad_workbook"


@cases("last", [b"XFD1048576", b"$ZZ$900000"])
def test_a_workbook_with_two_cells_far_apart_is_refused(last: bytes):
    sheet = b'<worksheet><sheetData><row><c r="A1"/><c r="' + last + b'"/></row></sheetData></worksheet>'
    with pytest.raises(InvalidMessage, match="Delete what stands far away"):
        open_workbook(workbook(xl__worksheets__sheet1_xml=sheet))


@cases("data", [b"", b"PK\x03\x04", b"not a workbook", workbook(a=b"b"), workbook()])
def test_what_is_no_workbook_is_told_as_such(data: bytes):
    with pytest.raises(InvalidMessage, match="cannot be read as an Excel workbook"):
        open_workbook(data)
