"""What the handlers of the workflow library need."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from services.workflows.compiling.run_compiler import RunCompiler
from services.workflows.healing.run_healer import RunHealer
from services.workflows.invocations.flow_turns import FlowTurns
from services.workflows.invocations.invoker import Invoker
from services.workflows.library.library import Library
from services.workflows.ports import Executor
from shared.bus.ports import Blobs

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
    """None: no flow is healed while runs use it."""
