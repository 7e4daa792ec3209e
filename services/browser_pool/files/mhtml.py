"""Reads the headers of a stored page (MHTML): the addresses of the page and its frames.

Only the browser reads the content. A stored page is hostile: memory use is bounded, and a malformed one is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesHeaderParser
from mmap import mmap

Bytes = bytes | mmap

MAX_HEADER_BYTES = 64_000
MAX_PARTS = 5_000
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_FRAME_ID = re.compile(r"<([^<>\s]{1,200})>")


@dataclass(frozen=True)
class MhtmlArchive:
    """``address`` of the page; ``frames`` maps the name of a frame within the file to its former address."""

    address: str
    frames: dict[str, str]


def read_mhtml_headers(data: Bytes) -> MhtmlArchive | None:
    """Return the addresses, or None when the data is no stored page."""
    head, start = _headers(data, 0)
    boundary = head.get_boundary() if head is not None else None
    if head is None or not boundary or head.get_content_type() != "multipart/related":
        return None
    parts = list(_parts(data, start, b"--" + boundary.encode("ascii", "replace")))
    if not parts:
        return None
    frames = {f"cid:{one[1]}": address for part in parts if (one := _FRAME_ID.match(_said(part, "Content-ID")))
              and (address := _said(part, "Content-Location"))}  # fmt: skip
    return MhtmlArchive(_said(head, "Snapshot-Content-Location") or _said(parts[0], "Content-Location"), frames)


def _parts(data: Bytes, start: int, mark: bytes) -> Iterator[Message]:
    for _ in range(MAX_PARTS):
        at = data.find(mark, start)
        if at < 0:
            return
        part, start = _headers(data, at + len(mark) + 2)
        if part is None:
            return
        yield part


def _headers(data: Bytes, start: int) -> tuple[Message | None, int]:
    """Return the headers at ``start`` and the offset of their end."""
    block = bytes(data[start : start + MAX_HEADER_BYTES]).lstrip(b"\r\n")
    end = _BLANK_LINE.search(block)
    if end is None:
        return None, start
    return BytesHeaderParser().parsebytes(block[: end.start()]), start + end.end()


def _said(part: Message, name: str) -> str:
    return "".join(str(part.get(name) or "").split())
