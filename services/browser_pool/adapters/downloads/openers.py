"""Opens a file to its end, to see whether it is whole, and reads the first text of it. Meant for a subprocess: a parser
may hang or grow without limit."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, BinaryIO, Protocol

import msgspec

from services.browser_pool.adapters.downloads import previews

if TYPE_CHECKING:
    from pypdf import PdfReader

CHUNK = 1 << 20
MOST_MENDED_BYTES = 64 << 20
"""Most bytes of a PDF that is opened once more with the end that it lacks."""
_END_OF_PDF = b"%%EOF"
_OBJECT = re.compile(rb"\d\s+\d+\s+obj\b")
_SHEET = re.compile(rb"<(?:\w+:)?sheet\s")
_FREE_SECTOR = 0xFFFFFFFF


class Packed(Protocol):
    def read(self, size: int, /) -> bytes: ...


class FileRead(msgspec.Struct, frozen=True):
    """What a file is, why it is not whole (empty: it is), and the beginning of its text."""

    kind: str
    broken: str = ""
    text: str = ""


class NotWhole(Exception):
    """The file is not whole; the message says why."""


def open_whole(kind: str, file: BinaryIO) -> FileRead:
    """Open a file of this kind. Raises MemoryError only."""
    try:
        found, text = _OPENERS[kind](file)
    except NotWhole as why:
        return FileRead(kind, str(why))
    return FileRead(found, text=previews.clipped(text) or "")


# --- PDF


def _pdf(file: BinaryIO) -> tuple[str, str]:
    _check_end_of_pdf(file)
    try:
        reader = _opened_pdf(file)
    except MemoryError:
        raise
    except Exception as exc:  # a parser that is given anything raises anything
        size = file.seek(0, io.SEEK_END)
        if size > MOST_MENDED_BYTES:
            raise NotWhole(f"it does not open as a PDF: {exc}") from exc
        file.seek(0)
        # Some programs leave out where the table of objects begins; every viewer looks for the objects then.
        mended = io.BytesIO(file.read() + b"\nstartxref\n0\n%%EOF\n")
        try:
            reader = _opened_pdf(mended)
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001  the first reason is the one that counts
            raise NotWhole(f"it does not open as a PDF: {exc}") from exc
    return "pdf", "" if reader is None else _or_nothing(lambda: previews.pdf_text(reader))


def _opened_pdf(file: BinaryIO) -> PdfReader | None:
    """Return the reader of a PDF that has pages; None of one that asks for a password, of which nothing is known."""
    from pypdf import PdfReader

    reader = PdfReader(file)
    if reader.is_encrypted and not reader.decrypt(""):
        return None
    count = len(reader.pages)
    if not count:
        raise ValueError("it has no pages")
    for number in (0, count - 1):
        reader.pages[number].get_object()
    return reader


def _check_end_of_pdf(file: BinaryIO) -> None:
    """Raise unless the file has an end, and no object after it. One that is made to be shown early has two."""
    size = file.seek(0, io.SEEK_END)
    after = b""
    at = size
    while at > 0:
        step = min(CHUNK, at)
        at -= step
        file.seek(at)
        after = file.read(step) + after[: len(_END_OF_PDF)]
        end = after.rfind(_END_OF_PDF)
        if end >= 0:
            file.seek(at + end)
            if _OBJECT.search(file.read(CHUNK)):
                break
            file.seek(0)
            return
    raise NotWhole("it is cut short: a PDF has an end, and this one stops before it")


# --- archives


def _zip(file: BinaryIO) -> tuple[str, str]:
    try:
        with zipfile.ZipFile(file) as archive:
            kind = _kind_of_archive(archive.namelist())
            for info in archive.infolist():
                if not info.flag_bits & 1:  # what has a password cannot be tested
                    with archive.open(info) as packed:
                        _read_through(packed)
            if kind == "xlsx":
                _check_sheets(archive)
    except NotImplementedError:
        return "zip", ""  # packed in a way that is not known here
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, struct.error, lzma.LZMAError) as exc:
        raise NotWhole(f"the archive is damaged: {exc}") from exc
    file.seek(0)
    readable = kind in ("xlsx", "odf")
    return kind, _or_nothing(lambda: previews.workbook_text(file)) if readable else ""


def _kind_of_archive(names: Sequence[str]) -> str:
    """Return what a ZIP archive is by the names of its files."""
    folders = {name.partition("/")[0] for name in names}
    if "mimetype" in names and "content.xml" in names:
        return "odf"
    if "[Content_Types].xml" in names:
        return "xlsx" if "xl" in folders else "docx" if "word" in folders else "pptx" if "ppt" in folders else "zip"
    return "zip"


def _check_sheets(archive: zipfile.ZipFile) -> None:
    names = archive.namelist()
    parts = [name for name in names if name.startswith(("xl/worksheets/", "xl/chartsheets/"))]
    listed = "xl/workbook.bin" in names or (
        "xl/workbook.xml" in names and _SHEET.search(archive.read("xl/workbook.xml")) is not None
    )
    if not parts or not listed:
        raise NotWhole("the workbook has no sheets")


def _gzip(file: BinaryIO) -> tuple[str, str]:
    with gzip.GzipFile(fileobj=file) as packed:
        return "gzip", _unpacked(packed)


def _bzip2(file: BinaryIO) -> tuple[str, str]:
    with bz2.BZ2File(file) as packed:
        return "bzip2", _unpacked(packed)


def _xz(file: BinaryIO) -> tuple[str, str]:
    with lzma.LZMAFile(file) as packed:
        return "xz", _unpacked(packed)


def _unpacked(packed: Packed) -> str:
    """Unpack all of it, and return no text."""
    try:
        _read_through(packed)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError) as exc:
        raise NotWhole(f"what is packed in it is damaged: {exc}") from exc
    return ""


def _tar(file: BinaryIO) -> tuple[str, str]:
    try:
        with tarfile.open(fileobj=file, mode="r:") as archive:
            for _ in archive:
                pass
    except (tarfile.TarError, OSError, EOFError, ValueError) as exc:
        raise NotWhole(f"the archive is damaged: {exc}") from exc
    return "tar", ""


def _read_through(packed: Packed) -> None:
    while packed.read(CHUNK):
        pass


# --- older office documents, pictures


def _office(file: BinaryIO) -> tuple[str, str]:
    """Check that every sector which is in use lies in the file ([MS-CFB])."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    header = file.read(512)
    if len(header) < 512:
        raise NotWhole("it is cut short")
    sector = 1 << struct.unpack_from("<H", header, 30)[0]
    if sector not in (512, 4096):
        raise NotWhole("its header is damaged")
    tables = [at for at in struct.unpack_from("<109I", header, 76) if at < 0xFFFFFFFA]
    last = 0
    for number, at in enumerate(tables):
        file.seek((at + 1) * sector)
        table = file.read(sector)
        if len(table) < sector:
            raise NotWhole("it is cut short")
        entries = struct.unpack(f"<{sector // 4}I", table)
        used = [place for place, entry in enumerate(entries) if entry != _FREE_SECTOR]
        last = max(last, number * len(entries) + used[-1]) if used else last
    if (last + 1) * sector >= size:
        raise NotWhole("it is cut short")
    file.seek(0)
    return "office", _or_nothing(lambda: previews.workbook_text(file))


def _picture(file: BinaryIO) -> tuple[str, str]:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(file) as picture:
            picture.load()
    except Image.DecompressionBombError:
        raise MemoryError from None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, struct.error, EOFError) as exc:
        raise NotWhole(f"the picture is damaged: {exc}") from exc
    return "picture", ""


def _or_nothing(read: Callable[[], str]) -> str:
    """Return a text, or none where it cannot be read. A preview never makes a file an invalid one."""
    try:
        return read()
    except MemoryError:
        raise
    except BaseException:  # noqa: BLE001 a panic of a parser written in Rust is no Exception
        return ""


_OPENERS: dict[str, Callable[[BinaryIO], tuple[str, str]]] = {
    "pdf": _pdf,
    "zip": _zip,
    "gzip": _gzip,
    "bzip2": _bzip2,
    "xz": _xz,
    "tar": _tar,
    "office": _office,
    "picture": _picture,
}
