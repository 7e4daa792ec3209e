"""Extracts the first text of a file. Meant for a subprocess: a PDF or workbook parser may hang or
grow without limit."""

from __future__ import annotations

import codecs
import io
from typing import BinaryIO, Literal

from shared.text.normal import printable

MAX_CHARS = 2_000
HEAD_BYTES = 16_384
MAX_PAGES = 20
MAX_ROWS = 200

Kind = Literal["pdf", "xlsx", "text"]
_TEXTS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".log", ".md", ".xml", ".html", ".htm", ".yaml", ".yml")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def kind_of(head: bytes, suffix: str) -> Kind | None:
    """Return the kind of a file by its first bytes, else by its suffix; None when it has no text to show."""
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith(b"PK\x03\x04"):
        return "xlsx" if suffix in (".xlsx", ".xlsm", ".xlsb", ".ods") else None
    return "text" if suffix in _TEXTS and decoded(head) is not None else None


def decoded(head: bytes) -> str | None:
    """Return the beginning of a text, or None for binary data. Text that is not UTF-8 is read as Windows-1252."""
    mark = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    if mark is None and b"\x00" in head:
        return None
    for encoding in (mark,) if mark else ("utf-8", "cp1252"):
        try:
            # The head may end within a character.
            return codecs.getincrementaldecoder(encoding)().decode(head)
        except UnicodeDecodeError:
            continue
    return head.decode("latin-1") if mark is None else None


def clipped(text: str) -> str | None:
    """Return at most the promised length, without unprintable characters; None when nothing is left."""
    return printable(text, "", keep="\n\t")[:MAX_CHARS].strip() or None


def pdf_text(file: BinaryIO) -> str:
    from pypdf import PdfReader

    reader = PdfReader(file)
    if reader.is_encrypted and not reader.decrypt(""):
        return ""
    found = ""
    for page in reader.pages[:MAX_PAGES]:
        found += page.extract_text() + "\n"
        if len(found) > MAX_CHARS:
            break
    return found


def workbook_text(file: BinaryIO) -> str:
    from python_calamine import CalamineWorkbook

    workbook = CalamineWorkbook.from_filelike(file)
    out = io.StringIO()
    for name in workbook.sheet_names:
        if out.tell() > MAX_CHARS:
            break
        out.write(f"[{name}]\n")
        for number, row in enumerate(workbook.get_sheet_by_name(name).iter_rows()):
            if number >= MAX_ROWS or out.tell() > MAX_CHARS:
                break
            out.write("\t".join(str(cell) for cell in row) + "\n")
    return out.getvalue()
