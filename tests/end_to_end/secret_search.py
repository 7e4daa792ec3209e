"""Search all bytes below some folders for a secret, in every encoding and archive."""

from __future__ import annotations

import base64
import email
import html
import io
import json
import quopri
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from email import policy
from pathlib import Path
from urllib.parse import quote, quote_plus

import duckdb

from shared.zstd import zstd

ZSTD, ZIP, PARQUET, GZIP = b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"PAR1", b"\x1f\x8b\x08"
DEEPEST = 6
BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{60,}={0,2}")


def forms(secret: str) -> dict[str, bytes]:
    """Return all encodings of the secret that are searched, in lower case."""
    raw = secret.encode()
    written = {
        "raw": raw,
        "URL-encoded": quote(secret, safe="").encode(),
        "form-encoded": quote_plus(secret).encode(),
        "HTML-escaped": html.escape(secret).encode(),
        "HTML-escaped, quotes kept": html.escape(secret, quote=False).encode(),
        "JSON-escaped": json.dumps(secret)[1:-1].encode(),
        "hex": raw.hex().encode(),
        "UTF-16 LE": secret.encode("utf-16-le"),
        "UTF-16 BE": secret.encode("utf-16-be"),
        "JSON-escaped, then HTML": html.escape(json.dumps(secret)[1:-1], quote=False).encode(),
        "HTML-escaped twice": html.escape(html.escape(secret), quote=False).encode(),
    }
    for shift in range(3):
        # Whatever stands before and after it decides on the first and the last characters; those between are its own.
        inner = base64.b64encode(b"\0" * shift + raw).rstrip(b"=")[(0, 2, 3)[shift] :]
        inner = inner[: len(inner) - (2 if (len(raw) + shift) % 3 else 0)]
        written[f"base64, shifted by {shift}"] = inner
        written[f"base64 of addresses, shifted by {shift}"] = inner.replace(b"+", b"-").replace(b"/", b"_")
    return {name: form.lower() for name, form in written.items()}


def found_in(data: bytes, secret: str, where: str = "") -> list[str]:
    """Return the position and the encoding of each occurrence."""
    wanted = forms(secret)
    return [f"{place}: {name}" for place, piece in unpacked(data, where) for name in _in(piece, wanted)]


def found_below(folder: Path, secret: str) -> list[str]:
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    found = [f"the name {path}" for path in paths if any(_in(str(path).encode(), forms(secret)))]
    return found + [hit for path in paths for hit in found_in(path.read_bytes(), secret, str(path.relative_to(folder)))]


def _in(piece: bytes, wanted: dict[str, bytes]) -> Iterator[str]:
    small = piece.lower()
    unfolded = quopri.decodestring(piece).lower()
    yield from (name for name, form in wanted.items() if form in small or form in unfolded)


def unpacked(data: bytes, where: str, deep: int = 0) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes, and everything packed in them at any offset."""
    yield where, data
    if deep >= DEEPEST:
        return
    for name, piece in _packed(data):
        yield from unpacked(piece, f"{where} > {name}", deep + 1)


def _packed(data: bytes) -> Iterator[tuple[str, bytes]]:
    yield from _zstandard(data)
    yield from _zipped(data)
    yield from _deflated(data)
    if data.startswith(PARQUET):
        yield "parquet", _table(data)
    if re.match(rb"[A-Za-z-]+:", data) and b"mime-version:" in data[:4000].lower():
        yield from _mime(data)
    if data[:1] in b"<{[":  # pages and JSON may hold others, written as text
        for match in BASE64.finditer(data):
            text = match[0].rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
            yield f"base64 at {match.start()}", base64.b64decode(text[: len(text) // 4 * 4])


def _zstandard(data: bytes) -> Iterator[tuple[str, bytes]]:
    for match in re.finditer(re.escape(ZSTD), data):
        try:
            yield (
                f"zstd at {match.start()}",
                zstd.ZstdDecompressor().decompress(data[match.start() :]),
            )
        except zstd.ZstdError:
            continue


def _zipped(data: bytes) -> Iterator[tuple[str, bytes]]:
    if not data.startswith(ZIP):
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        yield from ((name, archive.read(name)) for name in archive.namelist())


def _deflated(data: bytes) -> Iterator[tuple[str, bytes]]:
    for match in re.finditer(re.escape(GZIP), data):
        try:
            yield f"gzip at {match.start()}", zlib.decompressobj(31).decompress(data[match.start() :])
        except zlib.error:
            continue


def _table(data: bytes) -> bytes:
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        file.write(data)
        file.flush()
        with duckdb.connect() as db:
            rows = db.execute("SELECT COLUMNS(*)::VARCHAR FROM read_parquet(?)", [file.name]).fetchall()
    return "\n".join(str(cell) for row in rows for cell in row).encode()


def _mime(data: bytes) -> Iterator[tuple[str, bytes]]:
    for part in email.message_from_bytes(data, policy=policy.compat32).walk():
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            yield f"part {part.get('Content-Location', '')}", content
