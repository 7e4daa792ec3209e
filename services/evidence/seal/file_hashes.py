"""The files below a folder of the store, with their hashes. What was hashed when it was filed is not read again."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from services.evidence.ports import Store
from shared.evidence_format.files.manifest import FileEntry

Known = Mapping[str, FileEntry]
"""What was hashed before, by path."""
SMALL_BYTES = 1_000_000


async def paths_below(store: Store, folder: str, known: Collection[str], besides: Iterable[str] = ()) -> list[str]:
    """All files below a folder, seen from there. What is ``known`` is a file, and so is what has a dot in its name: no
    folder of ours has one. ``besides``: names directly below it that are left out."""
    paths: list[str] = []
    for name in await store.names(folder):
        if name not in besides:
            paths += await _below(store, folder, name, known)
    return paths


async def _below(store: Store, folder: str, path: str, known: Collection[str]) -> list[str]:
    names = [] if path in known or "." in path.rpartition("/")[2] else await store.names(f"{folder}/{path}")
    if not names:
        return [path]
    return [one for name in names for one in await _below(store, folder, f"{path}/{name}", known)]


async def secured(store: Store, folder: str) -> None:
    """All files below a folder outlive a power failure, and are retained where that is asked for; none there is no
    error."""
    paths = await paths_below(store, folder, ())
    for below in sorted({f"{folder}/{path}".rpartition("/")[0] for path in paths}):
        await store.secure(below)


async def hashed(store: Store, folder: str, paths: Iterable[str], known: Known) -> tuple[FileEntry, ...]:
    """The files with their hashes, sorted; what is ``known`` is among them, whether it is still there or not."""
    entries = dict(known)
    for path in paths:
        if path not in entries and (entry := await _hashed(store, folder, path)) is not None:
            entries[path] = entry
    return tuple(entries[path] for path in sorted(entries))


async def _hashed(store: Store, folder: str, path: str) -> FileEntry | None:
    """None for an empty folder."""
    async with store.local(f"{folder}/{path}") as file:
        if file is None:
            return None
        # A small file costs less than a thread; a big one must not hold up the loop.
        big = file.stat().st_size > SMALL_BYTES
        return await asyncio.to_thread(_entry, path, file) if big else _entry(path, file)


def _entry(path: str, file: Path) -> FileEntry:
    with file.open("rb") as opened:
        return FileEntry(path=path, sha256=hashlib.file_digest(opened, "sha256").hexdigest(), size_bytes=opened.tell())
