"""At-most-once guard for irreversible clicks: each is claimed with the evidence before it is made.

Which clicks are irreversible, and what follows from a claim, is decided in
:mod:`services.planner.state.irreversible_steps`. This module only asks evidence for the claims.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from services.planner.state.attempt_state import Act, Decision, SampleView
from services.planner.state.irreversible_steps import (
    initial_claims,
    required_claim,
    unknown_outcome,
    with_separate_presses,
)
from shared.bus.ports import Asks
from shared.contracts.evidence import ClaimPress
from shared.contracts.steps import PressClaim
from shared.subjects import CLAIM_PRESS


class PressClaims(Protocol):
    """Durable claims of irreversible clicks, one for each step of a sample's route."""

    async def claim(self, pressed: PressClaim) -> PressClaim:
        """Store the claim unless there is one, and return the claim that is stored when the call returns."""
        ...

    async def find(self, pressed: PressClaim) -> PressClaim | None:
        """Return the stored claim of the same run, sample and step, or None."""
        ...


class EvidenceClaims:
    """Claims that are stored with the sample's evidence, so that a run that is resumed later finds them.

    Raises Unavailable if evidence cannot store a claim now; the click is not made then.
    """

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    async def claim(self, pressed: PressClaim) -> PressClaim:
        held = await self._asks.ask(CLAIM_PRESS, ClaimPress(pressed=pressed))
        return held.pressed or pressed

    async def find(self, pressed: PressClaim) -> PressClaim | None:
        return (await self._asks.ask(CLAIM_PRESS, ClaimPress(pressed=pressed, claim=False))).pressed


async def guard_irreversible(view: SampleView, decision: Decision, claims: PressClaims) -> Decision:
    """Return the decision, or the end of the sample if another attempt may have made the same irreversible click.

    Claims of earlier attempts are looked up at the first step too, before a form is filled in for nothing.
    """
    for pressed in initial_claims(view):
        earlier = await claims.find(pressed)
        if earlier is not None and earlier.attempt != pressed.attempt:
            return unknown_outcome(earlier)
    if not isinstance(decision, Act):
        return decision
    decision = with_separate_presses(view, decision)
    pressed = required_claim(view, decision)
    if pressed is None:
        return decision
    holder = await claims.claim(pressed)
    return replace(decision, claimed=pressed.step) if holder.attempt == pressed.attempt else unknown_outcome(holder)
