"""A stored page (MHTML) as one HTML document that asks for nothing: what it was stored with is written into it. Pure.

The file is hostile. What the document may do is not decided here: it is served with a policy and shown in a sandbox.
"""

from __future__ import annotations

import base64
import re
from email import message_from_bytes
from email.message import Message

from shared.zstd import unpack_zstd

MOST_PAGE_BYTES = 64_000_000
"""Of the stored page, unpacked."""
MOST_DOCUMENT_BYTES = 96_000_000
_KINDS = re.compile(r"(?:image|font)/[a-z0-9.+-]+|text/css")
_QUOTED = re.compile(r"""(["'])((?:cid:|https?:)[^"'<>\s]{1,4000})\1""")
_IN_STYLE = re.compile(r"""url\(\s*(["']?)((?:cid:|https?:)[^"'()<>\s]{1,4000})\1\s*\)""")


def document_of(packed: bytes) -> str | None:
    """Return the page with its pictures, fonts and styles; None for a file that is no stored page.

    Args:
        packed: NAME.mhtml.zst as it is stored.
    """
    try:
        whole = message_from_bytes(unpack_zstd(packed, MOST_PAGE_BYTES))
    except ValueError:
        return None
    if whole.get_content_type() != "multipart/related":
        return None
    parts = [part for part in whole.walk() if not part.is_multipart()]
    main = next((part for part in parts if part.get_content_type() == "text/html"), None)
    return None if main is None else _Document(parts).written_into(_text(main))


class _Document:
    """Parts by their names, each as an address that has its bytes in it."""

    def __init__(self, parts: list[Message]) -> None:
        self._parts = {name: part for part in parts for name in _names(part)}
        self._left = MOST_DOCUMENT_BYTES

    def written_into(self, page: str) -> str:
        return _QUOTED.sub(lambda found: f"{found[1]}{self._address(_plain(found[2])) or found[2]}{found[1]}", page)

    def _address(self, name: str) -> str:
        """Return the data of a part as an address; empty for one that is not there, or that is no picture or style."""
        part = self._parts.get(name)
        kind = part.get_content_type() if part is not None else ""
        if part is None or _KINDS.fullmatch(kind) is None:
            return ""
        data = _bytes(part)
        if kind == "text/css":
            del self._parts[name]  # a style that names itself ends
            data = _IN_STYLE.sub(lambda one: f'url("{self._address(one[2]) or one[2]}")', _text(part)).encode()
            self._parts[name] = part
        self._left -= len(data)
        return f"data:{kind};base64,{base64.b64encode(data).decode()}" if self._left > 0 else ""


def _names(part: Message) -> list[str]:
    location, own = str(part.get("Content-Location", "")).strip(), str(part.get("Content-ID", "")).strip()
    return [name for name in (location, f"cid:{own.strip('<>')}" if own else "") if name]


def _plain(address: str) -> str:
    return address.replace("&amp;", "&")


def _bytes(part: Message) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _text(part: Message) -> str:
    try:
        return _bytes(part).decode(part.get_content_charset("utf-8"), "replace")
    except LookupError:  # a charset that there is not
        return _bytes(part).decode("utf-8", "replace")
