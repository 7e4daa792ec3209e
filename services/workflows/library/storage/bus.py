"""The storage on the bus: two key-value buckets that every process of the bus shares."""

from __future__ import annotations

from services.workflows.library.versions import with_entry
from services.workflows.ports import Shelf
from shared.bus.ports import Records
from shared.contracts.workflows.library import HistoryEntry, WorkflowHistory
from shared.streams import WORKFLOW_SOURCES, WORKFLOWS


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

    async def append(self, name: str, entry: HistoryEntry, source: str) -> bool:
        if entry.kind == "created":
            # Before the entry that names it: a source that nothing names is harmless.
            await self._records.create(WORKFLOW_SOURCES, entry.version.hash, source)
        changed = await self._records.modify(WORKFLOWS, name, WorkflowHistory, lambda now: with_entry(now, entry))
        return changed is not None

    async def close(self) -> None:
        """The records belong to the caller."""
