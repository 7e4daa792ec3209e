"""A person or a program decides, over the bus. While nobody listens the sample waits, as long as its task allows."""

from __future__ import annotations

import logging

import msgspec

from services.planner.prompt.operator_question import asked_of, decision_of, named
from services.planner.state.common_decisions import opening
from services.planner.state.sample_state import Act, Decision, Look, Unusable, View
from shared.bus.ports import Asks
from shared.contracts.operator import DecisionDeclined, DecisionReply
from shared.contracts.planner import BY_OPERATOR
from shared.errors import PermanentError, TransientError
from shared.subjects import DECIDE

log = logging.getLogger(__name__)

ANSWER_BOUND_S = 900.0
"""After so long the question is asked again: whoever got it may be gone."""
PAUSE_S = 2.0


class OperatorDecider:
    """Opens the start page by rule; from there on the operator decides."""

    name = BY_OPERATOR
    asks_model = False

    def __init__(self, asks: Asks) -> None:
        self._asks = asks
        self._told: set[tuple[str, str]] = set()

    def check(self) -> None: ...

    async def decide(self, view: View) -> Decision:
        """Between two questions the page is looked at again, and the bounds of the sample are checked."""
        first = opening(view)
        if first is not None:
            return first
        bound_s = min(view.spec.max_time_s or ANSWER_BOUND_S, ANSWER_BOUND_S)
        try:
            reply: DecisionReply = await self._asks.ask(DECIDE, asked_of(view), timeout_s=bound_s)
        except TransientError as exc:
            return self._waits(view, str(exc))
        except (PermanentError, msgspec.MsgspecError, UnicodeDecodeError) as exc:
            return Unusable(f"The operator's answer could not be read: {exc}", named(""))
        if isinstance(reply, DecisionDeclined):
            return self._waits(view, reply.reason or "declined")
        self._told.discard((view.run_id, view.sample.sample_id))
        decision: Act | Unusable = decision_of(view, reply)
        return decision

    async def aclose(self) -> None: ...

    def _waits(self, view: View, why: str) -> Look:
        """Said once while it lasts."""
        sample = (view.run_id, view.sample.sample_id)
        if sample not in self._told:
            self._told.add(sample)
            log.warning("%s of %s waits for an operator (%s); start one with: exhibit operate", *reversed(sample), why)
        return Look(PAUSE_S, view.state.max_tokens)
