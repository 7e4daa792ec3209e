"""What a reached limit means for a sample: which actions are still accepted, and how the sample ends."""

from __future__ import annotations

from dataclasses import replace

from services.planner.judge.field_values import partial_values
from services.planner.state.attempt_state import Ending, SampleView, ending_of
from services.planner.state.irreversible_steps import refused_press
from services.planner.state.limits import ExceededLimit, exceeded_limit, is_last_step
from services.planner.state.progress import must_end
from shared.contracts.actions import AnyAction, Done, Fail
from shared.contracts.codes import facts_of


def refusal(view: SampleView, action: AnyAction, *, by_rule: bool) -> str:
    """Return why an action is not carried out; empty: it may be.

    The tools of a prompt stay the same up to the last step, because the cached part of the prompt begins with them. So
    an action that is not open any more is refused here.
    """
    if by_rule or isinstance(action, Done | Fail):
        return ""
    if is_last_step(view):
        return "This is the last step: only done or fail is accepted. What you know now must do."
    if must_end(view.state.progress):
        return "The work has come to a stop: only done or fail is accepted now."
    return refused_press(view, action)


def limit_reached(view: SampleView, elapsed_s: float) -> Ending | None:
    """Return how the sample ends if the attempt has reached a limit, else None."""
    exceeded = exceeded_limit(view, elapsed_s)
    return None if exceeded is None else cut_short(view, exceeded)


def cut_short(view: SampleView, exceeded: ExceededLimit) -> Ending:
    """Return the ending for this limit, with the values that were read so far."""
    return with_partial_values(view, ending_of(exceeded.reason, exceeded.message))


def with_partial_values(view: SampleView, ending: Ending) -> Ending:
    """Return the ending as a partial success, if values of the right record were read and its reason allows that."""
    facts, values = facts_of(ending.reason), partial_values(view)
    has_values = any(value.state != "not_found" and value.field not in view.spec.identity for value in values)
    ending = replace(ending, notes=view.state.notes)
    partial = has_values and facts is not None and facts.partial
    return replace(ending, status="partial_success", values=values, flagged=True) if partial else ending
