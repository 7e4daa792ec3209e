"""A workflow service that runs scripted flows: each is a generator that yields its calls and returns its value."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from shared.bus.actor import Actor
from shared.contracts.workflows.flows import (
    BeginFlow,
    EndFlow,
    FlowAnswer,
    FlowCall,
    FlowEnded,
    FlowError,
    FlowReply,
    FlowWaits,
    ResumeFlow,
)
from shared.contracts.workflows.invocations import WorkflowFailure, WorkflowRan
from shared.subjects import BEGIN_FLOW, END_FLOW, RESUME_FLOW
from tests.handlers.planner.scripted_library import HASH

Script = Generator[FlowCall, Any, Any]


class ScriptStopped(Exception):
    """A call had an error; like `exhibit.flow.FlowStopped`."""

    def __init__(self, error: FlowError) -> None:
        super().__init__(error.message)
        self.code = error.code


@dataclass
class ScriptedFlows:
    """``flow``: the script, called with the variables. Its n-th call stands in line n."""

    flow: Callable[..., Script]
    begun: list[BeginFlow] = field(default_factory=list)
    answers: list[FlowAnswer] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    waiting: dict[str, Script] = field(default_factory=dict)

    def next(self, flow_id: str, number: int, step: Callable[[Script], Any]) -> FlowReply:
        script = self.waiting[flow_id]
        name = self.begun[-1].name
        try:
            call = step(script)
        except StopIteration as stopped:
            del self.waiting[flow_id]
            return WorkflowRan(name=name, hash=HASH, value=stopped.value)
        except (ScriptStopped, RuntimeError) as exc:
            del self.waiting[flow_id]
            kind = "FlowStopped" if isinstance(exc, ScriptStopped) else type(exc).__name__
            return WorkflowRan(name=name, hash=HASH, error=WorkflowFailure(code="raised", type=kind, message=str(exc)))
        return FlowWaits(
            flow_id=flow_id, instance_id="flows1", name=name, hash=HASH, number=number, call=call, line=number,
            section="work",
        )  # fmt: skip


flows: Actor[ScriptedFlows] = Actor("workflows")


@flows.answers(BEGIN_FLOW)
async def begin_flow(request: BeginFlow, deps: ScriptedFlows) -> FlowReply:
    deps.begun.append(request)
    flow_id = f"flow{len(deps.begun)}"
    deps.waiting[flow_id] = deps.flow(**request.variables)
    return deps.next(flow_id, 1, next)


@flows.answers(RESUME_FLOW)
async def resume_flow(request: ResumeFlow, deps: ScriptedFlows) -> FlowReply:
    deps.answers.append(request.answer)
    error = request.answer.error

    def step(script: Script) -> Any:
        return script.throw(ScriptStopped(error)) if error is not None else script.send(request.answer.value)

    return deps.next(request.flow_id, request.number + 1, step)


@flows.answers(END_FLOW)
async def end_flow(request: EndFlow, deps: ScriptedFlows) -> FlowEnded:
    deps.ended.append(request.flow_id)
    return FlowEnded(existed=deps.waiting.pop(request.flow_id, None) is not None)
