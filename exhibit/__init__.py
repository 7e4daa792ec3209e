"""The public interface for Python programs: the workflow library without a bus."""

from services.workflows.artifacts.evidence import EvidenceArtifacts
from services.workflows.artifacts.folder import FolderArtifacts
from services.workflows.execution.in_process_executor import InProcessExecutor
from services.workflows.execution.sandbox_executor import SandboxExecutor
from services.workflows.library.storage.bus import BusStorage
from services.workflows.library.storage.folder import FolderStorage
from services.workflows.ports import Limits, Outcome
from services.workflows.session import Session, WorkflowFailedError, WorkflowRefusedError
from services.workflows.tools.declared.declarations import CliDeclaration, HttpDeclaration, McpDeclaration
from services.workflows.tools.toolbox import open_toolbox

__all__ = [
    "BusStorage",
    "CliDeclaration",
    "EvidenceArtifacts",
    "FolderArtifacts",
    "FolderStorage",
    "HttpDeclaration",
    "InProcessExecutor",
    "Limits",
    "McpDeclaration",
    "Outcome",
    "SandboxExecutor",
    "Session",
    "WorkflowFailedError",
    "WorkflowRefusedError",
    "open_toolbox",
]
