"""A stored page unpacked into a file, within bounds: a few bytes can stand for any number of them."""

from __future__ import annotations

import io
from pathlib import Path

import zstandard

from shared.contracts.error_codes import RestoreCode

MAX_PAGE_BYTES = 256_000_000
MAX_WINDOW_BYTES = 128 * 1024 * 1024
PIECE_BYTES = 1024 * 1024


class Unfit(Exception):
    """``code`` as in :class:`shared.contracts.browser_pool.PageNotRestored`; the message is for people."""

    def __init__(self, code: RestoreCode, message: str) -> None:
        super().__init__(message)
        self.code: RestoreCode = code


def unpack(packed: bytes, path: Path, most_bytes: int = MAX_PAGE_BYTES) -> None:
    """Writes what ``packed`` (zstd) holds to ``path``. Raises Unfit."""
    written = 0
    try:
        reader = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES).stream_reader(io.BytesIO(packed))
        with reader, path.open("xb") as file:
            while piece := reader.read(PIECE_BYTES):
                written += len(piece)
                if written > most_bytes:
                    raise Unfit("too_large", f"the stored page unpacks to more than {most_bytes} bytes")
                file.write(piece)
    except zstandard.ZstdError as exc:
        raise Unfit("not_a_page", f"the stored page cannot be unpacked: {exc}") from exc
