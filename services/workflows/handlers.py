"""The actor: answers questions to the library, and runs workflows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

from msgspec.structs import replace

from services.workflows.build_handlers import build_actor
from services.workflows.deps import MAX_WAIT_S, WorkflowDeps
from services.workflows.invocations.flow_turns import FlowTurnResult
from services.workflows.invocations.invocation import FlowDraft, Invoked
from services.workflows.invocations.sample_artifacts import SampleArtifacts
from services.workflows.ports import ToolContext
from services.workflows.sample_blobs import fetch_sample, lend_samples
from shared.bus.actor import Actor
from shared.contracts.planner import SampleFinished
from shared.contracts.results import Artifact
from shared.contracts.workflows.flows import BeginFlow, EndFlow, FlowEnded, FlowReply, ResumeFlow
from shared.contracts.workflows.heals import FlowFinished, FlowNoted
from shared.contracts.workflows.invocations import InvokeWorkflow, RunCode, WorkflowRan
from shared.contracts.workflows.library import (
    CreateReply,
    CreateWorkflow,
    DeleteWorkflow,
    GetReply,
    GetWorkflow,
    HistoryLoaded,
    ListWorkflows,
    LoadHistory,
    LoadSamples,
    SamplesReply,
    SearchWorkflows,
    WorkflowDeleted,
    WorkflowsFound,
    WorkflowShown,
    WorkflowsListed,
    WorkflowUnknown,
)
from shared.errors import Unavailable
from shared.subjects import (
    BEGIN_FLOW,
    CREATE_WORKFLOW,
    DELETE_WORKFLOW,
    END_FLOW,
    GET_WORKFLOW,
    INVOKE_WORKFLOW,
    LIST_WORKFLOWS,
    LOAD_HISTORY,
    LOAD_SAMPLES,
    NOTE_FLOW,
    RESUME_FLOW,
    RUN_CODE,
    SAMPLE_FINISHED,
    SEARCH_WORKFLOWS,
)

PAGE = 200
"""Workflows in one message."""
MAX_HITS = 50
MAX_TIMEOUT_S = 600.0
SAMPLES_DEADLINE_S = 120.0
"""Of what copies recorded samples."""
COMPILE_DEADLINE_S = 120.0
DEADLINE_S = MAX_TIMEOUT_S + MAX_WAIT_S
"""Of an invocation, with the wait for a free slot."""

actor: Actor[WorkflowDeps] = Actor("workflows")
actor.include(build_actor)


@actor.answers(CREATE_WORKFLOW, deadline_s=SAMPLES_DEADLINE_S)
async def create_workflow(request: CreateWorkflow, deps: WorkflowDeps) -> CreateReply:
    return await deps.library.create(
        request.name,
        request.source,
        description=request.description,
        author=request.author,
        source_run=request.source_run,
        files=request.files,
        replace=request.replace,
        samples=request.samples,
        accepted_losses=request.accepted_losses,
        fetch=partial(fetch_sample, deps.blobs),
    )


@actor.answers(LIST_WORKFLOWS, paced=1)
async def list_workflows(request: ListWorkflows, deps: WorkflowDeps) -> WorkflowsListed:
    versions, problems = await deps.library.list()
    page = versions[max(request.skip, 0) :][:PAGE]
    records = deps.flow_records
    reasons = {} if records is None else {one.name: await records.why_set_aside(one) for one in page}
    set_aside = {name: why for name, why in reasons.items() if why}
    return WorkflowsListed(workflows=page, total=len(versions), problems=problems, set_aside=set_aside)


@actor.answers(GET_WORKFLOW, paced=1)
async def get_workflow(request: GetWorkflow, deps: WorkflowDeps) -> GetReply:
    shown = await deps.library.get(request.name, request.hash)
    if deps.flow_records is None or not isinstance(shown, WorkflowShown):
        return shown
    return replace(shown, set_aside=await deps.flow_records.why_set_aside(shown.workflow))


@actor.answers(SEARCH_WORKFLOWS, deadline_s=60.0, paced=5)
async def search_workflows(request: SearchWorkflows, deps: WorkflowDeps) -> WorkflowsFound:
    limit = min(request.limit, MAX_HITS)
    return WorkflowsFound(hits=await deps.library.search(request.query, limit, request.threshold))


@actor.answers(DELETE_WORKFLOW)
async def delete_workflow(request: DeleteWorkflow, deps: WorkflowDeps) -> WorkflowDeleted:
    return WorkflowDeleted(existed=await deps.library.delete(request.name, author=request.author))


@actor.answers(LOAD_SAMPLES, deadline_s=SAMPLES_DEADLINE_S)
async def load_samples(request: LoadSamples, deps: WorkflowDeps) -> SamplesReply:
    reply = await deps.library.samples(request.name, request.hash)
    if isinstance(reply, WorkflowUnknown) or request.told_only:
        return reply
    return await lend_samples(deps.blobs, deps.library, reply)


@actor.answers(LOAD_HISTORY, paced=1)
async def load_history(request: LoadHistory, deps: WorkflowDeps) -> HistoryLoaded:
    return HistoryLoaded(entries=await deps.library.history(request.name))


@actor.answers(INVOKE_WORKFLOW, deadline_s=DEADLINE_S)
async def invoke_workflow(request: InvokeWorkflow, deps: WorkflowDeps) -> WorkflowRan:
    """Run a workflow. Within a run what it saves is returned as blobs, for they belong to the sample's evidence."""
    artifacts = SampleArtifacts(deps.blobs) if request.run_id else None
    captured: list[Artifact] | None = [] if request.run_id and request.browser is not None else None
    async with _slot(deps):
        invoked = await deps.invoker.invoke(
            request.name,
            request.arguments,
            hash=request.hash,
            timeout_s=min(request.timeout_s, MAX_TIMEOUT_S),
            context=_context(request, captured),
            artifacts=artifacts,
        )
    return _ran(invoked, artifacts, tuple(captured or ()))


