"""Invokes workflows: finds the version, runs it, and has what it calls answered, other workflows too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from uuid import uuid4

from services.workflows.invocations.host import CallHost
from services.workflows.invocations.invocation import (
    MAX_DEPTH,
    FlowDraft,
    Invocation,
    Invoked,
    too_deep,
    unknown,
    with_printed,
)
from services.workflows.invocations.live_flows import LiveFlows
from services.workflows.invocations.run_clock import RunClock
from services.workflows.invocations.variable_files import bound_files
from services.workflows.library.library import Library
from services.workflows.ports import (
    Artifacts,
    Executor,
    FlowCalls,
    Interpreter,
    Job,
    Limits,
    Outcome,
    Packages,
    ToolCalls,
    ToolContext,
)
from shared.contracts.workflows.invocations import JsonValue, WorkflowFailure
from shared.contracts.workflows.library import WorkflowUnknown
from shared.errors import ExhibitError
from shared.workflow_source.files import hash_of_version

LEAST_TIME_S = 0.001


class Invoker:
    """Runs the workflows of one library with one executor.

    ``artifacts``: where what workflows save goes, unless an invocation brings a place of its own. ``limits``: of each
    invocation; its time may be set for one. ``live``: performs the calls of flows that nobody runs by turns; None:
    nobody does. ``packages``: those that code may import.
    """

    def __init__(
        self,
        library: Library,
        executor: Executor,
        tools: ToolCalls,
        artifacts: Artifacts,
        limits: Limits,
        max_depth: int = MAX_DEPTH,
        live: LiveFlows | None = None,
        packages: Packages | None = None,
    ) -> None:
        self._library, self._executor, self._tools, self._artifacts = library, executor, tools, artifacts
        self._limits, self._max_depth, self._live, self._packages = limits, max_depth, live, packages

    async def invoke(
        self,
        name: str,
        arguments: Mapping[str, JsonValue],
        *,
        hash: str = "",
        timeout_s: float | None = None,
        context: ToolContext | None = None,
        artifacts: Artifacts | None = None,
        caller: str = "",
        flow: FlowCalls | None = None,
        by_turns: bool = False,
        draft: FlowDraft | None = None,
    ) -> Invoked:
        """Return what ``run(**arguments)`` of a workflow came to. What it does wrong is in the outcome, never raised.

        Arguments of one with a schema of its variables may have the names that stand there; all of them are checked
        before anything runs.

        Args:
            hash: of an old version, or its first 8 characters.
            timeout_s: for the workflow and all that it invokes; that of the limits by default.
            caller: the author of workflows and artifacts that it makes.
            flow: performs the calls of a flow; that time is not counted. None: nobody does.
            by_turns: it takes one of the places of flows that wait.
            draft: what is run instead of the library's workflow of this name.

        Raises:
            ExhibitError: the storage of the library cannot be used.
        """
        invocation = replace(self._open(timeout_s, context, artifacts, caller or name), flow=flow)
        try:
            invoked = await self._invoke(invocation, name, arguments, hash, by_turns=by_turns, draft=draft)
        finally:
            await self._tools.release(invocation.context)
        outcome = with_printed(invoked.outcome, invocation.printed, self._limits.output_chars)
        return replace(invoked, outcome=outcome, used=tuple(invocation.used.values()))

    async def run_code(
        self,
        interpreter: Interpreter,
        code: str,
        *,
        timeout_s: float | None = None,
        context: ToolContext | None = None,
        caller: str = "",
    ) -> Invoked:
        """Return what a piece of code came to; its value is that of its last expression."""
        invocation = self._open(timeout_s, context, None, caller)
        try:
            outcome = await interpreter.run(code, self._host(invocation), self._limits_of(invocation))
        finally:
            await self._tools.release(invocation.context)
        outcome = with_printed(outcome, invocation.printed, self._limits.output_chars)
        return Invoked("", "", outcome, tuple(invocation.used.values()))

    def _open(
        self, timeout_s: float | None, context: ToolContext | None, artifacts: Artifacts | None, caller: str
    ) -> Invocation:
        clock = RunClock(timeout_s or self._limits.time_s)
        places = artifacts or self._artifacts
        context = replace(context or ToolContext(), invocation_id=uuid4().hex, artifacts=places)
        return Invocation(context, clock, places, caller)

    async def _invoke(
        self,
        invocation: Invocation,
        name: str,
        arguments: Mapping[str, JsonValue],
        hash: str,
        *,
        by_turns: bool = False,
        draft: FlowDraft | None = None,
    ) -> Invoked:
        inner = invocation.inner(name)
        if len(inner.chain) > self._max_depth:
            return Invoked(name, "", Outcome(error=too_deep(inner.chain, self._max_depth)))
        if draft is None:
            reply = await self._library.get(name, hash)
            if isinstance(reply, WorkflowUnknown):
                return Invoked(name, "", Outcome(error=unknown(reply.message, name)))
            hash, draft = reply.workflow.hash, FlowDraft(reply.source, reply.files)
        else:
            hash = hash_of_version(draft.source, draft.files)
        invocation.note_use(name, hash)
        given, files, problem = bound_files(name, draft.files, arguments)
        if problem is not None:
            return Invoked(name, hash, Outcome(error=problem))
        limits, bounded = self._limits_of(invocation), invocation.clock.limit
        job = Job(name, draft.source, given, limits, files, by_turns, bounded)
        live = None if self._live is None else self._live.calls(invocation.context, draft.files, given)
        outcome = await self._executor.execute(job, self._host(replace(inner, hash=hash), inner.flow or live))
        return Invoked(name, hash, outcome)

    async def _invoke_inner(
        self, invocation: Invocation, name: str, arguments: Mapping[str, JsonValue], hash: str
    ) -> Outcome:
        """Run a workflow for another one. What it prints is kept for the outermost one."""
        try:
            invoked = await self._invoke(invocation, name, arguments, hash)
        except ExhibitError as exc:
            error = WorkflowFailure(code="not_started", type="RuntimeError", message=str(exc), chain=(name,))
            return Outcome(error=error)
        invocation.note_output(name, invoked.outcome.stdout)
        return invoked.outcome

    def _limits_of(self, invocation: Invocation) -> Limits:
        """Return the limits with the time that is left."""
        return replace(self._limits, time_s=max(invocation.clock.left_s, LEAST_TIME_S))

    def _host(self, invocation: Invocation, flow: FlowCalls | None = None) -> CallHost:
        return CallHost(invocation, self._library, self._tools, self._invoke_inner, flow, self._packages)
