"""Calls of the workflow library over the bus, for clients and other services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shared.bus.ports import Asks
from shared.contracts.workflows.flows import BeginFlow, EndFlow, FlowAnswer, FlowReply, FlowWaits, ResumeFlow
from shared.contracts.workflows.invocations import BrowserAccess, InvokeWorkflow, JsonValue, WorkflowRan
from shared.contracts.workflows.library import (
    CreateReply,
    CreateWorkflow,
    DeleteWorkflow,
    FileProblem,
    GetReply,
    GetWorkflow,
    HistoryEntry,
    ListWorkflows,
    LoadHistory,
    SearchWorkflows,
    WorkflowHit,
    WorkflowVersion,
)
from shared.contracts.workflows.samples import SampleSet
from shared.subjects import (
    BEGIN_FLOW,
    CREATE_WORKFLOW,
    DELETE_WORKFLOW,
    END_FLOW,
    GET_WORKFLOW,
    INVOKE_WORKFLOW,
    LIST_WORKFLOWS,
    LOAD_HISTORY,
    RESUME_FLOW,
    SEARCH_WORKFLOWS,
)

SEARCH_TIMEOUT_S = 60.0
"""The first search loads the model."""
CREATE_TIMEOUT_S, SAMPLES_TIMEOUT_S = 30.0, 125.0
"""To create a workflow without and with recorded samples, which are copied and checked."""
GRACE_S = 125.0
"""For an invocation, beyond its own time: it may have to wait until others have ended."""


async def create_workflow(
    asks: Asks,
    name: str,
    source: str,
    *,
    description: str = "",
    author: str = "",
    source_run: str | None = None,
    files: Mapping[str, str] | None = None,
    replace: str = "",
    samples: SampleSet | None = None,
    accepted_losses: Sequence[str] = (),
) -> CreateReply:
    """Create a workflow. ``replace``: the hash of the current version, whose place it takes.

    ``accepted_losses``: fields that were read before, and that the author accepts to be lost.

    ``samples``: recorded ones that are kept with it: see `shared.client.workflow_samples.lent_samples`."""
    request = CreateWorkflow(
        name=name,
        source=source,
        description=description,
        author=author,
        source_run=source_run,
        files=dict(files or {}),
        replace=replace,
        samples=samples,
        accepted_losses=tuple(accepted_losses),
    )
    timeout_s = CREATE_TIMEOUT_S if samples is None else SAMPLES_TIMEOUT_S
    return await asks.ask(CREATE_WORKFLOW, request, timeout_s=timeout_s)


async def list_workflows(asks: Asks) -> tuple[tuple[WorkflowVersion, ...], tuple[FileProblem, ...]]:
    """Return all workflows by name, and the files of the library that are not loaded."""
    found: list[WorkflowVersion] = []
    while True:
        listed = await asks.ask(LIST_WORKFLOWS, ListWorkflows(skip=len(found)))
        found += listed.workflows
        if not listed.workflows or len(found) >= listed.total:
            return tuple(found), listed.problems


async def get_workflow(asks: Asks, name: str) -> GetReply:
    """Return a workflow; ``name@hash`` is an old version."""
    name, _, hash = name.partition("@")
    return await asks.ask(GET_WORKFLOW, GetWorkflow(name=name, hash=hash))


async def search_workflows(asks: Asks, query: str, limit: int = 10) -> tuple[WorkflowHit, ...]:
    found = await asks.ask(SEARCH_WORKFLOWS, SearchWorkflows(query=query, limit=limit), timeout_s=SEARCH_TIMEOUT_S)
    return found.hits


async def delete_workflow(asks: Asks, name: str, *, author: str = "") -> bool:
    """Delete a workflow; its history stays. Return whether there was one."""
    return (await asks.ask(DELETE_WORKFLOW, DeleteWorkflow(name=name, author=author))).existed


async def load_history(asks: Asks, name: str) -> tuple[HistoryEntry, ...]:
    return (await asks.ask(LOAD_HISTORY, LoadHistory(name=name))).entries


async def invoke_workflow(
    asks: Asks,
    name: str,
    arguments: Mapping[str, JsonValue],
    *,
    timeout_s: float = 60.0,
    browser: BrowserAccess | None = None,
    run_id: str = "",
    sample_id: str = "",
) -> WorkflowRan:
    """Invoke a workflow; ``name@hash`` is an old version. What it does wrong is in the reply, never raised."""
    name, _, hash = name.partition("@")
    request = InvokeWorkflow(
        name=name,
        arguments=dict(arguments),
        hash=hash,
        timeout_s=timeout_s,
        browser=browser,
        run_id=run_id,
        sample_id=sample_id,
    )
    return await asks.ask(INVOKE_WORKFLOW, request, timeout_s=timeout_s + GRACE_S)


async def begin_flow(
    asks: Asks,
    name: str,
    variables: Mapping[str, JsonValue],
    *,
    timeout_s: float = 60.0,
    patience_s: float = 300.0,
    run_id: str = "",
    sample_id: str = "",
) -> FlowReply:
    """Run a flow until its first call; ``name@hash`` is an old version. What it does wrong is in the reply.

    Perform the call and `resume_flow` with the answer, until the reply is what it came to; or `end_flow`.
    """
    name, _, hash = name.partition("@")
    request = BeginFlow(
        name=name,
        variables=dict(variables),
        hash=hash,
        timeout_s=timeout_s,
        patience_s=patience_s,
        run_id=run_id,
        sample_id=sample_id,
    )
    return await asks.ask(BEGIN_FLOW, request, timeout_s=timeout_s + GRACE_S)


async def resume_flow(asks: Asks, waits: FlowWaits, answer: FlowAnswer, *, timeout_s: float = 60.0) -> FlowReply:
    """Run a flow on with the answer to its call. ``timeout_s``: that of its beginning.

    Raises PermanentError (``unknown_flow``, ``other_call``) when it does not wait for this answer.
    """
    request = ResumeFlow(flow_id=waits.flow_id, instance_id=waits.instance_id, number=waits.number, answer=answer)
    return await asks.ask(RESUME_FLOW, request, timeout_s=timeout_s + GRACE_S)


async def end_flow(asks: Asks, waits: FlowWaits) -> bool:
    """End a flow that waits for an answer. Return whether there was one."""
    return (await asks.ask(END_FLOW, EndFlow(flow_id=waits.flow_id, instance_id=waits.instance_id))).existed
