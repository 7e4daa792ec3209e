"""Limits of the work on a sample: steps, time, tokens and money, failures in a row, and lack of progress.

This module alone decides how much a sample may use and when that is used up. What calls of models have cost in a whole
run is counted in :mod:`services.planner.budget`; the limit that it is compared with is :func:`run_budget`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from services.planner.state.attempt_state import AttemptState, SampleView
from services.planner.state.progress import STOP_AT
from shared.contracts.actions import Done, Fail
from shared.contracts.base import Usage, total_tokens
from shared.contracts.codes import Reason
from shared.task.spec import BudgetSpec

MAX_FAILURES = 5
MAX_BAD_REPLIES = 3
MAX_NETWORK_FAILURES = 5
STEPS_PER_PAGE, MAX_GRANTED = 3, 200
"""Steps granted for each page of a list that had new items, and the most that are granted in all."""


@dataclass(frozen=True)
class UsageLimit:
    """What calls of models may use; None: no limit."""

    usd: float | None
    tokens: int | None

    @property
    def is_unlimited(self) -> bool:
        return self.usd is None and self.tokens is None

    def exceeded_by(self, usage: Usage) -> str:
        """Return what is used up, as a sentence; empty: the budget is not used up."""
        if self.usd is not None and usage.cost_usd >= self.usd:
            return f"${usage.cost_usd:.4f} of ${self.usd:g} are spent"
        tokens = total_tokens(usage)
        if self.tokens is not None and tokens >= self.tokens:
            return f"{tokens} of {self.tokens} tokens are used"
        return ""


@dataclass(frozen=True)
class ExceededLimit:
    """The limit that ends a sample. ``message`` is for people."""

    reason: Reason
    message: str


def sample_budget(budget: BudgetSpec) -> UsageLimit:
    """Return what one attempt at a sample may use."""
    return UsageLimit(budget.sample_usd, budget.sample_tokens)


def run_budget(budget: BudgetSpec) -> UsageLimit:
    """Return what all samples of a run together may use."""
    return UsageLimit(budget.run_usd, budget.run_tokens)


def granted_steps(state: AttemptState, items: tuple[Mapping[str, Any], ...]) -> int:
    """Return the steps granted so far, after a step that reported these new items of a list."""
    return min(state.granted + STEPS_PER_PAGE, MAX_GRANTED) if items else state.granted


def max_steps(view: SampleView) -> int:
    """Return how many steps the attempt may have.

    One more is allowed if the last one was refused for being the last, so that the decider can still end the sample.
    """
    most = view.spec.max_steps + view.state.granted
    last = view.state.history[most - 1] if len(view.state.history) >= most else None
    return most + (last is not None and last.refused and not isinstance(last.action, Done | Fail | None))


def steps_left(view: SampleView) -> int:
    """Return how many steps the attempt may still have."""
    return max_steps(view) - view.state.steps


def is_last_step(view: SampleView) -> bool:
    """Return whether the next step is the last one, so that only `Done` and `Fail` are accepted."""
    return view.state.steps + 1 >= max_steps(view)


def exceeded_limit(view: SampleView, elapsed_s: float) -> ExceededLimit | None:
    """Return the first limit that the attempt has reached, or None.

    The order is: unusable answers, network failures, other failures, no progress, budget, time, steps.
    """
    state, spec = view.state, view.spec
    last = state.last.message if state.last is not None else ""
    if state.bad_replies >= MAX_BAD_REPLIES:
        return ExceededLimit("bad_replies", f"{MAX_BAD_REPLIES} answers in a row could not be used: {last}")
    if state.network_failures >= MAX_NETWORK_FAILURES:
        return ExceededLimit("unreachable", f"{state.network_failures} tries in a row met no answer: {last}")
    if state.failures >= MAX_FAILURES:
        return ExceededLimit("too_many_failures", f"{MAX_FAILURES} actions in a row failed: {last}")
    if state.progress.stalled >= STOP_AT:
        return ExceededLimit("stagnated", f"{state.progress.stalled} steps in a row brought nothing new")
    used = sample_budget(spec.budget).exceeded_by(state.usage)
    if used:
        return ExceededLimit("budget_exceeded", f"the budget of a sample is used up: {used}")
    if spec.max_time_s and elapsed_s >= spec.max_time_s:
        return ExceededLimit("time_exceeded", f"not finished within {spec.max_time_s:g} s")
    if state.steps >= max_steps(view):
        return ExceededLimit("max_steps_exceeded", f"not finished within {spec.max_steps + state.granted} steps")
    return None
