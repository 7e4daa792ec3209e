"""What the handlers of the workflow library need."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from services.workflows.builds.build_sessions import BuildSessions
from services.workflows.invocations.flow_turns import FlowTurns
from services.workflows.invocations.invoker import Invoker
from services.workflows.library.library import Library
from services.workflows.ports import Executor
from services.workflows.run_flows.flow_records import FlowRecords
from services.workflows.run_flows.run_compiler import RunCompiler
from services.workflows.run_flows.run_healer import RunHealer
from shared.bus.access.use import BusUse
from shared.bus.ports import Blobs
from shared.streams import (
    ANSWERS,
    ARTIFACTS,
    BUILD_EVENTS,
    BUILD_FILES,
    BUILDS,
    FLOW_HEALS,
    FLOW_USES,
    INPUTS,
    RUN_FLOWS,
    RUNS,
    WORKFLOW_FILES,
    WORKFLOW_SAMPLES,
    WORKFLOW_SOURCES,
    WORKFLOWS,
)
from shared.subjects import (
    ACT,
    BEGIN_FLOW,
    CAPTURE,
    CREATE_WORKFLOW,
    DECIDE_BUILD,
    DELETE_ARTIFACT,
    END_FLOW,
    FOLLOW_BUILD,
    GET_WORKFLOW,
    HEARTBEAT,
    LEASE,
    LIST_ARTIFACTS,
    LOAD_ARTIFACT,
    LOAD_RESULT,
    LOAD_SAMPLES,
    LOAD_STEPS,
    OBSERVE,
    PROVIDE_ARTIFACT,
    RELEASE,
    RESUME_FLOW,
    SAVE_ARTIFACT,
)

MAX_WAIT_S = 120.0
"""For a free slot. Clients wait a little longer: `GRACE_S` of their calls."""


@dataclass
class WorkflowDeps:
    """``slots`` limits the invocations from outside; those that they cause need none, so that they cannot block.
    ``flow_slots`` limits the flows that are run by turns, most of which wait."""

    library: Library
    invoker: Invoker
    executor: Executor
    blobs: Blobs
    slots: asyncio.Semaphore
    flows: FlowTurns
    flow_slots: asyncio.Semaphore
    max_wait_s: float = MAX_WAIT_S
    run_compiler: RunCompiler | None = None
    """None: no flow is compiled of a run in progress."""
    run_healer: RunHealer | None = None
    flow_records: FlowRecords | None = None
    """None: no flow is healed while runs use it."""
    builds: BuildSessions | None = None
    """None: there are no build sessions."""


BUS_USE = BusUse(
    asks=(
        LEASE,
        HEARTBEAT,
        RELEASE,
        OBSERVE,
        ACT,
        CAPTURE,
        SAVE_ARTIFACT,
        LOAD_ARTIFACT,
        LIST_ARTIFACTS,
        DELETE_ARTIFACT,
        LOAD_RESULT,
        LOAD_STEPS,
        PROVIDE_ARTIFACT,
        CREATE_WORKFLOW,
        GET_WORKFLOW,
        BEGIN_FLOW,
        RESUME_FLOW,
        END_FLOW,
        LOAD_SAMPLES,
        FOLLOW_BUILD,
        DECIDE_BUILD,
    ),
    reads=(RUNS,),
    records=(
        RUN_FLOWS,
        FLOW_HEALS,
        FLOW_USES,
        BUILDS,
        BUILD_EVENTS,
        WORKFLOWS,
        WORKFLOW_SOURCES,
        WORKFLOW_FILES,
    ),
    lists=(WORKFLOWS, BUILDS),
    gets=(
        ARTIFACTS,
        INPUTS,
        ANSWERS,
        WORKFLOW_SAMPLES,
        BUILD_FILES,
    ),
    puts=(
        ARTIFACTS,
        INPUTS,
        ANSWERS,
        WORKFLOW_SAMPLES,
        BUILD_FILES,
    ),
    removes=(
        ARTIFACTS,
        INPUTS,
        ANSWERS,
        BUILD_FILES,
    ),
)
"""What the service does on the bus besides what its actor says; its rights follow from it."""
