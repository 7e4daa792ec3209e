"""At-most-once guard for irreversible clicks: each is claimed with the evidence before it is made.

Which clicks are irreversible, and what follows from a claim, is decided in
:mod:`services.planner.state.irreversible_steps`. This module only asks evidence for the claims.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Protocol

from services.planner.execute import ActionOutcome
from services.planner.state.attempt_state import Act, Decision, SampleView
from services.planner.state.irreversible_steps import (
    claim_of,
    initial_claims,
    required_claim,
    unknown_outcome,
    with_separate_presses,
)
from shared.bus.ports import Asks
from shared.contracts.error_codes import may_have_fired
from shared.contracts.evidence import ClaimPress
from shared.contracts.steps import PressClaim
from shared.errors import ExhibitError
from shared.subjects import CLAIM_PRESS

log = logging.getLogger(__name__)


class PressClaims(Protocol):
    """Durable claims of irreversible clicks, one for each step of a sample's route."""

    async def claim(self, pressed: PressClaim) -> PressClaim:
        """Store the claim unless there is one, and return the claim that is stored when the call returns."""
        ...

    async def find(self, pressed: PressClaim) -> PressClaim | None:
        """Return the stored claim of the same run, sample and step, or None."""
        ...

    async def give_back(self, held: PressClaim) -> None:
        """Give back exactly this claim, as `find` has returned it: its click was certainly not made."""
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

    async def give_back(self, held: PressClaim) -> None:
        await self._asks.ask(CLAIM_PRESS, ClaimPress(pressed=held, claim=False, give_back=True))


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


async def give_back_unmade(view: SampleView, decision: Act, outcome: ActionOutcome, claims: PressClaims) -> None:
    """Give back the claim of a click of which the browser pool says that certainly nothing was pressed, so that a later
    attempt may try it too. A claim that cannot be given back stands: then nobody presses again.

    ``outcome``: of any call of the decision; only its first one was claimed."""
    result, is_first = outcome.result, outcome.action is decision.action
    if not decision.claimed or not is_first or result is None or result.ok or may_have_fired(result.code):
        return
    own = claim_of(view, decision.claimed)
    try:
        held = await claims.find(own)
        if held is not None and held.attempt == own.attempt:
            await claims.give_back(held)
    except ExhibitError as exc:
        log.warning("the claim of step %s of %s stands: %s", own.step, own.sample_id, exc)
