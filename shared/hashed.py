"""Bytes that are hashed while they are read: once, from front to back, never a whole file in memory."""

from __future__ import annotations

import hashlib
from typing import Protocol


class BinaryFile(Protocol):
    def readinto(self, buffer: bytearray, /) -> int | None: ...


class Hashed:
    """A source for blobs (`shared.bus.ports.Source`). Size and hash are those of what has been read through it."""

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
