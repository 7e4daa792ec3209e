"""A run in a zip file. Members are read in place and never unpacked."""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
import zlib
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import IO

from shared.contracts.error_codes import SealCode
from shared.evidence_format.layout import MANIFEST, OBJECTS, RUN
from shared.evidence_format.sources.source import FileInfo, Finding, NoRun, RunListing, Unreadable

BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError)
"""What reading a zip raises that is damaged, encrypted or compressed by an unknown method."""
_ENCRYPTED, _DESCRIBED = 0x1, 0x8
_DESCRIPTORS = (12, 16, 20, 24)
"""Sizes of a data descriptor: it follows a member whose length was not known when its header was written."""
_LENGTHS_AT = 26
_END, _END_BYTES, _MOST_COMMENT = b"PK\5\6", 22, 0xFFFF
"""The end record of the central directory; a comment may follow it."""
_UNICODE_PATH = 0x7075


class ZipSource:
    """See :class:`shared.evidence_format.sources.source.RunSource`. The run is the zip's only folder, or all of it."""

    def __init__(self, path: Path) -> None:
        self.place, self.readers = os.fspath(path), min(8, os.cpu_count() or 1)
        self._path = path
        self._members: dict[str, zipfile.ZipInfo] = {}

    def list_files(self) -> RunListing:
        listing = RunListing()
        try:
            self._zip = zipfile.ZipFile(self._path)
        except FileNotFoundError:
            raise NoRun(f"there is no file {self._path}") from None
        except BROKEN as exc:
            message = f"it is no zip, or one that was cut short or damaged: {exc}"
            listing.problems.append(Finding("", "zip_damaged", message))
            return listing
        every = self._zip.infolist()
        members = [member for member in every if not (member.filename.endswith("/") and member.file_size == 0)]
        root = _root([member.filename for member in members])
        listing.problems += _empty_folders({member.filename for member in every}, root)
        often = Counter(member.filename for member in members)
        for member in members:
            path = member.filename.removeprefix(root)
            refusal = _refusal(member, often[member.filename], in_root=member.filename.startswith(root))
            if refusal is not None:
                listing.problems.append(Finding(path, *refusal))
            else:
                self._members[path] = member
                listing.files[path] = FileInfo(member.file_size, path, member.header_offset)
        listing.objects = tuple(path for path in listing.files if path.startswith(f"{OBJECTS}/")) or None
        if not {MANIFEST, RUN} & listing.files.keys():
            # A workbook is a zip too: where the end of this one is missing, the last in it may be found in its place.
            message = f"there is no run in it: it is another zip, or was cut short (neither {MANIFEST} nor {RUN})"
            listing.problems.append(Finding("", "zip_damaged", message))
        elif (hidden := _unlisted_bytes(self._zip, self._path) + _trailing_bytes(self._path)) > 0:
            message = (
                f"{hidden} bytes of it are in no list of its files: another program may unpack other files from it"
            )
            listing.problems.append(Finding("", "zip_hidden", message))
        listing.problems = sorted(set(listing.problems))
        return listing

    def open(self, path: str) -> io.RawIOBase:
        try:
            return _MemberReader(self._zip.open(self._members[path]))
        except BROKEN as exc:
            raise Unreadable(str(exc)) from exc

    def close(self) -> None:
        if self._members:
            self._zip.close()


class _MemberReader(io.RawIOBase):
    """A member. Reading raises Unreadable where it is damaged."""

    def __init__(self, member: IO[bytes]) -> None:
        self._member = member

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        try:
            data = self._member.read(len(buffer))
        except BROKEN as exc:
            raise Unreadable(f"the zip is damaged here: {exc}") from exc
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._member.close()
        super().close()


def _empty_folders(names: set[str], root: str) -> list[Finding]:
    holding = {f"{folder}/" for name in names for folder in PurePosixPath(name).parents}
    empty = sorted(name for name in names if name.endswith("/") and name not in holding)
    return [
        Finding(name.removeprefix(root).rstrip("/"), "added", "is an empty folder; evidence holds none")
        for name in empty
    ]


def _unlisted_bytes(packed: zipfile.ZipFile, path: Path) -> int:
    """Return the number of bytes before and between the listed members that belong to no member.

    A program that reads a zip from its beginning could find files there that were not checked.
    """
    members = sorted(packed.infolist(), key=lambda member: member.header_offset)
    begins = [*(member.header_offset for member in members), packed.start_dir]
    with path.open("rb") as file:
        gaps = [(member, begin - _packed_end(file, member)) for member, begin in zip(members, begins[1:], strict=True)]
    between = [gap for member, gap in gaps if not (member.flag_bits & _DESCRIBED and gap in _DESCRIPTORS)]
    return begins[0] + sum(abs(gap) for gap in between)


def _trailing_bytes(path: Path) -> int:
    """Return the number of bytes after the end record, comments included: a page could be hidden in them."""
    with path.open("rb") as file:
        file.seek(-min(path.stat().st_size, _END_BYTES + _MOST_COMMENT), os.SEEK_END)
        tail = file.read()
    at = len(tail) - _END_BYTES
    return 0 if tail[at : at + 4] == _END and tail[-2:] == b"\0\0" else at - tail.rfind(_END)


def _packed_end(file: IO[bytes], member: zipfile.ZipInfo) -> int:
    """Return the offset at which the compressed bytes of a member end.

    The lengths of name and extra field are read from the local header; they may differ from those in the directory.
    """
    file.seek(member.header_offset + _LENGTHS_AT)
    name, extra = struct.unpack("<HH", file.read(4).ljust(4, b"\0"))
    return member.header_offset + _LENGTHS_AT + 4 + name + extra + member.compress_size


def _other_name(member: zipfile.ZipInfo) -> str:
    """The name that some programs take instead of the member's: the Unicode path among its extra fields. Empty where it
    has none, or the same member."""
    at, extra = 0, member.extra
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        name = extra[at + 9 : at + 4 + size].decode(errors="replace")
        if kind == _UNICODE_PATH and name != member.filename:
            return name
        at += 4 + size
    return ""


def _root(names: list[str]) -> str:
    """Return the folder in the zip that is the run, with ``/`` at its end; empty if the run is the whole zip."""
    tops = {
        name.split("/", 1)[0] for name in names if name.count("/") == 1 and name.endswith((f"/{MANIFEST}", f"/{RUN}"))
    }
    at_top = MANIFEST in names or RUN in names
    return f"{tops.pop()}/" if len(tops) == 1 and not at_top else ""


def _refusal(member: zipfile.ZipInfo, times: int, *, in_root: bool) -> tuple[SealCode, str] | None:
    """Return code and message of why a member cannot be part of a run, None if it can."""
    name, mode = member.filename, member.external_attr >> 16
    if any(part in ("", ".", "..") for part in name.split("/")) or "\\" in name or "\0" in member.orig_filename:
        return "zip_name", f"{name!r} in the zip could lead out of the folder it is unpacked in"
    if other := _other_name(member):
        return "zip_name", f"has two names in the zip, this one and {other!r}: who unpacks it may see another file here"
    if not in_root:
        return "added", "lies in the zip beside the run's folder"
    if times > 1:
        return "zip_twice", f"stands {times} times in the zip: which of them is shown depends on who unpacks it"
    if stat.S_ISLNK(mode):
        return "link", "is a link; evidence holds no links"
    if member.flag_bits & _ENCRYPTED:
        return "unreadable", "is encrypted"
    return None
