"""How a call of a flow comes to its answer: look by look, action by action, try by try. Pure.

Whoever performs a flow begins each call, does what each step says, and tells what came of it::

    step = begin_call(call, context)
    while not isinstance(step, Answered):
        step = next_step(step.turn, page_or_result)

What a call comes to on one page is decided by :mod:`shared.flows.answering`, for how long a page is waited for by
:mod:`shared.flows.waiting`. The performers are the live driver, the planner, and a recorded sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import ActionResult
from shared.contracts.workflows.flows import FlowAnswer, FlowCall
from shared.flows.answering import (
    FlowContext,
    Perform,
    after_call,
    check_effect,
    decide_call,
    effect_tag,
    is_exchanged,
)
from shared.flows.waiting import (
    PAUSES_S,
    awaits_navigation,
    begins_anew,
    certain_answer,
    is_tried_again,
    next_pause_s,
    pause_for_answer_s,
    reset_call,
    with_late_navigation,
)

MAX_TRIES = 3
"""Of an action whose element was rendered anew, has not come yet, or was covered."""


@dataclass(frozen=True)
class CallTurn:
    """One call in progress.

    ``performing``: the action whose outcome is not known yet; ``before``: the address of the page that it was decided
    on, None without one; ``result``: what the browser said of it, while the page that it leads to is awaited.
    ``tries``: how often an action was not made and decided on anew. ``looks``: extra looks since the last action.
    """

    call: FlowCall
    context: FlowContext
    performing: Perform | None = None
    before: str | None = None
    result: ActionResult | None = None
    tries: int = 0
    looks: int = 0


@dataclass(frozen=True)
class Observe:
    """Look at the page, after ``after_s`` seconds. 0: as it is now; what cannot have changed need not be read anew."""

    turn: CallTurn
    after_s: float = 0.0


@dataclass(frozen=True)
class PerformAction:
    """Perform an action, once."""

    turn: CallTurn
    perform: Perform


@dataclass(frozen=True)
class Answered:
    """The answer, and the context of the next call. ``exchanged``: the tag of the effect that a click had in place of
    the recorded one (`is_exchanged`); empty: it had the recorded one."""

    answer: FlowAnswer
    context: FlowContext
    exchanged: str = ""


TurnStep = Observe | PerformAction | Answered


def begin_call(call: FlowCall, context: FlowContext) -> Observe:
    """Return the first step of a call: to look at the page."""
    return Observe(CallTurn(call, context))


def next_step(turn: CallTurn, seen: PageObserved | ActionResult | None) -> TurnStep:
    """Return the step after what was seen: the page that was looked at, None before the first address was opened; or
    the result of the action that was performed."""
    if isinstance(seen, ActionResult):
        assert turn.performing is not None, "a result is of an action"
        return _after_action(replace(turn, looks=0), turn.performing, seen)
    if turn.performing is None:
        return step_of_decision(turn, decide_call(turn.call, seen, turn.context), seen)
    assert turn.result is not None, "an action is performed before its page is looked at"
    return _after_look(turn, turn.performing, turn.result, seen)


def step_of_decision(turn: CallTurn, decided: Perform | FlowAnswer, page: PageObserved | None) -> TurnStep:
    """Return the step for what the call comes to on this page, for whom that is not `decide_call` alone."""
    if isinstance(decided, Perform):
        return step_of_action(turn, decided, page)
    pause_s = pause_for_answer_s(turn.call, decided, page, turn.looks)
    if pause_s is not None:
        return Observe(replace(turn, looks=turn.looks + 1), pause_s)
    return step_of_answer(turn, certain_answer(turn.call, decided, page))


def step_of_action(turn: CallTurn, perform: Perform, page: PageObserved | None) -> PerformAction:
    """Return the step that performs an action, decided on on this page."""
    before = None if page is None else page.url
    return PerformAction(replace(turn, performing=perform, before=before, result=None), perform)


def step_of_answer(turn: CallTurn, answer: FlowAnswer, *, performed: bool = False, exchanged: str = "") -> Answered:
    """Return the end of the call. ``performed``: its action was made, and has led to what it should."""
    after = after_call(turn.context, turn.call, performed=performed, exchanged=bool(exchanged))
    return Answered(answer, after, exchanged)


def _after_action(turn: CallTurn, performed: Perform, result: ActionResult) -> TurnStep:
    tries = turn.tries + 1
    if is_tried_again(performed, result) and tries < MAX_TRIES:
        anew = reset_call(turn.context, turn.call)
        return Observe(replace(turn, context=anew, performing=None, tries=tries), PAUSES_S[tries])
    if turn.before is not None and awaits_navigation(performed, result):
        return Observe(replace(turn, result=result))
    return _outcome(turn, performed, result)


def _after_look(turn: CallTurn, performed: Perform, result: ActionResult, page: PageObserved | None) -> TurnStep:
    """Return the outcome once the page has come that the action leads to, or no longer may."""
    if page is not None and turn.before is not None:
        result = with_late_navigation(performed, result, turn.before, page)
        pause_s = next_pause_s(page, turn.looks) if awaits_navigation(performed, result) else None
        if pause_s is not None:
            return Observe(replace(turn, looks=turn.looks + 1), pause_s)
    return _outcome(turn, performed, result)


def _outcome(turn: CallTurn, performed: Perform, result: ActionResult) -> Observe | Answered:
    """Return the answer of an action, or a look at the page for the call's next one."""
    answer = check_effect(performed, result)
    if answer.error is not None:
        return step_of_answer(turn, answer)
    if performed.more:
        done = replace(turn.context, done=turn.context.done + 1)
        # A call that begins anew makes this action once more for each try: it takes the call no further.
        tries = turn.tries if begins_anew(turn.call) else 0
        return Observe(CallTurn(turn.call, done, tries=tries))
    exchanged = effect_tag(result) if is_exchanged(performed, result) else ""
    return step_of_answer(turn, answer, performed=True, exchanged=exchanged)
