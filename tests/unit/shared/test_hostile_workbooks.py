"""A workbook that would fill the memory is refused before it is opened."""

from __future__ import annotations

import io
import zipfile

import pytest

from shared.errors import InvalidMessage
from shared.tables import excel, xlsx
from shared.tables.excel import open_workbook
from tests.cases import cases
from tests.unit.shared.tables.written_workbook import Sheet, number, written


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


def test_cells_that_stand_far_apart_in_many_rows_are_refused_while_they_are_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(xlsx, "MAX_CELLS", 2_000)
    data = written(Sheet("List", [[number(f"ALL{at}", 1)] for at in range(1, 4)]))
    with pytest.raises(InvalidMessage, match="Delete what stands far away"):
        open_workbook(data).read("List")


def test_a_part_with_a_document_type_is_refused():
    entities = b'<!DOCTYPE x [<!ENTITY a "aaaa">]><workbook><sheets><sheet name="&a;"/></sheets></workbook>'
    with pytest.raises(InvalidMessage, match="has a document type"):
        open_workbook(workbook(xl__workbook_xml=entities))
