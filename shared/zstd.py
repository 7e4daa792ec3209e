"""Zstandard data unpacked with a limit: small data can unpack to any size, whatever its header says."""

from __future__ import annotations

import io

import zstandard

PIECE_BYTES = 256 * 1024
MAX_WINDOW_BYTES = 128 * 1024**2
"""Of memory that the data may ask for to be unpacked."""


def unpack_zstd(packed: bytes, most_bytes: int) -> bytes:
    """Return the unpacked bytes. Raises ValueError for what is no Zstandard data, and beyond the limit."""
    data = io.BytesIO()
    try:
        with zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES).stream_reader(io.BytesIO(packed)) as reader:
            while piece := reader.read(PIECE_BYTES):
                if data.tell() + len(piece) > most_bytes:
                    raise ValueError(f"it unpacks to more than {most_bytes} bytes")
                data.write(piece)
    except zstandard.ZstdError as exc:
        raise ValueError(f"it cannot be unpacked: {exc}") from exc
    return data.getvalue()
