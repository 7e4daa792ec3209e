"""The service of workflows on a bus in memory, with the artifacts of evidence and one of the executors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent
from typing import Any

from services.evidence.deps import EvidenceDeps
from services.evidence.handlers import actor as evidence
from services.evidence.store.folder_store import FolderStore
from services.workflows.artifacts.evidence import EvidenceArtifacts
from services.workflows.deps import WorkflowDeps
from services.workflows.handlers import actor as workflows
from services.workflows.invocations.flow_turns import FlowTurns
from services.workflows.invocations.invoker import Invoker
from services.workflows.invocations.live_flows import LiveFlows
from services.workflows.library.storage.library_folder import FolderStorage
from services.workflows.ports import Executor, Limits
from services.workflows.tools.toolbox import open_toolbox
from shared.client.workflow_calls import create_workflow
from shared.contracts.workflows.library import WorkflowCreated
from shared.secrets.store import SecretStore
from shared.testing.bus import MemoryBus
from tests.handlers.workflows.storages import open_library

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@dataclass
class Service:
    bus: MemoryBus
    deps: WorkflowDeps

    async def create(self, name: str, source: str, files: dict[str, str] | None = None) -> WorkflowCreated:
        reply = await create_workflow(self.bus, name, dedent(source), files=files)
        assert isinstance(reply, WorkflowCreated), reply
        return reply


@asynccontextmanager
async def open_service(folder: Path, executor: Executor, **changes: Any) -> AsyncGenerator[Service]:
    """Run the service. The executor is the caller's; ``changes``: of its dependencies."""
    bus = MemoryBus()
    bus.host(evidence, EvidenceDeps(store=FolderStore(folder / "evidence"), blobs=bus, now=lambda: NOON))
    toolbox = open_toolbox(None, store=SecretStore(None, {}), bus=bus)
    library, artifacts = open_library(FolderStorage(folder / "workflows")), EvidenceArtifacts(bus)
    live = LiveFlows(bus, toolbox.browser_session)
    given = {
        "library": library,
        "invoker": Invoker(library, executor, toolbox, artifacts, Limits(), live=live),
        "executor": executor,
        "blobs": bus,
        "slots": asyncio.Semaphore(4),
        "flows": FlowTurns(bus.instance_id),
        "flow_slots": asyncio.Semaphore(64),
    }
    deps = WorkflowDeps(**{**given, **changes})
    bus.host(workflows, deps)
    try:
        yield Service(bus, deps)
    finally:
        await deps.flows.close()
        await toolbox.close()
        await library.close()
