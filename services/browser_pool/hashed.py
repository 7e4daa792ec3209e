"""Captured bytes, hashed while they are read: once, from front to back, never a whole file in memory."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from services.browser_pool.ports import Capture


class BinaryFile(Protocol):
    def readinto(self, buffer: bytearray, /) -> int | None: ...


class Hashed:
    """A source for blobs. Size and hash are those of what has been read through it."""

    def __init__(self, file: BinaryFile) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self.size_bytes = 0

    def readinto(self, buffer: bytearray, /) -> int:
        count = self._file.readinto(buffer) or 0
        self._hash.update(memoryview(buffer)[:count])
        self.size_bytes += count
        return count

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


@contextmanager
def reading(data: bytes | Path) -> Generator[Hashed]:
    with io.BytesIO(data) if isinstance(data, bytes) else data.open("rb", buffering=0) as file:
        yield Hashed(file)


def discard(capture: Capture) -> None:
    """Removes the file, if it is one; removing what is gone is no error."""
    if isinstance(capture.data, Path):
        capture.data.unlink(missing_ok=True)
