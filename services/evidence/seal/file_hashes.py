"""Lists the files below a folder of the store, with their hashes. Files that were hashed before are not read again."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from services.evidence.ports import Store
from shared.evidence_format.files.manifest import FileEntry
from shared.evidence_format.layout import REVIEWS

KnownFiles = Mapping[str, FileEntry]
"""Files that were hashed before, by path."""
SMALL_BYTES = 1_000_000


async def list_paths(store: Store, folder: str, known: Collection[str], exclude: Iterable[str] = ()) -> list[str]:
    """Return all files below a folder, as paths relative to it.

    A ``known`` path is a file, and so is a name with a dot: folders of evidence have none, but that of the
    review. ``exclude``: names directly
    below the folder that are left out.
    """
    paths: list[str] = []
    for name in await store.names(folder):
        if name not in exclude:
            paths += await _list_below(store, folder, name, known)
    return paths


async def _list_below(store: Store, folder: str, path: str, known: Collection[str]) -> list[str]:
    is_file = path in known or ("." in path.rpartition("/")[2] and path != REVIEWS)
    names = [] if is_file else await store.names(f"{folder}/{path}")
    if not names:
        return [path]
    return [below for name in names for below in await _list_below(store, folder, f"{path}/{name}", known)]


async def make_tree_durable(store: Store, folder: str) -> None:
    """Make all files below a folder survive a power failure; in a bucket, retain them. A missing folder is no error."""
    paths = await list_paths(store, folder, ())
    for below in sorted({f"{folder}/{path}".rpartition("/")[0] for path in paths}):
        await store.make_durable(below)


async def hash_files(store: Store, folder: str, paths: Iterable[str], known: KnownFiles) -> tuple[FileEntry, ...]:
    """Return the files with their hashes, sorted by path; ``known`` files are included even if they are missing now."""
    entries = dict(known)
    for path in paths:
        if path not in entries and (entry := await _hash_file(store, folder, path)) is not None:
            entries[path] = entry
    return tuple(entries[path] for path in sorted(entries))


async def _hash_file(store: Store, folder: str, path: str) -> FileEntry | None:
    """None for an empty folder."""
    async with store.local_file(f"{folder}/{path}") as file:
        if file is None:
            return None
        # Hashing a small file costs less than a thread; a big one must not block the event loop.
        big = file.stat().st_size > SMALL_BYTES
        return await asyncio.to_thread(_entry, path, file) if big else _entry(path, file)


def _entry(path: str, file: Path) -> FileEntry:
    with file.open("rb") as opened:
        return FileEntry(path=path, sha256=hashlib.file_digest(opened, "sha256").hexdigest(), size_bytes=opened.tell())
