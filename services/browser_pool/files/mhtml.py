"""Stored pages (MHTML): reads the addresses of the page and its frames, and removes secrets from all parts.

Only the browser reads the content of a page that is opened again. It is hostile: memory use is bounded, and a
malformed one is not read.

A page is a MIME message (RFC 2557). To remove secrets, every part is decoded, searched, and encoded again if something
was found, whatever its encoding. Text is searched in all forms of `redaction` and of markup; pictures and fonts byte by
byte.
"""

from __future__ import annotations

import base64
import binascii
import email.errors
import email.header
import email.policy
import html
import io
import quopri
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.generator import BytesGenerator
from email.message import Message
from email.parser import BytesHeaderParser
from functools import lru_cache
from mmap import mmap
from urllib.parse import unquote_to_bytes

from shared.contracts.browser_pool import HIDDEN_VALUE
from shared.secrets.redaction import CASELESS, as_whole, forms

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
    frames: dict[str, str] = {}
    for part in parts:
        frame_id, address = _FRAME_ID.match(_header_text(part, "Content-ID")), _header_text(part, "Content-Location")
        if frame_id and address:
            frames[f"cid:{frame_id[1]}"] = address
    address = _header_text(head, "Snapshot-Content-Location") or _header_text(parts[0], "Content-Location")
    return MhtmlArchive(address, frames)


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


def _header_text(part: Message, name: str) -> str:
    return "".join(str(part.get(name) or "").split())


# --- secrets are removed

_DATA_URL = re.compile(r"(data:[^,\s\"'<>()]*;base64,)([A-Za-z0-9+/=_%-]+)", re.I)
_TAGS = r"(?:<[^<>]{0,300}>)*"
_TAG = re.compile(r"<[^<>]*>")
_TEXT_TYPES = re.compile(r"^(text/|application/(.*\+)?(json|xml|xhtml|javascript)|image/svg)", re.I)
_PARSED = email.policy.compat32.clone(linesep="\r\n", max_line_length=None)
_PAGE_TYPES = re.compile(
    r"text/(html|css|plain|javascript|xml)|application/(javascript|json|xml|xhtml\+xml)|font/(woff2?|ttf|otf)"
    r"|image/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon|svg\+xml)",
    re.I,
)
"""Types that pages consist of. A site chooses type names freely, so any other may contain a secret."""
MAX_DEPTH = 3
"""Nesting depth of data: addresses within documents that are searched."""


def without_secrets(data: bytes, secrets: Iterable[str]) -> bytes | None:
    """Return the page without the secrets; the same bytes when there are none, None when one cannot be removed."""
    known = tuple(sorted(frozenset(one for one in secrets if one.strip())))
    if not known:
        return data
    try:
        cleaned = _cleaned(data, known)
        if cleaned is None:
            return data
        return cleaned if _cleaned(cleaned, known) is None else None
    except _InItsStructureError:
        return None


class _InItsStructureError(Exception):
    """A secret is part of the file's structure; without it the file could not be read."""


def _cleaned(data: bytes, known: tuple[str, ...]) -> bytes | None:
    """Return the cleaned message, or None when nothing was found."""
    message = email.message_from_bytes(data, policy=_PARSED)
    found = [_clean_part(part, known, whole=part is message) for part in message.walk()]
    if not any(found):
        return None
    out = io.BytesIO()
    BytesGenerator(out, mangle_from_=False, maxheaderlen=0, policy=_PARSED).flatten(message)
    return out.getvalue()


def _clean_part(part: Message, known: tuple[str, ...], *, whole: bool) -> bool:
    in_headers = _clean_headers(part, known, whole=whole)
    if part.is_multipart():
        return in_headers
    before: object = part.get_payload(decode=True)
    if not isinstance(before, bytes):
        return in_headers
    after = _clean_bytes(before, part.get_content_type(), known)
    if after == before:
        return in_headers
    part.set_payload(_encoded(after, str(part.get("Content-Transfer-Encoding", ""))))
    return True


def _clean_headers(part: Message, known: tuple[str, ...], *, whole: bool) -> bool:
    """Clean decoded headers: a title is written in encoded words."""
    changed = False
    for name, value in list(part.items()):
        said = _unfolded(str(value))
        if _is_of_the_format(name.lower(), said, whole=whole):
            continue
        clean = _pattern(known).sub(_hide, said)
        if clean != said:
            if name.lower() == "content-type" and part.is_multipart():
                raise _InItsStructureError
            changed = True
            part.replace_header(name, clean if clean.isascii() else email.header.Header(clean, "utf-8").encode())
    return changed


def _is_of_the_format(name: str, value: str, *, whole: bool) -> bool:
    """Return whether the header belongs to the format that the browser writes, which must stay readable.

    ``whole``: it is a header of the file itself, which no site influences.
    """
    if name == "content-type":
        return whole or _PAGE_TYPES.fullmatch(value) is not None
    return name in ("mime-version", "content-transfer-encoding")


def _unfolded(value: str) -> str:
    try:
        return str(email.header.make_header(email.header.decode_header(value)))
    except (LookupError, UnicodeError, email.errors.HeaderParseError):
        return value


