"""Pure: the bounds of the work on a sample, and what of it is kept when one is reached."""

from __future__ import annotations

from dataclasses import dataclass, replace

from services.planner.judge.field_values import partial_values
from services.planner.state.irreversible_steps import refused_press
from services.planner.state.progress import STOP_AT, must_end
from services.planner.state.sample_state import Ending, SampleState, View, ending_of
from shared.contracts.actions import AnyAction, Done, Fail
from shared.contracts.codes import Reason, facts_of
from shared.contracts.usage import Usage, total_tokens
from shared.task_spec import BudgetSpec

MAX_FAILURES = 5
MAX_BAD_REPLIES = 3
MAX_NETWORK_FAILURES = 5


@dataclass(frozen=True)
class Limit:
    """What model calls may use; None is no limit."""

    usd: float | None
    tokens: int | None

    def used_up(self, usage: Usage) -> str:
        """What is used up, in words; empty where nothing is."""
        if self.usd is not None and usage.cost_usd >= self.usd:
            return f"${usage.cost_usd:.4f} of ${self.usd:g} are spent"
        tokens = total_tokens(usage)
        if self.tokens is not None and tokens >= self.tokens:
            return f"{tokens} of {self.tokens} tokens are used"
        return ""


def of_sample(budget: BudgetSpec) -> Limit:
    return Limit(budget.sample_usd, budget.sample_tokens)


def of_run(budget: BudgetSpec) -> Limit:
    return Limit(budget.run_usd, budget.run_tokens)


def refusal(view: View, action: AnyAction, *, by_rule: bool) -> str:
    """Why an action is not carried out at all; empty where it may be. The tools stay the same to the last step, so
    that what is cached of the prompt stays whole: what is not open any more is refused instead."""
    if by_rule or isinstance(action, Done | Fail):
        return ""
    if view.last_step:
        return "This is the last step: only done or fail is accepted. What you know now must do."
    if must_end(view.state.progress):
        return "The work has come to a stop: only done or fail is accepted now."
    return refused_press(view, action)


def limit_reached(view: View, elapsed_s: float) -> Ending | None:
    """The ending when a bound is reached: answers that could not be used, failures, no progress, cost, time, steps."""
    state, spec = view.state, view.spec
    if state.bad_replies >= MAX_BAD_REPLIES:
        return cut_short(view, "bad_replies", f"{MAX_BAD_REPLIES} answers in a row could not be used: {_last(state)}")
    if state.network_failures >= MAX_NETWORK_FAILURES:
        return cut_short(view, "unreachable", f"{state.network_failures} tries in a row met no answer: {_last(state)}")
    if state.failures >= MAX_FAILURES:
        return cut_short(view, "too_many_failures", f"{MAX_FAILURES} actions in a row failed: {_last(state)}")
    if state.progress.stalled >= STOP_AT:
        return cut_short(view, "stagnated", f"{state.progress.stalled} steps in a row brought nothing new")
    used = of_sample(spec.budget).used_up(state.usage)
    if used:
        return cut_short(view, "budget_exceeded", f"the budget of a sample is used up: {used}")
    if spec.max_time_s and elapsed_s >= spec.max_time_s:
        return cut_short(view, "time_exceeded", f"not finished within {spec.max_time_s:g} s")
    if state.steps >= view.max_steps:
        return cut_short(view, "max_steps_exceeded", f"not finished within {spec.max_steps + state.granted} steps")
    return None


def cut_short(view: View, reason: Reason, message: str) -> Ending:
    """The ending for a limit that was reached."""
    return with_partial_values(view, ending_of(reason, message))


def with_partial_values(view: View, ending: Ending) -> Ending:
    """What was read of the right record is kept as a partial success, where the reason allows for one."""
    facts, values = facts_of(ending.reason), partial_values(view)
    read = any(value.state != "not_found" and value.field not in view.spec.identity for value in values)
    ending = replace(ending, notes=view.state.notes)
    partial = read and facts is not None and facts.partial
    return replace(ending, status="partial_success", values=values, flagged=True) if partial else ending


def _last(state: SampleState) -> str:
    return state.last.message if state.last is not None else ""
