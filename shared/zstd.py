"""Zstandard: packs data, and unpacks it with a limit: small data can unpack to any size, whatever its header says.

The only module that imports the library: Python has it from 3.14 on, and ``backports.zstd`` is the same one before.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PIECE_BYTES = 256 * 1024
MAX_WINDOW_LOG = 27
"""128 MB: the most memory that data may ask for to be unpacked."""
_LIMITS: dict[int, int] = {zstd.DecompressionParameter.window_log_max: MAX_WINDOW_LOG}


class UnpacksToTooMuch(ValueError):
    """Data that is larger than its reader takes."""


def pack_zstd(data: bytes, level: int = 3) -> bytes:
    """Return the data as one frame, which names its size."""
    return zstd.compress(data, level)


def unpack_zstd(packed: bytes, most_bytes: int) -> bytes:
    """Return the unpacked bytes. Raises ValueError as `unpack_pieces` does."""
    data = io.BytesIO()
    for piece in unpack_pieces(packed, most_bytes):
        data.write(piece)
    return data.getvalue()


def unpack_pieces(packed: bytes, most_bytes: int) -> Iterator[bytes]:
    """Yield the unpacked bytes of the first frame, ``PIECE_BYTES`` or less at a time.

    Raises UnpacksToTooMuch beyond the limit, before more than that was yielded, and ValueError for what is no
    Zstandard data or ends within a frame.
    """
    reader, given, total = zstd.ZstdDecompressor(options=_LIMITS), packed, 0
    while not reader.eof:
        try:
            piece = reader.decompress(given, PIECE_BYTES)
        except zstd.ZstdError as exc:
            raise ValueError(f"it cannot be unpacked: {exc}") from exc
        given = b""
        if not piece and not reader.eof and reader.needs_input:
            raise ValueError("it cannot be unpacked: its end is missing")
        total += len(piece)
        if total > most_bytes:
            raise UnpacksToTooMuch(f"it unpacks to more than {most_bytes} bytes")
        if piece:
            yield piece
