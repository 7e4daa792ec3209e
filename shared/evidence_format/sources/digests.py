"""Reads and hashes many files side by side: hashing and reading let other threads run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import msgspec

from shared.evidence_format.sources.base import FileInfo, Medium, Unreadable

BUFFER_BYTES = 1 << 20
PIECE_BYTES = 1 << 16
"""What is read first: most files are smaller, and room for a large one costs more than to read a small one."""
BATCH = 32
T = TypeVar("T")
R = TypeVar("R")


class Digest(msgspec.Struct, frozen=True, gc=False):
    """``unreadable`` says why there is none."""

    sha256: str
    size_bytes: int
    unreadable: str = ""


def digests(medium: Medium, files: Mapping[str, FileInfo]) -> dict[str, Digest]:
    """Of all these files; bytes that have several names are read once."""
    names: dict[object, list[str]] = {}
    for path, lies in files.items():
        names.setdefault(lies.same, []).append(path)
    once = sorted((paths[0] for paths in names.values()), key=lambda path: files[path].order)
    hashed = dict(side_by_side(medium, once, lambda some: _hashed(medium, some)))
    return {path: hashed[paths[0]] for paths in names.values() for path in paths}


def side_by_side(medium: Medium, items: Sequence[T], work: Callable[[Sequence[T]], list[R]]) -> Iterator[R]:
    """What ``work`` makes of the items, in order, a few of them at a time in as many threads as suit the medium."""
    batches = [items[begin : begin + BATCH] for begin in range(0, len(items), BATCH)]
    with ThreadPoolExecutor(medium.readers) as pool:
        for made in pool.map(work, batches):
            yield from made


def read(medium: Medium, path: str, most_bytes: int) -> bytes:
    """A whole file. Raises Unreadable, also where it is larger than that."""
    parts: list[bytes] = []
    left = most_bytes + 1
    with medium.open(path) as file:
        size = PIECE_BYTES
        while left > 0 and (part := file.read(min(left, size))):
            parts.append(part)
            left, size = left - len(part), BUFFER_BYTES
    if left <= 0:
        raise Unreadable(f"it is larger than {most_bytes} bytes")
    return b"".join(parts)


def _hashed(medium: Medium, paths: Iterable[str]) -> list[tuple[str, Digest]]:
    buffer = memoryview(bytearray(BUFFER_BYTES))
    return [(path, _digest(medium, path, buffer)) for path in paths]


def _digest(medium: Medium, path: str, buffer: memoryview) -> Digest:
    sha256, size_bytes = hashlib.sha256(), 0
    try:
        with medium.open(path) as file:
            while count := file.readinto(buffer):
                sha256.update(buffer[:count])
                size_bytes += count
    except (Unreadable, OSError) as exc:
        return Digest("", 0, str(exc))
    return Digest(sha256.hexdigest(), size_bytes)
