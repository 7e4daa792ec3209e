"""The first text of a file, as a preview."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, BinaryIO

from shared.text.normal import printable

if TYPE_CHECKING:
    from pypdf import PdfReader

MAX_CHARS = 2_000
MAX_PAGES = 20
MAX_ROWS = 200
TEXTS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".log", ".md", ".xml", ".html", ".htm", ".yaml", ".yml")
"""Suffixes of files whose bytes are the text."""


def clipped(text: str) -> str | None:
    """Return at most the promised length, without unprintable characters; None when nothing is left."""
    return printable(text, "", keep="\n\t")[:MAX_CHARS].strip() or None


def pdf_text(reader: PdfReader) -> str:
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
