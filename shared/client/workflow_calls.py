"""Calls of the workflow library over the bus, for clients and other services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

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
    WorkflowsListed,
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

__all__ = [
    "begin_flow",
    "create_workflow",
    "delete_workflow",
    "end_flow",
    "get_workflow",
    "invoke_workflow",
    "list_workflows",
    "load_history",
    "resume_flow",
    "search_workflows",
]

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
    """Create a workflow, or a new version of one.

    Args:
        asks: the bus, such as ``client.bus``.
        name: by which it is invoked.
        source: Python with a function ``run``.
        description: what it does, for the search.
        author: who creates it.
        source_run: id of the run that it was made from.
        files: text files that it reads when it runs, by their paths.
        replace: the hash of the current version, whose place it takes; without it the name must be free.
        samples: recorded ones that are kept with it: see `shared.client.workflow_samples.lent_samples`.
        accepted_losses: fields that were read before, and that the author accepts to be lost.

    Returns:
        WorkflowCreated with the version; WorkflowRefused with everything that is wrong with it.

    Example:
        created = await create_workflow(client.bus, "greet", source, author="ann")
    """
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
    """Return all workflows by name, and the files of the library that are not loaded.

    Args:
        asks: the bus.

    Returns:
        The current versions; and each file that is no workflow, with the reason.

    Example:
        workflows, problems = await list_workflows(client.bus)
    """
    listed = await list_library(asks)
    return listed.workflows, listed.problems


async def list_library(asks: Asks) -> WorkflowsListed:
    """Return all workflows of the library as one page, with the flows that were set aside."""
    found: list[WorkflowVersion] = []
    set_aside: dict[str, str] = {}
    while True:
        listed = await asks.ask(LIST_WORKFLOWS, ListWorkflows(skip=len(found)))
        found += listed.workflows
        set_aside |= listed.set_aside
        if not listed.workflows or len(found) >= listed.total:
            return replace(listed, workflows=tuple(found), set_aside=set_aside)


async def get_workflow(asks: Asks, name: str) -> GetReply:
    """Return a workflow with its source and its files.

    Args:
        asks: the bus.
        name: of the workflow; ``name@hash`` is an old version.

    Returns:
        WorkflowShown; WorkflowUnknown where there is none.

    Example:
        shown = await get_workflow(client.bus, "greet")
    """
    name, _, hash = name.partition("@")
    return await asks.ask(GET_WORKFLOW, GetWorkflow(name=name, hash=hash))


async def search_workflows(asks: Asks, query: str, limit: int = 10) -> tuple[WorkflowHit, ...]:
    """Find workflows by what they do.

    Args:
        asks: the bus.
        query: in plain words.
        limit: the most that are returned.

    Returns:
        Those that fit, best first; none where nothing fits.

    Example:
        hits = await search_workflows(client.bus, "read a ticket")
    """
    found = await asks.ask(SEARCH_WORKFLOWS, SearchWorkflows(query=query, limit=limit), timeout_s=SEARCH_TIMEOUT_S)
    return found.hits


async def delete_workflow(asks: Asks, name: str, *, author: str = "") -> bool:
    """Delete a workflow; its history stays.

    Args:
        asks: the bus.
        name: of the workflow.
        author: who deletes it.

    Returns:
        Whether there was one.

    Example:
        await delete_workflow(client.bus, "greet", author="ann")
    """
    return (await asks.ask(DELETE_WORKFLOW, DeleteWorkflow(name=name, author=author))).existed


async def load_history(asks: Asks, name: str) -> tuple[HistoryEntry, ...]:
    """Return what has happened to a workflow.

    Args:
        asks: the bus.
        name: of the workflow, also of one that was deleted.

    Returns:
        An entry for each version and each deletion; none where there never was one.

    Example:
        entries = await load_history(client.bus, "greet")
    """
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
    """Call the ``run`` of a workflow.

    Args:
        asks: the bus.
        name: of the workflow; ``name@hash`` is an old version.
        arguments: of its ``run``.
        timeout_s: the longest that it may take, in seconds.
        browser: the browser session that it may use.
        run_id: of the run that it works for.
        sample_id: of the sample that it works for.

    Returns:
        Its value, what it printed, and its error. What it does wrong is never raised.

    Raises:
        Unavailable, DeadlineExceeded: no service of workflows answers.

    Example:
        ran = await invoke_workflow(client.bus, "greet", {"name": "Ada"})
    """
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
    """Run a flow until its first call. What it does wrong is in the reply.

    Perform the call and `resume_flow` with the answer, until the reply is what it came to; or `end_flow`.

    Args:
        asks: the bus.
        name: of the flow; ``name@hash`` is an old version.
        variables: of the flow.
        timeout_s: for all of it, without the time in which its calls are performed.
        patience_s: how long it waits for the answer to a call.
        run_id: of the run that it works for.
        sample_id: of the sample that it works for.

    Returns:
        FlowWaits with its call; WorkflowRan where it has ended.

    Raises:
        Unavailable, DeadlineExceeded: no service of workflows answers.

    Example:
        reply = await begin_flow(client.bus, "read_ticket", {"url": url})
        while isinstance(reply, FlowWaits):
            reply = await resume_flow(client.bus, reply, await perform(reply.call))
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
    """Run a flow on with the answer to its call.

    Args:
        asks: the bus.
        waits: the reply with the call.
        answer: its value, or its error.
        timeout_s: that of its beginning.

    Returns:
        FlowWaits with its next call; WorkflowRan where it has ended.

    Raises:
        PermanentError: ``unknown_flow`` or ``other_call``: it does not wait for this answer.

    Example:
        reply = await resume_flow(client.bus, reply, FlowAnswer(value=True))
    """
    request = ResumeFlow(flow_id=waits.flow_id, instance_id=waits.instance_id, number=waits.number, answer=answer)
    return await asks.ask(RESUME_FLOW, request, timeout_s=timeout_s + GRACE_S)


async def end_flow(asks: Asks, waits: FlowWaits) -> bool:
    """End a flow that waits for an answer.

    Args:
        asks: the bus.
        waits: the reply with its call.

    Returns:
        Whether there was one.

    Example:
        await end_flow(client.bus, reply)
    """
    return (await asks.ask(END_FLOW, EndFlow(flow_id=waits.flow_id, instance_id=waits.instance_id))).existed
