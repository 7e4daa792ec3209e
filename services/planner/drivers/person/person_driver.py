"""The driver that asks a person or a program over the bus. Without an operator the sample waits, within
its limits."""

from __future__ import annotations

import logging

import msgspec

from services.planner.drivers.person.operator_question import decision_question, operator_name, parse_decision
from services.planner.state.attempt_state import Act, Decision, ObserveAgain, SampleView, UnusableAnswer
from services.planner.state.common_decisions import start_page_decision
from shared.bus.ports import Asks
from shared.contracts.operator import DecisionDeclined, DecisionReply
from shared.contracts.planner import BY_OPERATOR
from shared.errors import PermanentError, TransientError
from shared.subjects import DECIDE

log = logging.getLogger(__name__)

ANSWER_BOUND_S = 900.0
"""Timeout after which the question is asked again, because its receiver may be gone."""
PAUSE_S = 2.0


class OperatorDriver:
    """Opens the start page by rule; from there on the operator decides."""

    name = BY_OPERATOR
    asks_model = False

    def __init__(self, asks: Asks) -> None:
        self._asks = asks
        self._warned_samples: set[tuple[str, str]] = set()

    def check(self) -> None: ...

    async def decide(self, view: SampleView) -> Decision:
        """Return the operator's action, or another observation after a pause, so that the limits are
        checked meanwhile."""
        first = start_page_decision(view)
        if first is not None:
            return first
        bound_s = min(view.spec.max_time_s or ANSWER_BOUND_S, ANSWER_BOUND_S)
        try:
            reply: DecisionReply = await self._asks.ask(DECIDE, decision_question(view), timeout_s=bound_s)
        except TransientError:
            return self._wait(view)
        except (PermanentError, msgspec.MsgspecError, UnicodeDecodeError) as exc:
            return UnusableAnswer(f"The operator's answer could not be read: {exc}", operator_name(""))
        if isinstance(reply, DecisionDeclined):
            return self._wait(view)
        self._warned_samples.discard((view.run_id, view.sample.sample_id))
        decision: Act | UnusableAnswer = parse_decision(view, reply)
        return decision

    async def aclose(self) -> None: ...

    def _wait(self, view: SampleView) -> ObserveAgain:
        """Wait for an operator. Logged once per sample while it lasts."""
        sample = (view.run_id, view.sample.sample_id)
        if sample not in self._warned_samples:
            self._warned_samples.add(sample)
            log.warning("%s of %s waits for an operator; start one with: exhibit operate", *reversed(sample))
        return ObserveAgain(PAUSE_S, view.state.max_tokens)
