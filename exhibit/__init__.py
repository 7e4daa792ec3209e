"""The public interface for Python programs: the workflow library without a bus."""

from services.workflows.execution.in_process_executor import InProcessExecutor
from services.workflows.execution.sandbox_executor import SandboxExecutor
from services.workflows.library.storage.bus import BusStorage
from services.workflows.library.storage.folder import FolderStorage
from services.workflows.ports import Limits, Outcome
from services.workflows.session import Session, WorkflowFailedError, WorkflowRefusedError

__all__ = [
    "BusStorage",
    "FolderStorage",
    "InProcessExecutor",
    "Limits",
    "Outcome",
    "SandboxExecutor",
    "Session",
    "WorkflowFailedError",
    "WorkflowRefusedError",
]
