"""Named artifacts of workflows: kept beside the runs, never overwritten, verified on the way in and out."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Coroutine
from datetime import datetime
from pathlib import Path
from typing import Any

from services.evidence.ports import READ_LIMIT, Store
from services.evidence.run_lock.change_locks import ARTIFACT, ChangeLocks, ChangeT, lock_name
from services.evidence.state.reply_pages import first_page
from shared.aio import map_concurrently
from shared.bus.ports import Blobs
from shared.contracts.workflows.artifacts import (
    ArtifactDeleted,
    ArtifactEntry,
    ArtifactLoaded,
    ArtifactSaved,
    ArtifactsListed,
    SaveArtifact,
)
from shared.errors import PermanentError, PolicyDenied
from shared.evidence_format import layout
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.library import (
    CONTENT,
    ENTRY,
    LIBRARY_ARTIFACTS,
    artifact_taken,
    library_artifact_key,
    parse_artifact_entry,
    require_artifact_size,
    require_unchanged,
)
from shared.hashing import HashingReader
from shared.streams import ANSWERS, ARTIFACTS


class LibraryArtifacts:
    """An artifact exists from the moment its entry is written, which is after its bytes. It is changed by one at a
    time."""

    def __init__(self, store: Store, blobs: Blobs, now: Callable[[], datetime], *, read_only: bool) -> None:
        self._store, self._blobs, self._now, self._read_only = store, blobs, now, read_only
        self._locks = ChangeLocks(store)

    async def save(self, request: SaveArtifact) -> ArtifactSaved:
        """Raises PermanentError: ``name_taken``, ``unsafe_name``, ``too_large``, ``blob_damaged``, ``no_blob``."""
        name = request.name
        entry_key = library_artifact_key(name, ENTRY)
        require_artifact_size(name, request.size_bytes)
        async with self._store.spooled_file(entry_key) as file:
            if await self._store.read(entry_key) is not None:
                raise artifact_taken(name)
            await self._blobs.fetch(ARTIFACTS, request.blob, file)
            if (file.size_bytes, file.finish()) != (request.size_bytes, request.sha256):
                raise PermanentError(f"the bytes of {name!r} that arrived are not those sent", code="blob_damaged")
            entry = ArtifactEntry(
                name=name,
                sha256=request.sha256,
                size_bytes=request.size_bytes,
                media_type=request.media_type,
                description=request.description,
                saved_by=request.saved_by,
                saved_at=self._now(),
            )
            await self._change(name, lambda: self._store_new(entry, file.path))
        return ArtifactSaved(artifact=entry)

    async def load(self, name: str) -> ArtifactLoaded:
        """Copy the bytes to the bucket ANSWERS. Raises PermanentError (``object_damaged``, ``unsafe_name``)."""
        entry = await self._entry(name)
        if entry is None:
            return ArtifactLoaded(artifact=None)
        blob = f"library/{uuid.uuid4().hex}"
        async with self._store.local_file(library_artifact_key(name, CONTENT)) as path:
            if path is None:
                raise PermanentError(f"the bytes of the artifact {name!r} are gone", code="object_damaged")
            with path.open("rb", buffering=0) as file:
                source = HashingReader(file)
                await self._blobs.put(ANSWERS, blob, source)
        try:
            require_unchanged(entry, source.size_bytes, source.sha256)
        except PermanentError:
            await self._blobs.remove(ANSWERS, blob)
            raise
        return ArtifactLoaded(artifact=entry, blob=blob)

    async def list(self, skip: int) -> ArtifactsListed:
        """Return a page that fits a message."""
        names = [name for name in await self._store.names(LIBRARY_ARTIFACTS) if layout.is_filename(name)]
        found = await map_concurrently(self._entry, names, READ_LIMIT)
        entries = [entry for entry in found if entry is not None]
        return ArtifactsListed(artifacts=first_page(entries[max(skip, 0) :]), total=len(entries))

    async def delete(self, name: str) -> ArtifactDeleted:
        return await self._change(name, lambda: self._remove(name))

    async def _store_new(self, entry: ArtifactEntry, file: Path) -> None:
        name, entry_key = entry.name, library_artifact_key(entry.name, ENTRY)
        if await self._store.read(entry_key) is not None:
            raise artifact_taken(name)
        await self._store.write_file(library_artifact_key(name, CONTENT), file)
        await self._store.write(entry_key, encode_file(entry))
        await self._store.make_durable(library_artifact_key(name))

    async def _remove(self, name: str) -> ArtifactDeleted:
        existed = await self._entry(name) is not None
        if existed:
            await self._store.remove(library_artifact_key(name))
        return ArtifactDeleted(existed=existed)

    async def _entry(self, name: str) -> ArtifactEntry | None:
        data = await self._store.read(library_artifact_key(name, ENTRY))
        return None if data is None else parse_artifact_entry(data)

    async def _change(self, name: str, change: Callable[[], Coroutine[Any, Any, ChangeT]]) -> ChangeT:
        if self._read_only:
            raise PolicyDenied("this process only reads evidence, so it neither saves nor deletes artifacts")
        library_artifact_key(name)  # before a lock has the name
        return await self._locks.run_alone(lock_name(ARTIFACT, name), change)
