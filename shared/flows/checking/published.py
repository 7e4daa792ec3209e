"""The version of a flow that the library has, as what a new one is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shared.bus.ports import Asks
from shared.client.workflow_calls import get_workflow
from shared.contracts.workflows.flows import BeginFlow
from shared.contracts.workflows.library import WorkflowShown
from shared.flows.files import FlowFiles, is_flow, parse_files
from shared.flows.variables import typed_row


@dataclass(frozen=True)
class LibraryFlow:
    """``hash``: of the current version."""

    name: str
    hash: str
    files: FlowFiles

    def begin(self, row: Mapping[str, str]) -> BeginFlow:
        """Return the request to run it with the variables of a row."""
        return BeginFlow(name=self.name, hash=self.hash, variables=typed_row(self.files.variables, row))


async def published_flow(asks: Asks, name: str) -> LibraryFlow | None:
    """Return the current version; None where the library has no flow of this name, or one that cannot be read."""
    shown = await get_workflow(asks, name)
    if not isinstance(shown, WorkflowShown) or not is_flow(shown.source, shown.files):
        return None
    try:
        return LibraryFlow(shown.workflow.name, shown.workflow.hash, parse_files(shown.files))
    except ValueError:
        return None
