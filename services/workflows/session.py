"""A session: the library, an executor, tools and artifacts for a Python program; no service and no bus is needed."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, cast

from services.workflows.artifacts.artifact_folder import FolderArtifacts
from services.workflows.dependencies import Dependencies
from services.workflows.execution.child.namespaces import FoundWorkflow
from services.workflows.execution.sandbox_executor import SandboxExecutor
from services.workflows.invocations.artifact_values import from_bytes, to_bytes
from services.workflows.invocations.host import hit_facts
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
    ToolContext,
    WorkflowStorage,
)
from services.workflows.search.embedders import DEFAULT_MODEL, open_embedder
from services.workflows.search.index import open_index
from services.workflows.tools.toolbox import open_toolbox
from shared.contracts.workflows.artifacts import ArtifactEntry
from shared.contracts.workflows.invocations import JsonValue, WorkflowFailure
from shared.contracts.workflows.library import (
    HistoryEntry,
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
    """The library of workflows, with what runs them, for a Python program; no service and no bus is needed.

    Use it as a context: what it starts ends with the block.

    Args:
        storage: a `WorkflowStorage`, or the folder of the library, which is made.
        executor: runs the code; a sandbox by default.
        tools: what workflow code may use as ``tools``, or the folder with their declarations; none by default.
        artifacts: where artifacts are kept, or their folder; beside the library in a folder by default.
        embedder: the model of the search, or its name.
        limits: what one invocation may use.
        author: who creates and deletes workflows; the user of this process by default.
        tool_hosts: hosts that ``tools.fetch`` and ``tools.curl`` may reach where they are not declared.
        code_may_install: whether workflow code may add and remove packages by ``deps``; it may always list them.

    Attributes:
        deps: the packages that workflows may import: ``add``, ``remove``, ``list``, ``sync``.

    Example:
        async with Session("workflows", tools="tools") as session:
            source = "def run(name: str) -> str: return f'Hello, {name}!'"
            await session.add_workflow("greet", source, "Generate a greeting")
            greeting = await session.invoke("greet", name="Ada")
    """

    def __init__(
        self,
        storage: WorkflowStorage | Path | str,
        executor: Executor | None = None,
        *,
        tools: ToolCalls | Path | str | None = None,
        artifacts: Artifacts | Path | str | None = None,
        embedder: Embedder | str = DEFAULT_MODEL,
        limits: Limits = Limits(),  # noqa: B008  it is frozen
        author: str | None = None,
        tool_hosts: Sequence[str] = (),
        code_may_install: bool = False,
    ) -> None:
        self._storage = FolderStorage(Path(storage)) if isinstance(storage, Path | str) else storage
        own = self._storage.folder / LIBRARY_FOLDER if isinstance(self._storage, FolderStorage) else None
        folder = own if own is not None else Path(STATE_FOLDER) / "workflows"
        self.deps = Dependencies(folder, may_change=code_may_install)
        model = cache(lambda: open_embedder(embedder) if isinstance(embedder, str) else embedder)
        self._executor = executor if executor is not None else SandboxExecutor(packages=self.deps.packages)
        if tools is None or isinstance(tools, Path | str):
            tools = open_toolbox(
                None if tools is None else Path(tools),
                store=SecretStore(None),
                hosts=tuple(tool_hosts),
                index=lambda: open_index(model(), None),
            )
        self._tools = tools
        places = artifacts if artifacts is not None else (own or Path(STATE_FOLDER)) / "artifacts"
        self._artifacts = FolderArtifacts(Path(places)) if isinstance(places, Path | str) else places
        self._library = Library(self._storage, lambda: open_index(model(), own))
        self._invoker = Invoker(self._library, self._executor, self._tools, self._artifacts, limits, packages=self.deps)
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
        """Create a workflow.

        Args:
            name: by which it is invoked, and which no workflow has yet.
            source: Python with a function ``run``.
            description: what it does, for the search.
            files: text files that it reads when it runs, by their paths relative to its folder.

        Returns:
            The version, with its hash.

        Raises:
            WorkflowRefusedError: with everything that is wrong with it.

        Example:
            version = await session.add_workflow("double", "def run(n: int) -> int: return 2 * n")
        """
        reply = await self._library.create(name, source, description=description, author=self._author, files=files)
        if isinstance(reply, WorkflowRefused):
            raise WorkflowRefusedError(name, reply.findings)
        return reply.workflow

    async def list(self) -> tuple[WorkflowVersion, ...]:
        """Return the current version of every workflow.

        Returns:
            The versions, by name.

        Example:
            names = [one.name for one in await session.list()]
        """
        return (await self._library.list())[0]

    async def search(self, query: str, limit: int = SEARCH_LIMIT) -> tuple[FoundWorkflow, ...]:
        """Find workflows by what they do.

        Args:
            query: in plain words.
            limit: the most that are returned.

        Returns:
            Those that fit, best first, as ``workflows.search`` gives them to workflow code; none where nothing fits.

        Example:
            names = [hit.name for hit in await session.search("a message of greeting", limit=3)]
        """
        return tuple(FoundWorkflow(hit_facts(hit)) for hit in await self._library.search(query, limit))

    async def get(self, name: str, hash: str = "") -> WorkflowShown | None:
        """Return a workflow with its source and its files.

        Args:
            name: of the workflow.
            hash: of a version; the current one by default.

        Returns:
            The workflow; None where there is none of this name, or no such version.

        Example:
            shown = await session.get("greet")
        """
        reply = await self._library.get(name, hash)
        return reply if isinstance(reply, WorkflowShown) else None

    async def history(self, name: str) -> tuple[HistoryEntry, ...]:
        """Return what has happened to a workflow.

        Args:
            name: of the workflow, also of one that was deleted.

        Returns:
            An entry for each version and each deletion; none where there never was one.

        Example:
            entries = await session.history("greet")
        """
        return await self._library.history(name)

    async def remove(self, name: str) -> bool:
        """Delete a workflow; its history stays.

        Args:
            name: of the workflow.

        Returns:
            Whether there was one.

        Example:
            await session.remove("greet")
        """
        return await self._library.delete(name, author=self._author)

    async def invoke(self, name: str, /, **arguments: JsonValue) -> JsonValue:
        """Call the ``run`` of a workflow.

        Args:
            name: of the workflow; ``name@hash`` is an old version.
            **arguments: of its ``run``.

        Returns:
            What it returned.

        Raises:
            WorkflowFailedError: it failed, or took more than its limits; with its traceback.

        Example:
            greeting = await session.invoke("greet", name="Ada")
        """
        name, _, hash = name.partition("@")
        invoked = await self._invoker.invoke(name, arguments, hash=hash, caller=self._author)
        if invoked.outcome.error is not None:
            raise WorkflowFailedError(invoked.outcome.error)
        return invoked.outcome.value

    # --- code

    async def run(self, code: str, timeout_s: float = 30.0) -> Outcome:
        """Run code that may use ``tools``, ``workflows`` and ``artifacts``; names that it defines stay until `reset`.

        Args:
            code: Python.
            timeout_s: the longest that it may take, in seconds.

        Returns:
            The value of its last expression, if that is one, what it printed, and its error. What the code does wrong
            is never raised.

        Example:
            outcome = await session.run("workflows.invoke('greet', name='Ada')", timeout_s=10)
        """
        if self._interpreter is None:
            self._interpreter = await self._executor.open_interpreter()
        invoked = await self._invoker.run_code(self._interpreter, code, timeout_s=timeout_s, caller=self._author)
        return invoked.outcome

    async def reset(self) -> None:
        """Forget the names that code of `run` has defined.

        Example:
            await session.reset()
        """
        if self._interpreter is not None:
            await self._interpreter.reset()

    # --- tools

    async def list_tools(self) -> list[dict[str, Any]]:
        """Return what there is of tools, as ``tools.list()`` gives it to workflow code.

        Returns:
            A dict for each: ``name``, ``kind``, ``description``, and the ``recipes`` with what each does.

        Example:
            names = [one["name"] for one in await session.list_tools()]
        """
        return cast("list[dict[str, Any]]", await self._tools.call("list", {}, ToolContext()))

    async def search_tools(self, query: str, limit: int = 10) -> list[dict[str, Any]]:
        """Find tools by what they do, as ``tools.search(query)`` does for workflow code.

        Args:
            query: in plain words.
            limit: the most that are returned.

        Returns:
            Those that fit, best first, as of `list_tools`, with a ``score``; none where nothing fits.

        Example:
            found = await session.search_tools("fetch a page")
        """
        found = await self._tools.call("search", {"query": query, "limit": limit}, ToolContext())
        return cast("list[dict[str, Any]]", found)

    # --- artifacts

    async def save_artifact(
        self, name: str, data: JsonValue | bytes, *, description: str = "", media_type: str = ""
    ) -> ArtifactEntry:
        """Save an artifact; a name is never overwritten.

        Args:
            name: a file name.
            data: bytes, a text, or a value that is saved as JSON.
            description: what it is, for people.
            media_type: by default that of the data.

        Returns:
            What is listed of it.

        Raises:
            PermanentError: ``name_taken``, ``unsafe_name`` or ``too_large``.

        Example:
            await session.save_artifact("totals.json", {"paid": 3})
        """
        content, kind = to_bytes(data, media_type)
        return await self._artifacts.save(
            name, content, media_type=kind, description=description, saved_by=self._author
        )

    async def load_artifact(self, name: str) -> JsonValue | bytes:
        """Return what was saved.

        Args:
            name: of the artifact.

        Returns:
            Bytes, a text, or a value of JSON, as it was saved.

        Raises:
            LookupError: there is no such artifact.

        Example:
            totals = await session.load_artifact("totals.json")
        """
        found = await self._artifacts.load(name)
        if found is None:
            raise LookupError(f"there is no artifact {name!r}")
        return from_bytes(found[1], found[0].media_type)

    async def list_artifacts(self) -> Sequence[ArtifactEntry]:
        """Return what is listed of all artifacts.

        Returns:
            An entry for each.

        Example:
            entries = await session.list_artifacts()
        """
        return await self._artifacts.list()

    async def delete_artifact(self, name: str) -> bool:
        """Delete an artifact.

        Args:
            name: of the artifact.

        Returns:
            Whether there was one.

        Example:
            await session.delete_artifact("totals.json")
        """
        return await self._artifacts.delete(name)

    # --- what this session can do

    def supports(self, feature: Feature) -> bool:
        """Return whether this session has a protection of workflow code, or can do something.

        Args:
            feature: ``processes``, ``network_isolation``, ``file_isolation`` and ``system_call_filter``: what code is
                kept from; ``dependencies`` and ``install_dependencies``: whether it may import packages, and whether
                they can be installed here.

        Returns:
            Whether it does.

        Example:
            if not session.supports("network_isolation"): ...
        """
        protections = self._executor.protections
        return {
            "processes": protections.processes,
            "network_isolation": protections.network,
            "file_isolation": protections.files,
            "system_call_filter": protections.system_calls,
            "dependencies": True,
            "install_dependencies": Dependencies.can_install(),
        }[feature]
