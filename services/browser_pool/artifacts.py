"""The bytes of a capture, in memory or in a file: read and hashed once, and let go of."""

from __future__ import annotations

import io
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from services.browser_pool.ports import Capture
from shared.hashing import HashingReader


@contextmanager
def reading(data: bytes | Path) -> Generator[HashingReader]:
    with io.BytesIO(data) if isinstance(data, bytes) else data.open("rb", buffering=0) as file:
        yield HashingReader(file)


def discard(capture: Capture) -> None:
    """Removes the file, if it is one; removing what is gone is no error."""
    if isinstance(capture.data, Path):
        capture.data.unlink(missing_ok=True)
