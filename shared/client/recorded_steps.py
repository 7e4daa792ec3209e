"""The step log of a sample, asked of evidence page by page."""

from __future__ import annotations

from shared.bus.ports import Asks
from shared.contracts.evidence import LoadSteps, StepsReply, StepsUnknown
from shared.contracts.steps import StepTaken
from shared.subjects import LOAD_STEPS

ASK_BOUND_S = 60.0


async def load_all_steps(
    asks: Asks, run_id: str, sample_id: str, *, attempt: int | None = None
) -> tuple[tuple[StepTaken, ...], str]:
    """Return the step log of an attempt, of the latest one by default, and why it cannot be used; empty: it can."""
    steps: list[StepTaken] = []
    while True:
        after = steps[-1].step if steps else 0
        request = LoadSteps(run_id=run_id, sample_id=sample_id, attempt=attempt, after_step=after)
        reply: StepsReply = await asks.ask(LOAD_STEPS, request, timeout_s=ASK_BOUND_S)
        if isinstance(reply, StepsUnknown):
            return (), reply.message
        if reply.problem:
            return (), reply.problem
        steps += reply.steps
        attempt = reply.attempt
        if len(steps) >= reply.total or not reply.steps:
            return tuple(steps), ""
