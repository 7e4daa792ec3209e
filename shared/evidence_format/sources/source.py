"""What a run can be read from, and its files read and hashed in threads.

A source is never written; what it says is hostile until it is proven. Reading and hashing release the interpreter's
lock.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from io import RawIOBase
from typing import Protocol, TypeVar

import msgspec

from shared.contracts.error_codes import SealCode


@dataclass(frozen=True, order=True)
class Finding:
    """One difference from what was sealed. ``path`` is relative to the run's folder; ``code`` is stable."""

    path: str
    code: SealCode
    message: str


class FileInfo(msgspec.Struct, frozen=True, gc=False):
    """A file of the run. Names with an equal ``same`` are hard links to the same bytes, which are read once; reading by
    ``order`` is fastest."""

    size_bytes: int
    same: str | int
    order: int = 0


@dataclass
class RunListing:
    """All files of a run, by path.

    ``objects`` are the paths below ``objects/``; None if there is no such folder. A bucket reads these bytes under
    their other names, so it does not list them in ``files``.
    """

    files: dict[str, FileInfo] = field(default_factory=dict[str, FileInfo])
    problems: list[Finding] = field(default_factory=list[Finding])
    objects: tuple[str, ...] | None = None


class Unreadable(Exception):
    """A file cannot be read; the message says why."""


class NoRun(Exception):
    """There is no run to check; the message says why."""


class RunSource(Protocol):
    """A run that can be listed and read."""

    @property
    def place(self) -> str:
        """The folder, file or address, as people name it."""
        ...

    @property
    def readers(self) -> int:
        """How many files are best read at the same time."""
        ...

    def list_files(self) -> RunListing:
        """List all files. Called once, before `open`. Raises NoRun."""
        ...

    def open(self, path: str) -> RawIOBase:
        """Open a listed file, from any thread. Raises Unreadable, as reading may too."""
        ...

    def close(self) -> None: ...


BUFFER_BYTES = 1 << 20
PIECE_BYTES = 1 << 16
"""Size of the first read. Most files are smaller, and a large buffer costs more than reading a small file."""
BATCH = 32
T = TypeVar("T")
R = TypeVar("R")


class Digest(msgspec.Struct, frozen=True, gc=False):
    """Hash and size of a file; ``unreadable`` says why they are not known."""

    sha256: str
    size_bytes: int
    unreadable: str = ""


def hash_files(source: RunSource, files: Mapping[str, FileInfo]) -> dict[str, Digest]:
    """Return the digests of these files by path. Bytes that have several names are read once."""
    names: dict[object, list[str]] = {}
    for path, info in files.items():
        names.setdefault(info.same, []).append(path)
    once = sorted((paths[0] for paths in names.values()), key=lambda path: files[path].order)
    hashed = dict(map_in_threads(source, once, lambda batch: _digests(source, batch)))
    return {path: hashed[paths[0]] for paths in names.values() for path in paths}


def map_in_threads(source: RunSource, items: Sequence[T], work: Callable[[Sequence[T]], list[R]]) -> Iterator[R]:
    """Yield the results of ``work`` in the order of the items. It gets batches of items, in `readers` threads."""
    batches = [items[begin : begin + BATCH] for begin in range(0, len(items), BATCH)]
    with ThreadPoolExecutor(source.readers) as pool:
        for results in pool.map(work, batches):
            yield from results


def read_file(source: RunSource, path: str, most_bytes: int) -> bytes:
    """Return a whole file. Raises Unreadable, also if it is larger than ``most_bytes``."""
    parts: list[bytes] = []
    left = most_bytes + 1
    with source.open(path) as file:
        size = PIECE_BYTES
        while left > 0 and (part := file.read(min(left, size))):
            parts.append(part)
            left, size = left - len(part), BUFFER_BYTES
    if left <= 0:
        raise Unreadable(f"it is larger than {most_bytes} bytes")
    return b"".join(parts)


def _digests(source: RunSource, paths: Iterable[str]) -> list[tuple[str, Digest]]:
    buffer = memoryview(bytearray(BUFFER_BYTES))
    return [(path, _digest(source, path, buffer)) for path in paths]


def _digest(source: RunSource, path: str, buffer: memoryview) -> Digest:
    sha256, size_bytes = hashlib.sha256(), 0
    try:
        with source.open(path) as file:
            while count := file.readinto(buffer):
                sha256.update(buffer[:count])
                size_bytes += count
    except (Unreadable, OSError) as exc:
        return Digest("", 0, str(exc))
    return Digest(sha256.hexdigest(), size_bytes)
