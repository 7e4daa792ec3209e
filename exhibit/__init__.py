"""The public interface for Python programs: the workflow library without a bus; `exhibit.flow` is that of flows.

Names are loaded when they are used first: a flow needs none of the library.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from services.workflows.artifacts.artifact_folder import FolderArtifacts
    from services.workflows.artifacts.evidence import EvidenceArtifacts
    from services.workflows.execution.in_process_executor import InProcessExecutor
    from services.workflows.execution.sandbox_executor import SandboxExecutor
    from services.workflows.library.storage.bus import BusStorage
    from services.workflows.library.storage.library_folder import FolderStorage
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

_HOMES = {
    "artifacts.evidence": ("EvidenceArtifacts",),
    "artifacts.artifact_folder": ("FolderArtifacts",),
    "execution.in_process_executor": ("InProcessExecutor",),
    "execution.sandbox_executor": ("SandboxExecutor",),
    "library.storage.bus": ("BusStorage",),
    "library.storage.library_folder": ("FolderStorage",),
    "ports": ("Limits", "Outcome"),
    "session": ("Session", "WorkflowFailedError", "WorkflowRefusedError"),
    "tools.declared.declarations": ("CliDeclaration", "HttpDeclaration", "McpDeclaration"),
    "tools.toolbox": ("open_toolbox",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"services.workflows.{home}"), name)
    raise AttributeError(f"module 'exhibit' has no attribute {name!r}")
