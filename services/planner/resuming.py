"""The decisions of an attempt that was cut off, asked of evidence: a later attempt takes them again."""

from __future__ import annotations

from services.planner.deps import Decider
from services.planner.state.recalling import CUT_OFF, decided_in, steps_to_recall
from shared.bus.ports import Asks
from shared.contracts.codes import facts_of
from shared.contracts.evidence import LoadSteps, StepsReply, StepsUnknown
from shared.contracts.planner import BY_OPERATOR, WorkSample
from shared.contracts.steps import StepTaken
from shared.subjects import LOAD_STEPS

ASK_BOUND_S = 60.0


async def load_earlier_decisions(
    message: WorkSample, number: int, decider: Decider, asks: Asks
) -> tuple[StepTaken, ...]:
    """Return the steps of the attempts before ``number`` that may be taken again; none where decisions cost nothing,
    or where the sample has come to an end that they have led to."""
    if number <= 1 or message.discover or not (decider.asks_model or decider.name == BY_OPERATOR):
        return ()
    steps, reason = await _load(message, None, asks)
    if reason not in CUT_OFF and facts_of(reason) is not None:
        return ()
    kept = steps_to_recall(steps)
    # An attempt that was cut off while it took decisions of an earlier one again has only some of them.
    if kept and kept[-1].decided_in and len(kept) == len(steps):
        before, _ = await _load(message, decided_in(kept[-1]), asks)
        kept = (*kept, *steps_to_recall(before)[len(kept) :])
    return kept


async def _load(message: WorkSample, attempt: int | None, asks: Asks) -> tuple[tuple[StepTaken, ...], str]:
    """Return the log of an attempt, of the latest one without a number, and the reason of its result."""
    steps: list[StepTaken] = []
    while True:
        after = steps[-1].step if steps else 0
        request = LoadSteps(run_id=message.run_id, sample_id=message.sample_id, attempt=attempt, after_step=after)
        reply: StepsReply = await asks.ask(LOAD_STEPS, request, timeout_s=ASK_BOUND_S)
        if isinstance(reply, StepsUnknown):
            return (), ""
        attempt = reply.attempt
        steps += reply.steps
        if len(steps) >= reply.total or not reply.steps:
            return tuple(steps), reply.reason