def _clean_bytes(data: bytes, content_type: str, known: tuple[str, ...]) -> bytes:
    if _TEXT_TYPES.match(content_type):
        return _clean_text(data.decode("utf-8", "surrogateescape"), known).encode("utf-8", "surrogateescape")
    # A short secret occurs in any picture by chance.
    return _in_bytes(known).sub(HIDDEN_VALUE.encode(), data) if any(len(one) >= CASELESS for one in known) else data


def _clean_text(text: str, known: tuple[str, ...], depth: int = 0) -> str:
    # Addresses first: a secret that equals a piece of base64 would be cut out of the middle of one.
    if depth < MAX_DEPTH and "base64," in text.lower():
        text = _DATA_URL.sub(lambda found: found[1] + _clean_address(found[2], known, depth), text)
    return _pattern(known).sub(_hide, text) if _may_stand_in(text, known) else text


def _may_stand_in(text: str, known: tuple[str, ...]) -> bool:
    """Return False only if no secret occurs. This takes a tenth of the time of the full search, and most pages have
    none."""
    solid = _solid(text)
    bare = _TAG.sub("", solid)
    return any(form in solid or _TAG.sub("", form) in bare for form in _solid_forms(known))


def _solid(text: str) -> str:
    """Return the text in lower case without white space."""
    return "".join(text.casefold().split())


def _clean_address(written: str, known: tuple[str, ...], depth: int) -> str:
    """Clean the document within a data: address."""
    try:
        bare = unquote_to_bytes(written).replace(b"-", b"+").replace(b"_", b"/").rstrip(b"=")
        data = base64.b64decode(bare + b"=" * (-len(bare) % 4))
    except (binascii.Error, ValueError):
        return written
    text = data.decode("utf-8", "surrogateescape")
    clean = _clean_text(text, known, depth + 1)
    return written if clean == text else base64.b64encode(clean.encode("utf-8", "surrogateescape")).decode()


def _hide(found: re.Match[str]) -> str:
    """Replace a secret and keep the tags within it, so that the page stays whole."""
    bare = _TAG.sub("", found[0])
    if bare == found[0] or not found.re.fullmatch(bare):
        return HIDDEN_VALUE
    return HIDDEN_VALUE + found.re.sub(HIDDEN_VALUE, "".join(_TAG.findall(found[0])))


def _encoded(data: bytes, encoding: str) -> str:
    encoding = encoding.strip().lower()
    if encoding == "quoted-printable":
        lines = quopri.encodestring(data.replace(b"\r\n", b"\n")).decode("ascii")
        return lines.replace("\n", "\r\n")
    if encoding == "base64":
        return base64.encodebytes(data).decode("ascii").replace("\n", "\r\n")
    return data.decode("ascii", "surrogateescape")


# --- what is looked for


@lru_cache(maxsize=64)
def _pattern(known: tuple[str, ...]) -> re.Pattern[str]:
    """Match the longest form first, so that no rest of a longer one remains. Tags may be within a secret."""
    found = {form: secret for secret in known for form in in_markup(secret)}
    ordered = sorted(found, key=len, reverse=True)
    begins = "".join(sorted({re.escape(form[0]) for form in ordered}))
    # Most positions are rejected by their first letter.
    return re.compile(rf"(?=(?i:[{begins}]))(?:{'|'.join(_expression(form, found[form]) for form in ordered)})")


def _expression(form: str, secret: str) -> str:
    pieces = [r"\s+" if one.isspace() else re.escape(one) for one in re.findall(r"\s+|&#?\w+;|\S", form)]
    known = _TAGS.join(pieces)
    return as_whole(f"(?i:{known})" if len(secret) >= CASELESS else known, secret)


@lru_cache(maxsize=64)
def _solid_forms(known: tuple[str, ...]) -> frozenset[str]:
    return frozenset(_solid(form) for secret in known for form in in_markup(secret))


@lru_cache(maxsize=64)
def _in_bytes(known: tuple[str, ...]) -> re.Pattern[bytes]:
    found = {form.encode(errors="surrogatepass") for one in known if len(one) >= CASELESS for form in forms(one)}
    return re.compile(b"|".join(re.escape(one) for one in sorted(found, key=len, reverse=True)))


def in_markup(secret: str) -> frozenset[str]:
    """Return the forms of a secret in serialised markup, also in attributes and in a document within an attribute."""
    plain = forms(secret)
    once = {write(one) for one in plain for write in (_as_text, _as_attribute, _as_old_attribute)}
    twice = {html.escape(one) for one in once}
    return frozenset(plain | once | twice)


def _as_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("\xa0", "&nbsp;").replace("<", "&lt;").replace(">", "&gt;")


def _as_attribute(text: str) -> str:
    return _as_text(text).replace('"', "&quot;")


def _as_old_attribute(text: str) -> str:
    """Escape as browsers did before they escaped angle brackets in attributes."""
    return text.replace("&", "&amp;").replace("\xa0", "&nbsp;").replace('"', "&quot;")
