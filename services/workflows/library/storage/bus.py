"""The storage on the bus: key-value buckets, and one of objects, that every process of the bus shares."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Protocol

from services.workflows.library.versions import hash_of, with_entries
from services.workflows.ports import Shelf
from shared.bus.ports import Blobs, Records
from shared.contracts.workflows.library import HistoryEntry, WorkflowHistory
from shared.errors import PermanentError
from shared.streams import WORKFLOW_FILES, WORKFLOW_SAMPLES, WORKFLOW_SOURCES, WORKFLOWS


class LibraryBus(Records, Blobs, Protocol):
    """What of the bus the library is kept in."""


class BusStorage:
    """See :class:`services.workflows.ports.WorkflowStorage`."""

    def __init__(self, bus: LibraryBus) -> None:
        self._records, self._blobs = bus, bus

    async def load(self) -> Shelf:
        return Shelf(await self._records.read_all(WORKFLOWS, WorkflowHistory))

    async def revision(self) -> str:
        return str(await self._records.revision(WORKFLOWS))

    async def history(self, name: str) -> WorkflowHistory:
        return await self._records.read(WORKFLOWS, name, WorkflowHistory) or WorkflowHistory()

    async def source(self, hash: str) -> str | None:
        return await self._records.read(WORKFLOW_SOURCES, hash, str)

    async def files(self, hash: str) -> dict[str, str]:
        files = await self._records.read(WORKFLOW_FILES, hash, dict[str, str]) or {}
        if files and hash_of(await self.source(hash) or "", files) != hash:
            raise PermanentError(f"the stored files of version {hash[:12]} were changed", code="workflow_unreadable")
        return files

    async def keep(self, sha256: str, data: bytes) -> None:
        if await self.kept(sha256) is None:
            await self._blobs.put(WORKFLOW_SAMPLES, sha256, data)

    async def kept(self, sha256: str) -> bytes | None:
        try:
            data = await self._blobs.get(WORKFLOW_SAMPLES, sha256)
        except PermanentError as exc:
            if exc.code not in ("no_blob", "blob_damaged"):
                raise
            return None
        return data if hashlib.sha256(data).hexdigest() == sha256 else None

    async def append(
        self, name: str, entries: Sequence[HistoryEntry], source: str = "", files: Mapping[str, str] | None = None
    ) -> bool:
        for entry in entries:
            if entry.kind == "created":
                # Before the entry that names it: a source that nothing names is harmless.
                if files:
                    await self._records.create(WORKFLOW_FILES, entry.version.hash, dict(files))
                await self._records.create(WORKFLOW_SOURCES, entry.version.hash, source)
        changed = await self._records.modify(WORKFLOWS, name, WorkflowHistory, lambda now: with_entries(now, entries))
        return changed is not None

    async def close(self) -> None:
        """The records belong to the caller."""
