"""Hashes: of bytes while they are read, and of the input of a run, by which two runs of one input are known."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec


class BinaryFile(Protocol):
    def readinto(self, buffer: bytearray, /) -> int | None: ...


class HashingReader:
    """A source for blobs (:class:`shared.bus.ports.Source`) that hashes what is read through it: once, from front to
    back, never a whole file in memory. Size and hash are those of what has been read."""

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


def rows_sha256(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the hash of samples that come as rows, in the request or as a file of them."""
    return hashlib.sha256(msgspec.json.encode(rows)).hexdigest()


def search_sha256(discovery: Mapping[str, Any], row: Mapping[str, str]) -> str:
    """Return the hash of samples that are found by navigating: of the discovery task and the row that fills it."""
    return hashlib.sha256(msgspec.json.encode([discovery, row], order="deterministic")).hexdigest()
