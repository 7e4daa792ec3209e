"""How flows did in the runs that used them, kept for each version: one that did worse than the rules is set aside."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from services.workflows.run_flows.use_progress import why_set_aside, with_use
from shared.bus.ports import Records
from shared.contracts.workflows.flow_uses import FlowUses
from shared.contracts.workflows.heals import FlowFinished
from shared.contracts.workflows.library import WorkflowVersion
from shared.flows.files import FIELDS_FILE, LOCATORS_FILE
from shared.streams import FLOW_USES


class FlowRecords:
    def __init__(self, records: Records, now: Callable[[], datetime]) -> None:
        self._records, self._now = records, now

    async def note(self, finished: FlowFinished) -> None:
        """Take note of a sample in which a flow began."""
        now = self._now()
        await self._records.modify(
            FLOW_USES, finished.hash, FlowUses, lambda known: with_use(known, finished.run_id, finished.ending, now)
        )

    async def why_set_aside(self, version: WorkflowVersion) -> str:
        """Return why a version is set aside, for people; empty: it is not. What is no flow never is."""
        if not {FIELDS_FILE, LOCATORS_FILE} & set(version.files):
            return ""
        return why_set_aside(await self._records.read(FLOW_USES, version.hash, FlowUses), version.created_at)
