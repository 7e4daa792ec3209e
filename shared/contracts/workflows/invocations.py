"""Messages about running workflow code, and what it came to."""

from __future__ import annotations

from typing import Any, Literal

from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode
from shared.contracts.results import Artifact
from shared.contracts.workflows.artifacts import ArtifactEntry

JsonValue = Any
"""A value of JSON: None, bool, int of 64 bits, finite float, str, list, or dict with string keys."""

FailureCode = Literal[
    "raised",
    "timeout",
    "memory",
    "killed",
    "bad_value",
    "too_deep",
    "unknown_workflow",
    "refused",
    "not_started",
]
"""``raised``: the code raised an exception. ``killed``: its process ended. ``bad_value``: it returned what is no JSON,
or too much. ``too_deep``: workflows invoked each other too deeply. ``refused``: it asked for what it may not have."""


class WorkflowFailure(Part, frozen=True, kw_only=True):
    """Why an invocation has no value.

    ``type``: the class of the exception. ``traceback``: of the workflow's own lines. ``chain``: the names of the
    workflows that invoked each other, outermost first. ``flow_code``: of the call of a flow whose `FlowStopped` it is,
    or was the cause; see `shared.contracts.workflows.flows.FlowErrorCode`.
    """

    code: OpenCode[FailureCode]
    type: str
    message: str
    traceback: str = ""
    chain: tuple[str, ...] = ()
    flow_code: str = ""


class BrowserAccess(Part, frozen=True, kw_only=True):
    """A leased browser session that a workflow may use through ``tools.browser``."""

    instance_id: str
    session_id: str


class InvokeWorkflow(Message, frozen=True, kw_only=True):
    """Request to invoke a workflow. ``hash``: an old version. ``browser``: None: a session is leased when it is used.

    ``run_id`` and ``sample_id``: what its artifacts belong to; empty outside of a run.
    """

    name: str
    arguments: dict[str, JsonValue] = {}
    hash: str = ""
    timeout_s: float = 60.0
    browser: BrowserAccess | None = None
    run_id: str = ""
    sample_id: str = ""


class RunCode(Message, frozen=True, kw_only=True):
    """Request to run code that may use ``tools``, ``workflows`` and ``artifacts``; its value is its last expression."""

    code: str
    timeout_s: float = 60.0


class WorkflowUse(Part, frozen=True, kw_only=True):
    """A workflow that was invoked by another one, directly or not, and its version."""

    name: str
    hash: str


class SavedBlob(Part, frozen=True, kw_only=True):
    """An artifact whose bytes are in the ARTIFACTS bucket under ``blob``."""

    artifact: ArtifactEntry
    blob: str


class WorkflowRan(Message, frozen=True, kw_only=True):
    """What an invocation, or code, came to. ``error``: None when it succeeded."""

    name: str = ""
    hash: str = ""
    value: JsonValue = None
    stdout: str = ""
    error: WorkflowFailure | None = None
    duration_ms: float = 0.0
    used: tuple[WorkflowUse, ...] = ()
    """Each version once, in the order of the first use."""
    captured: tuple[Artifact, ...] = ()
    """Pictures and files of the browser session that it was given."""
    saved: tuple[SavedBlob, ...] = ()
    """Artifacts that it saved within a run, whose evidence they become."""
