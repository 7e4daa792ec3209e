"""A workflow library with scripted workflows: each is a function of the request, and may move the scripted pool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shared.bus.actor import Actor
from shared.contracts.workflows.invocations import InvokeWorkflow, WorkflowFailure, WorkflowRan
from shared.contracts.workflows.library import (
    CreateReply,
    CreateWorkflow,
    GetReply,
    GetWorkflow,
    SearchWorkflows,
    WorkflowCreated,
    WorkflowHit,
    WorkflowRefused,
    WorkflowsFound,
    WorkflowShown,
    WorkflowUnknown,
    WorkflowVersion,
)
from shared.contracts.workflows.sources import Parameter
from shared.subjects import CREATE_WORKFLOW, GET_WORKFLOW, INVOKE_WORKFLOW, SEARCH_WORKFLOWS
from shared.workflow_source.lint import lint
from tests.unit.planner.planner_pages import NOW

HASH = "ab" * 32


def version(name: str, *parameters: Parameter, description: str = "Read a ticket.") -> WorkflowVersion:
    return WorkflowVersion(name=name, hash=HASH, description=description, parameters=parameters, created_at=NOW)


TICKET_URL = Parameter(name="url", type="str", required=True)


@dataclass
class ScriptedLibrary:
    """``run``: what a workflow does. ``refuses``: whether nothing answers."""

    versions: dict[str, WorkflowVersion]
    run: Callable[[InvokeWorkflow], Any] = lambda request: None
    asked: list[InvokeWorkflow] = field(default_factory=list)
    searches: list[str] = field(default_factory=list)
    created: list[CreateWorkflow] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    """Of every version; with those of a flow it is one."""
    source: str = ""
    """Of every version."""
    set_aside: str = ""
    """Of every version."""
    parameters: tuple[Parameter, ...] = ()
    """Of every version that is created."""


library: Actor[ScriptedLibrary] = Actor("workflows")


@library.answers(GET_WORKFLOW)
async def get_workflow(request: GetWorkflow, deps: ScriptedLibrary) -> GetReply:
    found = deps.versions.get(request.name)
    if found is None or not found.hash.startswith(request.hash):
        return WorkflowUnknown(name=request.name, message=f"there is no workflow {request.name!r}")
    return WorkflowShown(
        workflow=found, source=deps.source, is_current=True, files=deps.files, set_aside=deps.set_aside
    )


@library.answers(SEARCH_WORKFLOWS)
async def search_workflows(request: SearchWorkflows, deps: ScriptedLibrary) -> WorkflowsFound:
    deps.searches.append(request.query)
    return WorkflowsFound(hits=tuple(WorkflowHit(workflow=one, score=0.5) for one in deps.versions.values()))


@library.answers(INVOKE_WORKFLOW)
async def invoke_workflow(request: InvokeWorkflow, deps: ScriptedLibrary) -> WorkflowRan:
    deps.asked.append(request)
    try:
        value = deps.run(request)
    except RuntimeError as exc:
        error = WorkflowFailure(code="raised", type="RuntimeError", message=str(exc), chain=(request.name,))
        return WorkflowRan(name=request.name, hash=HASH, error=error)
    return value if isinstance(value, WorkflowRan) else WorkflowRan(name=request.name, hash=HASH, value=value)


@library.answers(CREATE_WORKFLOW)
async def create_workflow(request: CreateWorkflow, deps: ScriptedLibrary) -> CreateReply:
    deps.created.append(request)
    findings = lint(request.source, request.name)
    if any(one.severity == "error" for one in findings):
        return WorkflowRefused(findings=findings)
    created = deps.versions[request.name] = version(request.name, *deps.parameters)
    return WorkflowCreated(workflow=created, findings=findings)
