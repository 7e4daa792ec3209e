"""Presses a button. An irreversible one is pressed once, when all that was filled in has been read back."""

from __future__ import annotations

from services.planner.deciders.rules import filling
from services.planner.deciders.rules.collecting import is_on_trail
from services.planner.deciders.rules.navigation import (
    ambiguous_targets,
    filled_words,
    has_succeeded,
    press_once,
    quoted_choice,
)
from services.planner.deciders.rules.route_context import NextStep, RouteContext
from services.planner.page.targets import find_pressable
from services.planner.state.attempt_state import Act, Entry, ObserveAgain
from services.planner.state.common_decisions import observe_later
from shared.contracts.actions import AnswerDialog, Click
from shared.task.route import Fill, PressButton
from shared.text.normal import fold, quoted

CONFIRM_PART = "confirm"


def press(context: RouteContext, step: PressButton) -> Act | ObserveAgain | NextStep:
    """Press the button of the step."""
    if context.page.dialog is not None and context.entries():
        return _answer(context, step)
    fired = tuple(entry for entry in context.entries() if entry.may_have_fired)
    if step.irreversible and fired:
        return _after_press(context, fired)
    if has_succeeded(context.entries()):
        return NextStep()
    names = filled_words(context, step.press)
    found = find_pressable(context.page, names)
    what = f"button called {quoted_choice(names)}"
    if not found:
        return context.missing_element(what)
    if len(found) > 1:
        return ambiguous_targets(context, what, found)
    if not step.irreversible:
        return press_once(context, found[0], f"{quoted(found[0].name)} is what comes next.")
    return _press_irreversibly(
        context, found[0].name, Click(target=context.ref(found[0])), "disabled" in found[0].states
    )


def _press_irreversibly(context: RouteContext, name: str, click: Click, disabled: bool) -> Act | ObserveAgain:
    doubt = press_doubts(context)
    if doubt:
        return observe_later(context.view, looks=2) or context.fail(
            "invalid_input", f"{quoted(name)} is not pressed: {doubt}"
        )
    if disabled:
        return observe_later(context.view) or context.off_route(f"{quoted(name)} is disabled")
    if len(context.entries()) >= 2:
        return context.off_route(f"{quoted(name)} cannot be pressed: {context.entries()[-1].message}")
    return context.act(click, f"{quoted(name)}, once and for good: all that was filled in has been read back.")


def press_doubts(context: RouteContext) -> str:
    """Return what speaks against an irreversible press: another record, or a field with another value."""
    if context.view.spec.identity and not is_on_trail(context.view, context.read):
        return context.read.proof.wrong or "the page does not show whose record it is"
    steps = list(enumerate(context.view.spec.route[: context.index]))
    doubts = [
        doubt
        for at, step in steps
        if isinstance(step, Fill)
        for before in (RouteContext(context.view, context.page, context.read, at),)
        for doubt in (*filling.fields_not_held(before, step), *filling.fields_shown_differently(before, step))
    ]
    return "; ".join(doubts)


def _after_press(context: RouteContext, fired: tuple[Entry, ...]) -> Act | ObserveAgain | NextStep:
    """Go on after a press that plainly succeeded; otherwise its outcome is unknown."""
    if has_succeeded(fired):
        return NextStep()
    message = fired[-1].message or "nothing was seen to come of it"
    return context.fail("unknown_outcome", f"the button was pressed, and it is not known what came of it: {message}")


def _answer(context: RouteContext, step: PressButton) -> Act:
    """Answer a dialog of the browser. Only the question that the route foresees is accepted."""
    asked = context.page.dialog or ""
    if step.confirm is not None and fold(context.filled_text(step.confirm)) in fold(asked):
        return context.act(AnswerDialog(answer="accept"), f"{quoted(asked)} is what was to be agreed to.", CONFIRM_PART)
    return context.fail("off_route", f"the page asks {quoted(asked)}, and the route does not foresee it")
