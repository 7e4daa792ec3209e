"""The protocols of the workflow library: executors and what code may call, tools, artifacts, embedders, storage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from shared.contracts.results import Artifact
from shared.contracts.workflows.artifacts import ArtifactEntry
from shared.contracts.workflows.flows import FlowAnswer, FlowCall
from shared.contracts.workflows.invocations import JsonValue, WorkflowFailure
from shared.contracts.workflows.library import FileProblem, HistoryEntry, WorkflowHistory

# --- execution


@dataclass(frozen=True)
class Limits:
    """What one invocation may use. Beyond any of them it ends with an error that names the limit."""

    time_s: float = 60.0
    memory_bytes: int = 512 * 1024**2
    file_bytes: int = 16 * 1024**2
    """Size of one file in its folder."""
    output_chars: int = 100_000
    """Of standard output; what comes after that is dropped, and a last line says so."""
    value_bytes: int = 700_000
    """Of a value, as JSON, in either direction; it must fit a message of the bus."""


@dataclass(frozen=True)
class HostCall:
    """A call of workflow code to the outside: ``("tools", "curl.get", {...})``, ``("workflows", "invoke", {...})``."""

    namespace: str
    """``tools``, ``workflows``, ``artifacts``, ``deps`` or ``flow``; anything else is refused."""
    method: str
    arguments: Mapping[str, JsonValue]


FLOW_STOPPED = "FlowStopped"


class HostCallError(Exception):
    """A call failed. Workflow code sees the built-in exception that ``type`` names, else a RuntimeError.

    ``failure``: of the workflow that was invoked; None for other calls. ``flow_code``: of a call of a flow that failed,
    which raises `FlowStopped`; also of one in the workflow that was invoked.
    """

    def __init__(self, type: str, message: str, failure: WorkflowFailure | None = None, flow_code: str = "") -> None:
        super().__init__(message)
        self.type, self.failure = type, failure
        self.flow_code = failure.flow_code if failure is not None and type == FLOW_STOPPED else flow_code


@dataclass(frozen=True)
class FlowCallSite:
    """A call of a flow, and where it stands: ``name`` and ``hash`` of the workflow, ``line`` of its source, from 1; 0:
    not known."""

    name: str
    hash: str
    call: FlowCall
    line: int = 0
    section: str = ""


class Clock(Protocol):
    """The time that an invocation has left, with all that it invokes. It stands still while others work for it."""

    @property
    def left_s(self) -> float: ...

    def limit(self, time_s: float) -> AbstractAsyncContextManager[object]:
        """Raise TimeoutError when the block takes longer, by this clock."""
        ...

    def stopped(self) -> AbstractContextManager[object]:
        """The time in the block counts for nobody."""
        ...


class FlowCalls(Protocol):
    """Whoever performs the calls of a flow."""

    async def perform(self, moment: FlowCallSite) -> FlowAnswer: ...


class Host(Protocol):
    """Answers the calls of one invocation."""

    async def call(self, call: HostCall) -> JsonValue:
        """Return the value. Raises HostCallError; any other exception is a bug of the host."""
        ...


BoundedTime = Callable[[float], AbstractAsyncContextManager[object]]
"""Raises TimeoutError when its block takes longer than these seconds."""


@dataclass(frozen=True)
class Job:
    """One invocation: ``run(**arguments)`` of a source. ``name`` is what tracebacks and TypeErrors call it."""

    name: str
    source: str
    arguments: Mapping[str, JsonValue]
    limits: Limits = Limits()
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """Text files in the folder in which it runs, by their relative paths."""
    by_turns: bool = False
    """It is a flow whose calls somebody else performs, and has a place among those."""
    bounded: BoundedTime | None = None
    """How its time is measured; None: by the clock on the wall."""


@dataclass(frozen=True)
class Outcome:
    """``error`` None: it succeeded. ``stdout``: what was printed, also before a failure."""

    value: JsonValue = None
    stdout: str = ""
    error: WorkflowFailure | None = None
    duration_ms: float = 0.0

    @property
    def is_ok(self) -> bool:
        return self.error is None


class Interpreter(Protocol):
    """Runs pieces of code in one namespace, one after the other; names that one piece defines exist in the next."""

    async def run(self, code: str, host: Host, limits: Limits) -> Outcome:
        """Return the value of the last expression (None without one). After a limit was hit the names are gone."""
        ...

    async def reset(self) -> None:
        """Forget all names."""
        ...

    async def close(self) -> None: ...


class Executor(Protocol):
    """Runs workflow code. ``protections``: see :class:`Protections`."""

    @property
    def protections(self) -> Protections: ...

    async def start(self) -> None:
        """Prepare: afterwards an invocation finds a process that waits for it. Idempotent."""
        ...

    async def execute(self, job: Job, host: Host) -> Outcome:
        """Return what ``run(**arguments)`` came to. Never raises for what the code does."""
        ...

    async def open_interpreter(self) -> Interpreter: ...

    async def close(self) -> None:
        """End every process. Invocations in progress end with a failure."""
        ...


@dataclass(frozen=True)
class Protections:
    """What workflow code is kept from, on this machine. ``missing``: what is not, each with the reason, for people."""

    processes: bool = False
    """It runs in a process of its own."""
    network: bool = False
    files: bool = False
    """It reads the Python library and its own folder only."""
    system_calls: bool = False
    missing: tuple[str, ...] = ()


# --- tools


@dataclass(frozen=True)
class ToolContext:
    """Who calls: one invocation from outside, with all that it invokes.

    ``invocation_id`` is unique. ``run_id`` and ``sample_id`` are empty outside of a run; the browser's session is empty
    where none was given.
    """

    invocation_id: str = ""
    run_id: str = ""
    sample_id: str = ""
    browser_instance_id: str = ""
    browser_session_id: str = ""
    captured: list[Artifact] | None = None
    """Takes what was captured in a session that was given; None: it is dropped at the end."""
    artifacts: Artifacts | None = None
    """Where files go that a tool is told to save; None: nowhere."""


@dataclass(frozen=True)
class ToolFacts:
    """A tool as it is listed: ``recipes`` maps each name to its description; ``schema``: JSON Schema of the arguments
    of each recipe, and of a plain call under the empty name."""

    name: str
    kind: str
    description: str
    recipes: Mapping[str, str] = field(default_factory=dict[str, str])
    schemas: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict[str, Mapping[str, JsonValue]])


class Tool(Protocol):
    """Something outside that workflow code may use: a program, an HTTP server, an MCP server, the browser."""

    @property
    def facts(self) -> ToolFacts: ...

    async def call(self, recipe: str, arguments: Mapping[str, JsonValue], context: ToolContext) -> JsonValue:
        """Call a recipe; the empty name is the plain call. Raises HostCallError for whatever goes wrong."""
        ...

    async def release(self, context: ToolContext) -> None:
        """The invocation of this context has ended: let go of what was held for it. Idempotent."""
        ...

    async def close(self) -> None: ...


class ToolCalls(Protocol):
    """All tools together."""

    def list(self) -> Sequence[ToolFacts]: ...

    async def call(self, method: str, arguments: Mapping[str, JsonValue], context: ToolContext) -> JsonValue:
        """Call ``curl`` or ``curl.get``. Raises HostCallError, also for a tool or a recipe that there is not."""
        ...

    async def release(self, context: ToolContext) -> None:
        """The invocation of this context has ended. Idempotent."""
        ...

    async def close(self) -> None: ...


# --- artifacts


class Packages(Protocol):
    """The packages that workflow code may import, and what code may do about them."""

    @property
    def may_change(self) -> bool:
        """Whether workflow code may add and remove them."""
        ...

    def list(self) -> Sequence[str]:
        """Return the declared requirements."""
        ...

    def missing(self) -> Sequence[str]:
        """Return the declared requirements that are not installed."""
        ...

    def installed(self) -> Mapping[str, str]:
        """Return name and version of every installed package."""
        ...

    async def add(self, requirement: str) -> None: ...

    async def remove(self, requirement: str) -> bool: ...

    async def sync(self) -> None: ...


class Artifacts(Protocol):
    """Named bytes that workflows leave behind. A name is never overwritten."""

    async def save(self, name: str, data: bytes, *, media_type: str, description: str, saved_by: str) -> ArtifactEntry:
        """Raises PermanentError (``name_taken``) when there is one, (``unsafe_name``) for a name that is no file name,
        and (``too_large``)."""
        ...

    async def load(self, name: str) -> tuple[ArtifactEntry, bytes] | None: ...

    async def list(self) -> Sequence[ArtifactEntry]:
        """Return all, by name."""
        ...

    async def delete(self, name: str) -> bool:
        """Return whether there was one."""
        ...


# --- search


class Embedder(Protocol):
    """Turns texts into vectors of unit length; near vectors mean near meanings.

    ``model``: the model and its version; vectors of another model are useless. ``threshold``: the score below which
    two texts have nothing in common.
    """

    @property
    def model(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def threshold(self) -> float: ...

    def embed_queries(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...

    def embed_documents(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...


@dataclass(frozen=True)
class Indexed:
    """A workflow as it is indexed: ``code`` is its source."""

    name: str
    hash: str
    description: str
    code: str


class SearchIndex(Protocol):
    """Finds workflows by meaning. Its methods use CPU time: call them in a thread."""

    def update(self, current: Sequence[Indexed]) -> None:
        """Make the index hold exactly these. Vectors that are stored for the same content are used again."""
        ...

    def add(self, one: Indexed) -> None:
        """Add one, or replace the one of its name."""
        ...

    def remove(self, name: str) -> None: ...

    def search(self, query: str, limit: int, threshold: float | None = None) -> Sequence[tuple[str, float]]:
        """Return names and scores (0.7 description, 0.3 code), best first, of those at or above the threshold."""
        ...

    def close(self) -> None: ...


# --- storage


@dataclass(frozen=True)
class Shelf:
    """What a storage holds: the history of each name, and the files that are not loaded."""

    histories: Mapping[str, WorkflowHistory]
    problems: tuple[FileProblem, ...] = ()


class WorkflowStorage(Protocol):
    """Keeps sources and histories; safe for several processes at a time."""

    async def load(self) -> Shelf:
        """Return everything. What was changed by hand since the last time is recorded in the histories first."""
        ...

    async def revision(self) -> str:
        """Return a text that differs when any process has changed something since."""
        ...

    async def history(self, name: str) -> WorkflowHistory:
        """Return the history of a name; empty when there never was one.

        Raises PermanentError (``workflow_unreadable``) when its file was changed by hand and is no workflow now.
        """
        ...

    async def source(self, hash: str) -> str | None:
        """Return the source of the version with this hash, or None."""
        ...

    async def files(self, hash: str) -> dict[str, str]:
        """Return the files of the version with this hash, by their paths; empty where it has none.

        Raises PermanentError (``workflow_unreadable``) when they are not those of this hash any more.
        """
        ...

    async def keep(self, sha256: str, data: bytes) -> None:
        """Keep bytes under their hash: a recorded sample, or a set of them. Those that are there are kept once.

        Raises PermanentError (``cannot_write``) when the storage is read-only.
        """
        ...

    async def kept(self, sha256: str) -> bytes | None:
        """Return the bytes of this hash; None where there are none, or others."""
        ...

    async def append(
        self, name: str, entries: Sequence[HistoryEntry], source: str = "", files: Mapping[str, str] | None = None
    ) -> bool:
        """Add a version with its source and files, a tombstone, or a tombstone and the version that replaces it; all
        of the entries or none. Atomic over processes.

        Return False, and add nothing, where they do not fit: a version where there is a current one, or a tombstone
        where there is none, or another. Raises PermanentError (``cannot_write``) when the storage is read-only.
        """
        ...

    async def close(self) -> None: ...
