"""What a file is by its bytes, and whether it is whole."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import tarfile
import zipfile

import pytest
from PIL import Image

from services.browser_pool.adapters.downloads.openers import open_whole
from services.browser_pool.files.content import judged, kind_of
from tests.cases import cases
from tests.unit.browser_pool.made_files import CELL, pdf, xlsx

SIGN_IN = b"<!doctype html><title>Desk</title><form><input name=u><input type='password'></form>"
SHOWN = b"<!doctype html><title>Desk</title><p>Your session has expired."
ERROR = b'{"error": "report is not ready"}'
SHEET = xlsx(f"<row>{CELL.format('Tag')}</row>")


def problem_of(data: bytes, name: str, url: str = "", header: str = "") -> str:
    """What `collector.read_file` comes to, without its subprocess."""
    kind = kind_of(data[:16_384])
    if kind in ("pdf", "zip", "office", "gzip", "bzip2", "xz", "tar", "picture"):
        read = open_whole(kind, io.BytesIO(data))
        if read.broken:
            return "broken"
        kind = read.kind
    return judged(kind, data[:16_384], name, url, header).problem


def zipped(**files: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "."), text)
    return out.getvalue()


def tarred() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("a.txt")
        info.size = 3000
        archive.addfile(info, io.BytesIO(b"x" * 3000))
    return out.getvalue()


def picture(kind: str) -> bytes:
    out = io.BytesIO()
    Image.effect_noise((60, 60), 40).save(out, kind)
    return out.getvalue()


def old_office() -> bytes:
    """A compound file of a header, one sector of its table, and one sector of content."""
    table = struct.pack("<128I", 0xFFFFFFFD, 0xFFFFFFFE, *([0xFFFFFFFF] * 126))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16 + struct.pack("<HHHH", 62, 3, 0xFFFE, 9)
    header += b"\0" * (76 - len(header)) + struct.pack("<109I", 0, *([0xFFFFFFFF] * 108))
    return header + table + b"x" * 512


PDF_WITHOUT_TABLE = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj "
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
)


@cases(
    ("data", "name", "url", "header"),
    [
        (pdf("Invoice"), "r.pdf", "", "application/octet-stream"), (pdf("Invoice", "secret"), "r.pdf", "", ""),
        (PDF_WITHOUT_TABLE, "report.pdf", "", "application/pdf"), (pdf("Invoice"), "export.php", "", "application/pdf"),
        (SHEET, "r.xlsx", "", "application/octet-stream"), (SHEET, "r.zip", "", "application/zip"),
        (zipped(**{"[Content_Types]__xml": "", "word/document__xml": "x"}), "r.docx", "", ""),
        (zipped(mimetype="x", content__xml="x"), "r.odt", "", ""), (zipped(a__txt="x"), "r.zip", "", ""),
        (old_office(), "r.xls", "", ""), (old_office(), "r.doc", "", ""), (old_office(), "locked.xlsx", "", ""),
        (b"a\tb\n1\t2\n", "r.xls", "", "application/vnd.ms-excel"), (b"<table><tr><td>1", "r.xls", "", ""),
        (b"a,b\n1,2\n", "r.csv", "", "application/vnd.ms-excel"), ("a;b\n1;ä\n".encode("cp1252"), "r.csv", "", ""),
        ("a,b\n1,2\n".encode("utf-16-le"), "r.csv", "", "text/csv"), (b"[id],name\n1,a\n", "r.csv", "", ""),
        (b"hello", "r.txt", "", "text/plain"), (b"<h1 align=center>Read me</h1>", "README.md", "", ""),
        (b'{"a": 1}\n{"a": 2}\n', "r.jsonl", "", ""), (b'{"level":"info"}', "r.log", "", ""),
        (b'{"errors": 3, "rows": []}', "lint.json", "", ""), (b"From: a@b\n\nHello", "r.eml", "", ""),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "r.svg", "", "image/svg+xml"), (b"<table/>", "r.xml", "", ""),
        (SHOWN, "r.html", "", "text/html"), (SHOWN, "report", "", "text/html"), (b"\x00\x01\x02", "r.bin", "", ""),
        (gzip.compress(b"a,b\n"), "r.csv.gz", "", ""), (bz2.compress(b"a"), "r.bz2", "", ""),
        (tarred(), "r.tar", "", ""), (lzma.compress(b"a"), "r.xz", "", ""), (picture("PNG"), "r.png", "", ""),
        (picture("JPEG"), "photo.png", "", ""), (picture("WEBP"), "r.webp", "", ""),
    ],
)  # fmt: skip
def test_what_was_asked_for_is_a_file(data: bytes, name: str, url: str, header: str) -> None:
    assert problem_of(data, name, url, header) == ""


@cases(
    ("data", "name", "url", "header", "problem"),
    [
        (b"", "report.pdf", "", "application/pdf", "empty"), (b"", "r.csv", "", "text/csv", "empty"),
        (b" \r\n", "r.csv", "", "text/csv", "empty"),
        (SIGN_IN, "report.pdf", "", "text/html", "sign_in_page"), (SIGN_IN, "report.html", "", "", "sign_in_page"),
        (b"<html><title>Sign in - Desk</title><a href=/sso>Continue</a>", "report", "", "", "sign_in_page"),
        (SHOWN, "report.pdf", "", "application/pdf", "other_kind"), (SHOWN, "r.csv", "", "text/csv", "other_kind"),
        (SHOWN, "r.xls", "", "application/vnd.ms-excel", "other_kind"), (SHOWN, "r.txt", "", "", "other_kind"),
        (SHOWN, "export.php", "", "application/pdf", "other_kind"), (SHOWN, "export", "/r.xlsx", "", "other_kind"),
        (SHOWN, "r.dat", "", "application/octet-stream", "other_kind"),
        (ERROR, "report.pdf", "", "application/json", "other_kind"), (ERROR, "r.csv", "", "text/csv", "other_kind"),
        (ERROR, "report.json", "", "application/json", "error_answer"), (ERROR, "report", "", "", "error_answer"),
        (b'{"status": 404, "title": "Not Found"}', "report", "", "application/problem+json", "error_answer"),
        (b"report is not ready", "report.pdf", "", "", "other_kind"), (pdf("a"), "r.csv", "", "", "other_kind"),
        (zipped(a__txt="x"), "r.xlsx", "", "", "other_kind"), (gzip.compress(b"a,b"), "r.csv", "", "", "other_kind"),
        (b"PK\x03\x04 not really", "r.xlsx", "", "", "broken"), (b"\x89PNG\r\n\x1a\n", "r.png", "", "", "broken"),
        (b"%PDF-1.7\n" + b"x" * 100 + b"\n%%EOF\n", "r.pdf", "", "", "broken"),
        (zipped(**{"[Content_Types]__xml": "", "xl/workbook__xml": "<workbook><sheets/>"}), "r.xlsx", "", "", "broken"),
    ],
)  # fmt: skip
def test_what_came_in_its_place_is_told(data: bytes, name: str, url: str, header: str, problem: str) -> None:
    assert problem_of(data, name, url, header) == problem


@pytest.mark.parametrize(
    ("whole", "name"),
    [
        (pdf("Invoice 4711"), "r.pdf"), (PDF_WITHOUT_TABLE, "r.pdf"), (SHEET, "r.xlsx"), (zipped(a__txt="x"), "r.zip"),
        (gzip.compress(json.dumps(list(range(500))).encode()), "r.gz"), (tarred()[:4096], "r.tar"),
        (lzma.compress(b"abc" * 500), "r.xz"), (picture("PNG"), "r.png"), (picture("JPEG"), "r.jpg"),
        (old_office(), "r.xls"),
    ],
)  # fmt: skip
def test_a_file_that_is_cut_short_anywhere_is_not_whole(whole: bytes, name: str) -> None:
    assert problem_of(whole, name) == ""
    for share in (0.4, 0.6):
        assert problem_of(whole[: int(len(whole) * share)], name) == "broken", share


def test_a_pdf_that_is_made_to_be_shown_early_and_is_cut_has_an_end_before_its_objects() -> None:
    later = b"\n9 0 obj<</Type/Page>>endobj\n"
    assert problem_of(PDF_WITHOUT_TABLE + later, "r.pdf") == "broken"
    assert problem_of(PDF_WITHOUT_TABLE + b"\r\n" * 2000, "r.pdf") == ""


def test_one_changed_byte_in_an_archive_is_found() -> None:
    data = bytearray(zipped(a__txt="what it said"))
    data[data.index(b"said")] ^= 1
    assert problem_of(bytes(data), "r.zip") == "broken"


def test_a_workbook_shows_its_rows_also_where_it_is_called_an_archive() -> None:
    assert open_whole("zip", io.BytesIO(SHEET)).text == "[Assets]\nTag"
