"""The storage on the bus: two key-value buckets that every process of the bus shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.workflows.library.versions import hash_of, with_entries
from services.workflows.ports import Shelf
from shared.bus.ports import Records
from shared.contracts.workflows.library import HistoryEntry, WorkflowHistory
from shared.errors import PermanentError
from shared.streams import WORKFLOW_FILES, WORKFLOW_SOURCES, WORKFLOWS


class BusStorage:
    """See :class:`services.workflows.ports.WorkflowStorage`."""

    def __init__(self, records: Records) -> None:
        self._records = records

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
