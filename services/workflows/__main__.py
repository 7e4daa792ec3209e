"""The workflow library as a service: builds its dependencies from the settings."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache

from services.workflows.artifacts.evidence import EvidenceArtifacts
from services.workflows.builds.build_sessions import BuildSessions
from services.workflows.clock import utc_now
from services.workflows.dependencies import Dependencies
from services.workflows.deps import BUS_USE, WorkflowDeps
from services.workflows.execution.sandbox_executor import SandboxExecutor
from services.workflows.handlers import actor
from services.workflows.invocations.flow_turns import FlowTurns
from services.workflows.invocations.invoker import Invoker
from services.workflows.invocations.live_flows import LiveFlows
from services.workflows.library.files import take_files
from services.workflows.library.library import Library
from services.workflows.library.storage.bus import BusStorage
from services.workflows.library.storage.library_folder import LIBRARY_FOLDER, FolderStorage
from services.workflows.ports import Limits
from services.workflows.run_flows.flow_records import FlowRecords
from services.workflows.run_flows.run_compiler import RunCompiler
from services.workflows.run_flows.run_healer import RunHealer
from services.workflows.search.embedders import open_embedder
from services.workflows.search.index import open_index
from services.workflows.setup_checks import SETUP_CHECKS
from services.workflows.tools.toolbox import open_toolbox
from shared.bus.nats_bus import Bus
from shared.flows.building.retention import Keep
from shared.secrets.store import secret_store
from shared.settings import Settings

__all__ = ["BUS_USE", "NAME", "SETUP_CHECKS", "actor", "open_deps"]

NAME = "workflows"
log = logging.getLogger(__name__)


@asynccontextmanager
async def open_deps(settings: Settings, bus: Bus) -> AsyncGenerator[WorkflowDeps]:
    on_bus = settings.workflow_storage == "bus"
    own = settings.state_dir / "workflows" if on_bus else settings.workflows_dir / LIBRARY_FOLDER
    packages = Dependencies(own)
    executor = SandboxExecutor(packages=packages.packages, max_flows=settings.workflow_flow_capacity)
    flows = FlowTurns(bus.instance_id)
    healer = RunHealer(bus, utc_now)
    builds = BuildSessions(bus, bus.instance_id, Keep(settings.build_keep_days, settings.build_keep_mb))
    embedder = cache(lambda: open_embedder(settings.workflow_embedder))  # one model for both, loaded when it is used
    hosts = filter(None, (rule.strip() for rule in settings.tool_hosts.split(",")))
    toolbox = open_toolbox(
        settings.tools_dir,
        store=secret_store(settings),
        bus=bus,
        hosts=tuple(hosts),
        index=lambda: open_index(embedder(), None),
    )
    library = Library(
        BusStorage(bus) if on_bus else FolderStorage(settings.workflows_dir),
        lambda: open_index(embedder(), own),
    )
    for problem in toolbox.problems:
        log.warning("%s:%s: %s; it is not loaded", problem.file, problem.line, problem.message)
    limits = Limits(memory_bytes=settings.workflow_memory_mb * 1024**2)
    try:
        if on_bus:
            await take_files(library, settings.workflows_dir)
        yield WorkflowDeps(
            library=library,
            invoker=Invoker(
                *(library, executor, toolbox, EvidenceArtifacts(bus), limits),
                live=LiveFlows(bus, toolbox.browser_session),
                packages=packages,
            ),
            executor=executor,
            blobs=bus,
            slots=asyncio.Semaphore(settings.workflow_capacity),
            flows=flows,
            flow_slots=asyncio.Semaphore(settings.workflow_flow_capacity),
            run_compiler=RunCompiler(bus),
            run_healer=healer,
            flow_records=FlowRecords(bus, utc_now),
            builds=builds,
        )
    finally:
        await builds.close()
        await healer.close()
        await flows.close()
        await executor.close()
        await toolbox.close()
        await library.close()


if __name__ == "__main__":
    from shared.host.services import main

    main(NAME)
