"""Artifacts in a folder, for a session without a bus. Each has a folder of its own, which appears all at once."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import uuid
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from services.workflows.clock import utc_now
from shared.contracts.workflows.artifacts import ArtifactEntry
from shared.errors import Unavailable
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.library import (
    CONTENT,
    ENTRY,
    artifact_taken,
    library_artifact_key,
    new_artifact,
    parse_artifact_entry,
    require_unchanged,
    sha256_of,
)

ResultT = TypeVar("ResultT")
_TAKEN = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR})


class FolderArtifacts:
    """See :class:`services.workflows.ports.Artifacts`. Of two processes that save one name, one wins, and the other is
    told. Every call raises Unavailable when the folder cannot be used."""

    def __init__(self, folder: Path, now: Callable[[], datetime] = utc_now) -> None:
        self._folder, self._now = folder, now

    async def save(self, name: str, data: bytes, *, media_type: str, description: str, saved_by: str) -> ArtifactEntry:
        entry = new_artifact(
            name, data, media_type=media_type, description=description, saved_by=saved_by, saved_at=self._now()
        )
        await self._in_thread(self._write, entry, data)
        return entry

    async def load(self, name: str) -> tuple[ArtifactEntry, bytes] | None:
        library_artifact_key(name)
        return await self._in_thread(self._read, name)

    async def list(self) -> Sequence[ArtifactEntry]:
        return await self._in_thread(self._entries)

    async def delete(self, name: str) -> bool:
        library_artifact_key(name)
        return await self._in_thread(self._remove, name)

    async def _in_thread(self, do: Callable[..., ResultT], *arguments: Any) -> ResultT:
        try:
            return await asyncio.to_thread(do, *arguments)
        except OSError as exc:
            code = "disk_full" if exc.errno in (errno.ENOSPC, errno.EDQUOT) else "store_unavailable"
            raise Unavailable(f"artifacts cannot be kept in {self._folder}: {exc.strerror or exc}", code=code) from exc

    # --- called in a thread

    def _write(self, entry: ArtifactEntry, data: bytes) -> None:
        folder = self._folder / entry.name
        if folder.exists():
            raise artifact_taken(entry.name)
        prepared = self._folder / f".new-{uuid.uuid4().hex}"
        prepared.mkdir(parents=True)
        try:
            _write_synced(prepared / CONTENT, data)
            _write_synced(prepared / ENTRY, encode_file(entry))
            prepared.rename(folder)  # fails if another process was first: a folder with files is not replaced
        except OSError as exc:
            if exc.errno in _TAKEN and folder.exists():
                raise artifact_taken(entry.name) from exc
            raise
        finally:
            shutil.rmtree(prepared, ignore_errors=True)

    def _read(self, name: str) -> tuple[ArtifactEntry, bytes] | None:
        entry = self._entry(name)
        if entry is None:
            return None
        data = (self._folder / name / CONTENT).read_bytes()
        require_unchanged(entry, len(data), sha256_of(data))
        return entry, data

    def _entry(self, name: str) -> ArtifactEntry | None:
        try:
            return parse_artifact_entry((self._folder / name / ENTRY).read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _entries(self) -> tuple[ArtifactEntry, ...]:
        names = sorted(one.name for one in self._folder.iterdir()) if self._folder.is_dir() else []
        found = (self._entry(name) for name in names if not name.startswith("."))
        return tuple(entry for entry in found if entry is not None)

    def _remove(self, name: str) -> bool:
        gone = self._folder / f".gone-{uuid.uuid4().hex}"
        try:
            (self._folder / name).rename(gone)
        except FileNotFoundError:
            return False
        shutil.rmtree(gone, ignore_errors=True)
        return True


def _write_synced(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
