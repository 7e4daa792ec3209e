"""The decisions of an attempt that was cut off, asked of evidence: a later attempt takes them again."""

from __future__ import annotations

from services.planner.deps import Driver
from services.planner.state.recalling import CUT_OFF, decided_in, steps_to_recall
from shared.bus.ports import Asks
from shared.contracts.codes import facts_of
from shared.contracts.planner import BY_OPERATOR, WorkSample
from shared.contracts.steps import StepTaken
from shared.recordings.from_bus import load_steps


async def load_earlier_decisions(message: WorkSample, number: int, driver: Driver, asks: Asks) -> tuple[StepTaken, ...]:
    """Return the steps of the attempts before ``number`` that may be taken again; none where decisions cost nothing,
    or where the sample has come to an end that they have led to."""
    if number <= 1 or message.discover or not (driver.asks_model or driver.name == BY_OPERATOR):
        return ()
    log = await load_steps(asks, message.run_id, message.sample_id)
    if log.reason not in CUT_OFF and facts_of(log.reason) is not None:
        return ()
    kept = steps_to_recall(log.steps)
    # An attempt that was cut off while it took decisions of an earlier one again has only some of them.
    if kept and kept[-1].decided_in and len(kept) == len(log.steps):
        before = await load_steps(asks, message.run_id, message.sample_id, attempt=decided_in(kept[-1]))
        kept = (*kept, *steps_to_recall(before.steps)[len(kept) :])
    return kept
