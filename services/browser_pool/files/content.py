"""What a file is by its first bytes, compared with what its name, its address and its header say.

A site may answer with a page to sign in, or with an error as JSON, under any name. What needs the whole file (that a
PDF has pages, that an archive is whole) is found out by :mod:`services.browser_pool.adapters.downloads.file_reader`.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import Any
from urllib.parse import urlsplit

from services.browser_pool.files.filenames import suffix_of
from shared.contracts.results import FileContent
from shared.text.login_words import asks_to_sign_in

HEAD_BYTES = 16_384
"""What is read of each file to tell its kind."""
READ_WHOLE = frozenset({"pdf", "zip", "office", "gzip", "bzip2", "xz", "tar", "picture"})
"""Kinds of files that are opened, to see whether they are whole. `_WORDS` has all kinds."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "zip"), (b"PK\x05\x06", "zip"), (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "office"),
    (b"{\\rtf", "rtf"), (b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"), (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"), (b"\x89PNG\r\n\x1a\n", "picture"),
    (b"\xff\xd8\xff", "picture"), (b"GIF87a", "picture"), (b"GIF89a", "picture"), (b"II*\x00", "picture"),
    (b"MM\x00*", "picture"),
)  # fmt: skip
_TAR_AT, _TAR = 257, b"ustar"
_PDF_WITHIN = 1024
# How a browser knows a page among texts, https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type
_PAGE = re.compile(r"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype html|html|head|body|title)[\s>]", re.I | re.S)
_PART = re.compile(r"<(?:meta|script|iframe|h1|div|font|table|a|style|b|br|p|form)[\s>/]", re.I)
_JSON = re.compile(r"\{\s*[\"}]|\[\s*[\[{\"\]]")
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.I | re.S)
_PASSWORD = re.compile(r"<input\b[^>]*\btype\s*=\s*[\"']?password\b", re.I)
_OFFICE_PAGE = ("urn:schemas-microsoft-com:office", "mso-")
"""What a program of the office writes into a page that it opens as a document."""
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\r\f\x1b")

_TEXTS: frozenset[str] = frozenset({"text", "xml", "json", "html_part"})
_ANY_TEXT: frozenset[str] = _TEXTS | {"html"}
_BY_SUFFIXES: tuple[tuple[str, frozenset[str]], ...] = (
    (".pdf", frozenset({"pdf"})),
    # A workbook or document with a password is an older container around the newer one.
    (".xlsx .xlsm .xltx .xlsb", frozenset({"xlsx", "office"})),
    (".docx .docm .dotx", frozenset({"docx", "office"})),
    (".pptx .pptm .ppsx", frozenset({"pptx", "office"})),
    (".ods .odt .odp .odg", frozenset({"odf"})),
    # Sites write texts, tables of XML and newer workbooks under the older name, and programs open them.
    (".xls", frozenset({"office", "xlsx", "text", "xml"})),
    (".doc", frozenset({"office", "docx", "rtf", "xml"})),
    (".ppt .msg", frozenset({"office", "pptx"})),
    (".rtf", frozenset({"rtf"})),
    (".zip .jar .epub .kmz .apk .war", frozenset({"zip", "xlsx", "docx", "pptx", "odf"})),
    (".gz .tgz", frozenset({"gzip"})),
    (".bz2 .tbz2", frozenset({"bzip2"})),
    (".xz .txz", frozenset({"xz"})),
    (".zst", frozenset({"zstd"})),
    (".7z", frozenset({"7z"})),
    (".rar", frozenset({"rar"})),
    (".tar", frozenset({"tar"})),
    (".png .jpg .jpeg .gif .tif .tiff .webp", frozenset({"picture"})),
    (".csv .tsv", frozenset({"text"})),
    (".json .jsonl .ndjson .geojson", frozenset({"json", "text"})),
    (".xml .svg .xsd .rss", frozenset({"xml", "text", "html_part"})),
    (".html .htm .xhtml", _ANY_TEXT),
    (".txt .log .md .yaml .yml .eml .ics .vcf .ini .sql .diff", _TEXTS),
)
_FITTING: dict[str, frozenset[str]] = {suffix: kinds for some, kinds in _BY_SUFFIXES for suffix in some.split()}
"""The kinds that a file of this suffix may be."""
_SUFFIX_OF_TYPE = {
    "application/pdf": ".pdf",
    "application/zip": ".zip",
    "application/x-zip-compressed": ".zip",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "application/vnd.oasis.opendocument.text": ".odt",
    "application/vnd.ms-excel": ".xls",
    "application/msword": ".doc",
    "application/gzip": ".gz",
    "application/json": ".json",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "text/csv": ".csv",
    "text/html": ".html",
}
_TYPE_OF_KIND: dict[str, str] = {
    "pdf": "application/pdf",
    "zip": "application/zip",
    "gzip": "application/gzip",
    "html": "text/html",
    "json": "application/json",
}
_WORDS: dict[str, str] = {
    "empty": "nothing", "pdf": "a PDF", "zip": "a ZIP archive", "xlsx": "a workbook", "docx": "a text document",
    "pptx": "a presentation", "odf": "an OpenDocument file", "office": "an older office document", "rtf": "an RTF text",
    "gzip": "gzip", "bzip2": "bzip2", "xz": "xz", "zstd": "zstd", "7z": "a 7z archive", "rar": "a RAR archive",
    "tar": "a tar archive", "picture": "a picture", "html": "a page (HTML)", "html_part": "a part of a page (HTML)",
    "xml": "XML", "json": "JSON", "text": "plain text", "binary": "of no kind that is known",
}  # fmt: skip


