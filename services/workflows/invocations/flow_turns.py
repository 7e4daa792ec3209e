"""Flows that are run by turns: one that has made a call waits until somebody has performed it.

Each has a process, which ends with it: when the flow returns, when it is ended, when nobody answers it for too long,
and when whoever waits for its next call is cancelled.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from uuid import uuid4

from services.workflows.ports import FlowCallSite
from shared.aio import BackgroundTasks
from shared.contracts.workflows.flows import FlowAnswer, FlowReply, FlowWaits
from shared.contracts.workflows.invocations import WorkflowRan
from shared.errors import PermanentError

log = logging.getLogger(__name__)

MAX_PATIENCE_S = 3600.0
RunFlow = Callable[["FlowTurnResult"], Awaitable[WorkflowRan]]
"""Runs a flow whose calls go to `FlowTurnResult.perform`."""


class FlowTurnResult:
    """One flow. See :class:`services.workflows.ports.FlowCalls`."""

    def __init__(self, flow_id: str, instance_id: str, patience_s: float) -> None:
        self.flow_id, self._instance_id, self._patience_s = flow_id, instance_id, patience_s
        self._number = 0
        self._turn: asyncio.Future[FlowReply] | None = None
        self._answer: asyncio.Future[FlowAnswer] | None = None
        self._calling = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_waiting(self) -> bool:
        return self._answer is not None

    async def perform(self, moment: FlowCallSite) -> FlowAnswer:
        async with self._calling:
            self._number += 1
            answer = self._answer = asyncio.get_running_loop().create_future()
            self._end_turn(
                FlowWaits(
                    flow_id=self.flow_id,
                    instance_id=self._instance_id,
                    name=moment.name,
                    hash=moment.hash,
                    number=self._number,
                    call=moment.call,
                    line=moment.line,
                    section=moment.section,
                )
            )
            try:
                async with asyncio.timeout(self._patience_s):
                    return await answer
            except TimeoutError:
                log.info("flow %s: nobody answered call %s for %g s", self.flow_id, self._number, self._patience_s)
                self.end()
                return await asyncio.get_running_loop().create_future()  # until it has ended: it is told nothing more
            finally:
                self._answer = None

    async def begin(self, run: RunFlow, tasks: BackgroundTasks) -> FlowReply:
        """Run the flow until its first call."""
        turn = self._open_turn()
        self._task = tasks.start(self._run(run))
        return await self._wait(turn)

    async def resume(self, number: int, answer: FlowAnswer) -> FlowReply:
        """Run the flow on until its next call. Raises PermanentError (``other_call``) unless it waits for this one."""
        if self._answer is None or self._answer.done() or number != self._number:
            text = f"the flow {self.flow_id} waits for no answer to call {number}; its last one is {self._number}"
            raise PermanentError(text, code="other_call")
        turn = self._open_turn()
        self._answer.set_result(answer)
        return await self._wait(turn)

    def end(self) -> None:
        """End the flow and its process. Idempotent."""
        if self._task is not None:
            self._task.cancel()

    def _open_turn(self) -> asyncio.Future[FlowReply]:
        self._turn = asyncio.get_running_loop().create_future()
        return self._turn

    def _end_turn(self, reply: FlowReply) -> None:
        if self._turn is not None and not self._turn.done():
            self._turn.set_result(reply)

    async def _wait(self, turn: asyncio.Future[FlowReply]) -> FlowReply:
        try:
            return await turn
        except asyncio.CancelledError:
            self.end()
            raise

    async def _run(self, run: RunFlow) -> None:
        try:
            self._end_turn(await run(self))
        except Exception as exc:  # noqa: BLE001  whoever waits for the turn is told, as for every handler
            if self._turn is not None and not self._turn.done():
                self._turn.set_exception(exc)
        finally:
            if self._turn is not None and not self._turn.done():
                self._turn.set_exception(PermanentError(f"the flow {self.flow_id} was ended", code="unknown_flow"))


class FlowTurns:
    """All flows that this process runs by turns. ``instance_id``: of this process on the bus."""

    def __init__(self, instance_id: str) -> None:
        self._instance_id = instance_id
        self._flows: dict[str, FlowTurnResult] = {}
        self._tasks = BackgroundTasks()

    @property
    def count(self) -> int:
        return len(self._flows)

    async def begin(self, run: RunFlow, patience_s: float) -> FlowReply:
        flow = FlowTurnResult(uuid4().hex, self._instance_id, min(max(patience_s, 0.001), MAX_PATIENCE_S))

        async def run_and_forget(one: FlowTurnResult) -> WorkflowRan:
            try:
                return await run(one)
            finally:
                self._flows.pop(flow.flow_id, None)

        self._flows[flow.flow_id] = flow
        return await flow.begin(run_and_forget, self._tasks)

    async def resume(self, flow_id: str, number: int, answer: FlowAnswer) -> FlowReply:
        """Raises PermanentError (``unknown_flow``, ``other_call``)."""
        flow = self._flows.get(flow_id)
        if flow is None:
            text = f"no flow {flow_id} waits here: it has returned, was ended, or waited too long"
            raise PermanentError(text, code="unknown_flow")
        return await flow.resume(number, answer)

    def end(self, flow_id: str) -> bool:
        """End a flow; return whether there was one."""
        flow = self._flows.pop(flow_id, None)
        if flow is not None:
            flow.end()
        return flow is not None

    async def close(self) -> None:
        """End all of them."""
        await self._tasks.cancel()