@actor.answers(RUN_CODE, deadline_s=DEADLINE_S)
async def run_code(request: RunCode, deps: WorkflowDeps) -> WorkflowRan:
    """Run a piece of code in an interpreter of its own."""
    async with _slot(deps):
        interpreter = await deps.executor.open_interpreter()
        try:
            invoked = await deps.invoker.run_code(
                interpreter, request.code, timeout_s=min(request.timeout_s, MAX_TIMEOUT_S)
            )
        finally:
            await interpreter.close()
    return _ran(invoked, None)


@actor.answers(BEGIN_FLOW, deadline_s=DEADLINE_S)
async def begin_flow(request: BeginFlow, deps: WorkflowDeps) -> FlowReply:
    """Run a flow until its first call. It holds a slot until it ends."""
    artifacts = SampleArtifacts(deps.blobs) if request.run_id else None

    async def run(flow: FlowTurnResult) -> WorkflowRan:
        async with _slot(deps, deps.flow_slots, "EXHIBIT_WORKFLOW_FLOW_CAPACITY"):
            invoked = await deps.invoker.invoke(
                request.name,
                request.variables,
                hash=request.hash,
                timeout_s=min(request.timeout_s, MAX_TIMEOUT_S),
                context=ToolContext(run_id=request.run_id, sample_id=request.sample_id),
                artifacts=artifacts,
                flow=flow,
                by_turns=True,
                draft=FlowDraft(request.source, request.files) if request.source else None,
            )
        return _ran(invoked, artifacts)

    return await deps.flows.begin(run, request.patience_s)


@actor.answers(RESUME_FLOW, deadline_s=DEADLINE_S)
async def resume_flow(request: ResumeFlow, deps: WorkflowDeps) -> FlowReply:
    return await deps.flows.resume(request.flow_id, request.number, request.answer)


@actor.answers(END_FLOW)
async def end_flow(request: EndFlow, deps: WorkflowDeps) -> FlowEnded:
    return FlowEnded(existed=deps.flows.end(request.flow_id))


@actor.answers(NOTE_FLOW)
async def note_flow(request: FlowFinished, deps: WorkflowDeps) -> FlowNoted:
    """Take note of a sample in which a flow began, and heal the flow where the last ones that it did call for it."""
    if deps.flow_records is not None:
        await deps.flow_records.note(request)
    if deps.run_healer is not None and request.ending == "done":
        await deps.run_healer.note(request)
    return FlowNoted()


@actor.handles(SAMPLE_FINISHED, max_attempts=None, deadline_s=COMPILE_DEADLINE_S)
async def learn_from_sample(message: SampleFinished, deps: WorkflowDeps, attempt: int) -> None:
    """Compile the flow of a run, where this was the last sample that it needed."""
    if deps.run_compiler is not None:
        await deps.run_compiler.learn(message)


@asynccontextmanager
async def _slot(
    deps: WorkflowDeps, slots: asyncio.Semaphore | None = None, setting: str = "EXHIBIT_WORKFLOW_CAPACITY"
) -> AsyncGenerator[None]:
    """Hold a slot. Raises Unavailable when none gets free while the caller waits: who has given up may use the browser
    for something else, so nothing may begin in it then."""
    slots = deps.slots if slots is None else slots
    try:
        async with asyncio.timeout(deps.max_wait_s):
            await slots.acquire()
    except TimeoutError as exc:
        message = f"no workflow could begin within {deps.max_wait_s:g} s: {setting} of them are running"
        raise Unavailable(message) from exc
    try:
        yield
    finally:
        slots.release()


def _context(request: InvokeWorkflow, captured: list[Artifact] | None) -> ToolContext:
    browser = request.browser
    return ToolContext(
        run_id=request.run_id,
        sample_id=request.sample_id,
        browser_instance_id=browser.instance_id if browser is not None else "",
        browser_session_id=browser.session_id if browser is not None else "",
        captured=captured,
    )


def _ran(invoked: Invoked, artifacts: SampleArtifacts | None, captured: tuple[Artifact, ...] = ()) -> WorkflowRan:
    outcome = invoked.outcome
    return WorkflowRan(
        name=invoked.name,
        hash=invoked.hash,
        value=outcome.value,
        stdout=outcome.stdout,
        error=outcome.error,
        duration_ms=outcome.duration_ms,
        used=invoked.used,
        captured=captured,
        saved=tuple(artifacts.saved) if artifacts is not None else (),
    )
