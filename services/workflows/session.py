"""A session: the library, an executor, tools and artifacts for a Python program; no service and no bus is needed."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from services.workflows.artifacts.artifact_folder import FolderArtifacts
from services.workflows.dependencies import Dependencies
from services.workflows.execution.sandbox_executor import SandboxExecutor
from services.workflows.invocations.artifact_values import from_bytes, to_bytes
from services.workflows.invocations.invoker import Invoker
from services.workflows.library.library import Library
from services.workflows.library.storage.library_folder import LIBRARY_FOLDER, FolderStorage
from services.workflows.ports import (
    Artifacts,
    Embedder,
    Executor,
    Interpreter,
    Limits,
    Outcome,
    ToolCalls,
    WorkflowStorage,
)
from services.workflows.search.index import open_index
from services.workflows.tools.toolbox import open_toolbox
from shared.contracts.workflows.artifacts import ArtifactEntry
from shared.contracts.workflows.invocations import JsonValue, WorkflowFailure
from shared.contracts.workflows.library import (
    HistoryEntry,
    WorkflowHit,
    WorkflowRefused,
    WorkflowShown,
    WorkflowVersion,
)
from shared.contracts.workflows.sources import SourceFinding
from shared.errors import PermanentError
from shared.secrets.store import SecretStore
from shared.workflow_source.wording import finding_line

Feature = Literal[
    "processes", "network_isolation", "file_isolation", "system_call_filter", "dependencies", "install_dependencies"
]
SEARCH_LIMIT = 5
STATE_FOLDER = ".exhibit"


class WorkflowRefusedError(PermanentError):
    """A workflow was not created. ``findings`` has all that is wrong with it, and what could be better."""

    code = "workflow_refused"

    def __init__(self, name: str, findings: Sequence[SourceFinding]) -> None:
        errors = [finding_line(one) for one in findings if one.severity == "error"]
        super().__init__(f"the workflow {name!r} is refused: " + "; ".join(errors))
        self.findings = tuple(findings)


class WorkflowFailedError(PermanentError):
    """A workflow ended with an error. ``failure`` has its type, its traceback and the chain of workflows."""

    code = "workflow_failed"

    def __init__(self, failure: WorkflowFailure) -> None:
        told = not failure.chain or failure.code == "too_deep"  # whose message names the chain
        super().__init__(f"{'' if told else ' -> '.join(failure.chain) + ': '}{failure.type}: {failure.message}")
        self.failure = failure


class Session:
    """Use it as ``async with Session(storage=...) as session``.

    Args:
        storage: a `WorkflowStorage`, or the folder of the library.
        executor: runs the code; a sandbox by default.
        tools: what workflow code may use as ``tools``, or the folder with their declarations; none by default.
        artifacts: where artifacts are kept; beside the library in a folder by default.
        embedder: the model of the search, or its name.
        author: who creates and deletes workflows; the user of this process by default.
    """

    def __init__(
        self,
        storage: WorkflowStorage | Path | str,
        executor: Executor | None = None,
        *,
        tools: ToolCalls | Path | str | None = None,
        artifacts: Artifacts | Path | str | None = None,
        embedder: Embedder | str = "wordllama",
        limits: Limits = Limits(),  # noqa: B008  it is frozen
        author: str | None = None,
    ) -> None:
        self._storage = FolderStorage(Path(storage)) if isinstance(storage, Path | str) else storage
        own = self._storage.folder / LIBRARY_FOLDER if isinstance(self._storage, FolderStorage) else None
        self.deps = Dependencies(own if own is not None else Path(STATE_FOLDER) / "workflows")
        self._executor = executor if executor is not None else SandboxExecutor(packages=self.deps.packages)
        if tools is None or isinstance(tools, Path | str):
            tools = open_toolbox(None if tools is None else Path(tools), store=SecretStore(None))
        self._tools = tools
        places = artifacts if artifacts is not None else (own or Path(STATE_FOLDER)) / "artifacts"
        self._artifacts = FolderArtifacts(Path(places)) if isinstance(places, Path | str) else places
        self._library = Library(self._storage, lambda: open_index(embedder, own))
        self._invoker = Invoker(self._library, self._executor, self._tools, self._artifacts, limits)
        self._author = getpass.getuser() if author is None else author
        self._interpreter: Interpreter | None = None

    async def __aenter__(self) -> Self:
        await self._executor.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._interpreter is not None:
            await self._interpreter.close()
        await self._executor.close()
        await self._tools.close()
        await self._library.close()

    # --- workflows

    async def add_workflow(
        self, name: str, source: str, description: str = "", files: Mapping[str, str] | None = None
    ) -> WorkflowVersion:
        """Create a workflow. Raises WorkflowRefusedError with everything that is wrong with it.

        ``files``: text files that it reads when it runs, by their paths relative to its folder.
        """
        reply = await self._library.create(name, source, description=description, author=self._author, files=files)
        if isinstance(reply, WorkflowRefused):
            raise WorkflowRefusedError(name, reply.findings)
        return reply.workflow

    async def list(self) -> tuple[WorkflowVersion, ...]:
        return (await self._library.list())[0]

    async def search(self, query: str, limit: int = SEARCH_LIMIT) -> tuple[WorkflowHit, ...]:
        """Return the workflows that do what the query says, best first; none where nothing fits."""
        return await self._library.search(query, limit)

    async def get(self, name: str, hash: str = "") -> WorkflowShown | None:
        reply = await self._library.get(name, hash)
        return reply if isinstance(reply, WorkflowShown) else None

    async def history(self, name: str) -> tuple[HistoryEntry, ...]:
        return await self._library.history(name)

    async def remove(self, name: str) -> bool:
        """Delete a workflow; its history stays. Return whether there was one."""
        return await self._library.delete(name, author=self._author)

    async def invoke(self, name: str, /, **arguments: JsonValue) -> JsonValue:
        """Return the value of ``run(**arguments)``. Raises WorkflowFailedError. ``name@hash`` is an old version."""
        name, _, hash = name.partition("@")
        invoked = await self._invoker.invoke(name, arguments, hash=hash, caller=self._author)
        if invoked.outcome.error is not None:
            raise WorkflowFailedError(invoked.outcome.error)
        return invoked.outcome.value

    # --- code

    async def run(self, code: str, timeout_s: float = 30.0) -> Outcome:
        """Run code that may use ``tools``, ``workflows`` and ``artifacts``; names that it defines stay until `reset`.

        The value is that of its last expression, if that is one.
        """
        if self._interpreter is None:
            self._interpreter = await self._executor.open_interpreter()
        invoked = await self._invoker.run_code(self._interpreter, code, timeout_s=timeout_s, caller=self._author)
        return invoked.outcome

    async def reset(self) -> None:
        """Forget the names that code has defined."""
        if self._interpreter is not None:
            await self._interpreter.reset()

    # --- artifacts

    async def save_artifact(
        self, name: str, data: JsonValue | bytes, *, description: str = "", media_type: str = ""
    ) -> ArtifactEntry:
        """Save bytes, a text, or a value as JSON. Raises PermanentError (``name_taken``) for a name that exists."""
        content, kind = to_bytes(data, media_type)
        return await self._artifacts.save(
            name, content, media_type=kind, description=description, saved_by=self._author
        )

    async def load_artifact(self, name: str) -> JsonValue | bytes:
        """Return what was saved. Raises LookupError when there is no such artifact."""
        found = await self._artifacts.load(name)
        if found is None:
            raise LookupError(f"there is no artifact {name!r}")
        return from_bytes(found[1], found[0].media_type)

    async def list_artifacts(self) -> Sequence[ArtifactEntry]:
        return await self._artifacts.list()

    async def delete_artifact(self, name: str) -> bool:
        return await self._artifacts.delete(name)

    # --- what this session can do

    def supports(self, feature: Feature) -> bool:
        """Return whether workflow code is kept from other processes, the network, and so on, and what can be done."""
        protections = self._executor.protections
        return {
            "processes": protections.processes,
            "network_isolation": protections.network,
            "file_isolation": protections.files,
            "system_call_filter": protections.system_calls,
            "dependencies": True,
            "install_dependencies": Dependencies.can_install(),
        }[feature]