def kind_of(head: bytes) -> str:
    """Return the kind of a file by its first bytes. Of an archive: ``zip``, whatever is in it."""
    if not head.strip() and len(head) < HEAD_BYTES:
        return "empty"
    if b"%PDF-" in head[:_PDF_WITHIN]:
        return "pdf"
    if head[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
        return "tar"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "picture"
    found = next((kind for mark, kind in _SIGNATURES if head.startswith(mark)), None)
    if found is not None:
        return found
    return _kind_of_text(head) if _is_text(head) else "binary"


def _kind_of_text(head: bytes) -> str:
    text = (decoded(head) or "").lstrip("\ufeff \t\r\n")
    if _PAGE.match(text):
        return "html"
    if _JSON.match(text) and _may_be_json(text, len(head) < HEAD_BYTES):
        return "json"
    if text.startswith("<?xml") or text[:4].casefold() == "<svg":
        return "xml"
    return "html_part" if _PART.match(text) else "text"


def _may_be_json(text: str, whole: bool) -> bool:
    if not whole:
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def judged(kind: str, head: bytes, name: str, url: str = "", header: str = "") -> FileContent:
    """Return what a file is, and how that differs from what is said of it.

    Its name counts; where that says nothing (``.php``, no suffix), its address, then the header of the response."""
    if kind == "empty":
        return FileContent(kind=kind, problem="empty", told="it has nothing but blanks" if head else "it has no bytes")
    text = (decoded(head) or "") if kind in _ANY_TEXT else ""
    if kind in ("html", "html_part") and _asks_to_sign_in(text):
        return FileContent(kind=kind, problem="sign_in_page", told="it is a page that asks to sign in")
    said = _suffix_said(name, url, header)
    if not said and kind == "html" and header and "html" not in header:
        told = f"by its bytes it is {_WORDS[kind]}, and its header says {header.partition(';')[0]}"
        return FileContent(kind=kind, problem="other_kind", told=told)
    if not _fits(kind, said, text):
        told = f"by its bytes it is {_WORDS[kind]}, and it is said to be {said.removeprefix('.').upper()}"
        return FileContent(kind=kind, problem="other_kind", told=told)
    if kind == "json" and (error := _error_told(text)):
        return FileContent(kind=kind, problem="error_answer", told=f"it is the answer of an error: {error}")
    return FileContent(kind=kind)


def media_type(content: FileContent, by_name: str) -> str:
    """Return the type of a file: that of its name unless its bytes contradict it, or its name says none."""
    own = next((found for kind, found in _TYPE_OF_KIND.items() if kind == content.kind), "application/octet-stream")
    return own if content.problem == "other_kind" or by_name == "application/octet-stream" else by_name


def _asks_to_sign_in(text: str) -> bool:
    title = _TITLE.search(text)
    return _PASSWORD.search(text) is not None or (title is not None and asks_to_sign_in(title[1].strip()))


def _suffix_said(name: str, url: str, header: str) -> str:
    said = (
        suffix_of(name),
        suffix_of(urlsplit(url).path),
        _SUFFIX_OF_TYPE.get(header.partition(";")[0].strip().lower()),
    )
    return next((one for one in said if one in _FITTING), "")


def _fits(kind: str, said: str, text: str) -> bool:
    if not said or kind in _FITTING[said]:
        return True
    # A page is what some sites give a spreadsheet or a text program, which open it.
    page = kind in ("html", "html_part") and said in (".xls", ".doc")
    return page and (any(mark in text for mark in _OFFICE_PAGE) or text.lstrip().casefold().startswith("<table"))


def _error_told(text: str) -> str:
    """Return what an answer says that tells of an error and of nothing else; empty: it is none."""
    try:
        told: Any = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return ""
    if not isinstance(told, dict):
        return ""
    by_key: dict[str, Any] = {str(key).casefold(): value for key, value in told.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if by_key.keys() & {"data", "result", "results", "items", "rows", "records"}:
        return ""
    error = by_key.get("error")
    if isinstance(error, dict) or (isinstance(error, str) and error):
        return str(error)[:200]  # pyright: ignore[reportUnknownArgumentType]
    codes = [by_key.get(key) for key in ("status", "statuscode", "code")]
    failed = any(isinstance(code, int) and 400 <= code < 600 for code in codes)
    words = [by_key.get(key) for key in ("message", "title", "detail", "error_description")]
    return next((one[:200] for one in words if failed and isinstance(one, str) and one), "")


# --- texts


def decoded(head: bytes) -> str | None:
    """Return the beginning of a text, or None for binary data. Text that is not UTF-8 is read as Windows-1252."""
    mark = next((name for mark, name in _MARKS if head.startswith(mark)), None) or _unmarked_utf16(head)
    if mark is None and b"\x00" in head:
        return None
    for encoding in (mark,) if mark else ("utf-8", "cp1252"):
        try:
            # The head may end within a character.
            return codecs.getincrementaldecoder(encoding)().decode(head)
        except UnicodeDecodeError:
            continue
    return head.decode("latin-1") if mark is None else None


def _unmarked_utf16(head: bytes) -> str | None:
    """Return the order of the bytes of a text in UTF-16 without its mark: every other byte of most letters is 0."""
    if len(head) < 4:
        return None
    even, odd = head[0::2].count(0) / len(head[0::2]), head[1::2].count(0) / len(head[1::2])
    return "utf-16-be" if even > 0.8 and odd < 0.1 else "utf-16-le" if odd > 0.8 and even < 0.1 else None


def _is_text(head: bytes) -> bool:
    """Return whether these are letters. One control character in a hundred is let pass: some exports have them."""
    if any(head.startswith(mark) for mark, _ in _MARKS) or _unmarked_utf16(head):
        return decoded(head) is not None
    return sum(byte in _CONTROLS for byte in head) <= len(head) // 100
