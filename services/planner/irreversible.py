"""What may be done once only. Before a button is pressed that cannot be taken back, that is written down with the
evidence; an attempt that finds the record of another one does not press again, for nobody knows what became of it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import Protocol

from services.planner.state.irreversible_steps import last_words, pressed_before, refused_press, step_of
from services.planner.state.sample_state import Act, Decision, View
from services.planner.state.start_page import by_rule
from shared.bus.ports import Asks
from shared.contracts.actions import Fail
from shared.contracts.evidence import ClaimPress
from shared.contracts.planner import WITHOUT_MODEL
from shared.contracts.steps import Pressed
from shared.subjects import CLAIM_PRESS


class Once(Protocol):
    async def claim(self, pressed: Pressed) -> Pressed:
        """Whose press this is from now on: the one given, or that of whoever was first. It is stored when the call
        returns."""
        ...

    async def claimed(self, pressed: Pressed) -> Pressed | None:
        """The record under the same key, where there is one."""
        ...


class FiledOnce:
    """With the evidence of the sample, which outlives the bus: a run that is resumed tomorrow finds it. Where evidence
    cannot write it down now, Unavailable is raised and nothing is pressed."""

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    async def claim(self, pressed: Pressed) -> Pressed:
        held = await self._asks.ask(CLAIM_PRESS, ClaimPress(pressed=pressed))
        return held.pressed or pressed

    async def claimed(self, pressed: Pressed) -> Pressed | None:
        return (await self._asks.ask(CLAIM_PRESS, ClaimPress(pressed=pressed, claim=False))).pressed


async def guarded(view: View, decision: Decision, once: Once) -> Decision:
    """``decision``, unless it would press for a second time. At the start of an attempt that is known already, and
    nothing is filled in for nothing. A press that cannot be taken back is the last call of its answer or its only one,
    so that what is claimed is what is pressed."""
    if view.state.steps == 0:
        for at in last_words(view):
            pressed = _pressed(view, at)
            before = await once.claimed(pressed)
            if before is not None and before.attempt != pressed.attempt:
                return _unknown(before)
    if not isinstance(decision, Act):
        return decision
    decision = _alone(view, decision)
    by = decision.decided_by
    at = step_of(view, decision.action, by, decision.route)
    if at is None:
        return decision
    if by in WITHOUT_MODEL:
        refused = pressed_before(view, decision.action, by, decision.route)
    else:
        refused = refused_press(view, decision.action)
    if refused:
        return decision
    pressed = _pressed(view, at)
    holder = await once.claim(pressed)
    return decision if holder.attempt == pressed.attempt else _unknown(holder)


def _alone(view: View, decision: Act) -> Act:
    """Without the calls behind the first from one on that cannot be taken back."""
    kept = tuple(takewhile(lambda action: step_of(view, action, decision.decided_by) is None, decision.then))
    if len(kept) == len(decision.then):
        return decision
    told = "What cannot be taken back is pressed by an answer of its own, after a look at the page."
    return replace(decision, then=kept, remark=f"{decision.remark} {told}".strip())


def _pressed(view: View, at: int) -> Pressed:
    return Pressed(run_id=view.run_id, sample_id=view.sample.sample_id, step=at + 1, attempt=view.attempt)


def _unknown(before: Pressed) -> Act:
    told = f"attempt {before.attempt} was about to take step {before.step} of the route, which cannot be taken back"
    return by_rule(Fail(code="unknown_outcome", note=f"{told}; what came of it is not known, so it is not done again"))
