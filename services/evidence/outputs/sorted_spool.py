"""Records in a file, in the order in which they came, read back in the order of their names."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

_HEAD = struct.Struct("<III")


class SortedSpool:
    """Each record has a name and two parts, in bytes. Nothing of them is held in memory; only where they did not come
    in the order of their names it is, while they are read, where each of them begins."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb")
        self._last = b""
        self._ascending = True

    def add(self, name: str, one: bytes, other: bytes) -> None:
        key = name.encode(errors="surrogatepass")
        self._ascending = self._ascending and self._last <= key
        self._last = key
        self._file.write(_HEAD.pack(len(key), len(one), len(other)))
        self._file.writelines((key, one, other))

    def in_order(self) -> Iterator[tuple[bytes, bytes]]:
        """Of equal names the one that came first stands first."""
        self._file.flush()
        with self._path.open("rb") as file:
            if self._ascending:
                while head := file.read(_HEAD.size):
                    name_bytes, *parts = _HEAD.unpack(head)
                    file.read(name_bytes)
                    yield file.read(parts[0]), file.read(parts[1])
                return
            for _, at in sorted(self._begins()):
                file.seek(at)
                name_bytes, *parts = _HEAD.unpack(file.read(_HEAD.size))
                file.read(name_bytes)
                yield file.read(parts[0]), file.read(parts[1])

    def _begins(self) -> Iterator[tuple[bytes, int]]:
        with self._path.open("rb") as file:
            at = 0
            while head := file.read(_HEAD.size):
                sizes: tuple[int, ...] = _HEAD.unpack(head)
                yield file.read(sizes[0]), at
                at += _HEAD.size + sum(sizes)
                file.seek(at)

    def close(self) -> None:
        self._file.close()
