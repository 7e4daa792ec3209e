"""A flow run by turns over the bus: each of its calls is answered, until it returns."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from shared.bus.ports import Asks
from shared.contracts.workflows.flows import BeginFlow, EndFlow, FlowAnswer, FlowCall, FlowReply, FlowWaits, ResumeFlow
from shared.contracts.workflows.invocations import WorkflowRan
from shared.subjects import BEGIN_FLOW, END_FLOW, RESUME_FLOW

__all__ = ["Answer", "run_flow"]

Answer = Callable[[FlowCall], Awaitable[FlowAnswer]]
GRACE_S = 125.0
"""For a turn, beyond the flow's own time: it may have to wait until others have ended."""


async def run_flow(asks: Asks, begin: BeginFlow, answer: Answer) -> WorkflowRan:
    """Run a flow to its end, with each of its calls answered.

    Args:
        asks: the bus, such as ``client.bus``.
        begin: the flow and its variables.
        answer: performs a call. An exception of it ends the flow, and is raised.

    Returns:
        What the flow came to: its value, or its error.

    Raises:
        Unavailable, DeadlineExceeded: no service of workflows answers.

    Example:
        ran = await run_flow(client.bus, BeginFlow(name="read_ticket", variables={"url": url}), perform)
    """
    timeout_s = begin.timeout_s + GRACE_S
    reply: FlowReply = await asks.ask(BEGIN_FLOW, begin, timeout_s=timeout_s)
    while isinstance(reply, FlowWaits):
        flow_id, instance_id = reply.flow_id, reply.instance_id
        try:
            answered = await answer(reply.call)
        except BaseException:
            await asks.ask(END_FLOW, EndFlow(flow_id=flow_id, instance_id=instance_id))
            raise
        resume = ResumeFlow(flow_id=flow_id, instance_id=instance_id, number=reply.number, answer=answered)
        reply = await asks.ask(RESUME_FLOW, resume, timeout_s=timeout_s)
    return reply
