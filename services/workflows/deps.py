"""What the handlers of the workflow library need."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from services.workflows.invocations.invoker import Invoker
from services.workflows.library.library import Library
from services.workflows.ports import Executor
from shared.bus.ports import Blobs


@dataclass
class WorkflowDeps:
    """``slots`` limits the invocations from outside; those that they cause need none, so that they cannot block."""

    library: Library
    invoker: Invoker
    executor: Executor
    blobs: Blobs
    slots: asyncio.Semaphore
