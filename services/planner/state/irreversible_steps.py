"""Irreversible clicks: the buttons that the task's route marks so. Each is pressed at most once for a sample.

This module alone decides which press is irreversible, when it is refused, and what follows from a claim of another
attempt. :mod:`services.planner.irreversible` stores the claims. A step's own `RouteMark` counts only for the rules,
which set it, and for a replay of them.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

from services.planner.state.attempt_state import Act, Entry, SampleView
from services.planner.state.common_decisions import by_rule
from shared.actions.table import facts_of_action
from shared.contracts.actions import (
    AnyAction,
    ByCss,
    ByRef,
    ByText,
    ClickAt,
    Fail,
    Press,
    Target,
)
from shared.contracts.planner import BY_REPLAY, BY_RULE, WITHOUT_MODEL
from shared.contracts.steps import FLOW_PRESSES, PressClaim, RouteMark
from shared.pages.locate.by_name import find_pressable
from shared.task.presses import RoutePresses, named_presses, presses_of
from shared.task.route import irreversible_steps as irreversible_in
from shared.task.row_values import template_values
from shared.text.normal import label_form

PRESSING_KEYS = frozenset({"enter", "numpadenter", "return", "space", "spacebar", ""})
"""Keys that may send a form or press the focused button. The empty text is a space, stripped."""


def irreversible_steps(view: SampleView) -> tuple[int, ...]:
    """Return the irreversible steps of the route, counted from 0."""
    return irreversible_in(view.spec.route)


def pressed_step(view: SampleView, action: AnyAction, decided_by: str, mark: RouteMark | None = None) -> int | None:
    """Return the irreversible step that the action presses, counted from 0: by ``mark``, else by its target."""
    if not facts_of_action(action).presses:
        return None
    steps = irreversible_steps(view)
    if mark is not None and decided_by in WITHOUT_MODEL and (mark.step - 1 in steps or decided_by == BY_RULE):
        return mark.step - 1 if mark.step - 1 in steps else None
    return next((at for at in steps if _is_button_of(view, at, _target(action))), None)


def names_of_presses(view: SampleView, action: AnyAction, decided_by: str, *, by_hand: bool = False) -> tuple[str, ...]:
    """Return what the task calls what it presses: nothing else that may change the site is pressed.

    The rules choose elements by the words of the route, as a person would, so what they press on the way counts as
    named by it. Where a replay may have effects, a person has allowed what it presses. What a person presses by hand
    who has taken the sample over (``by_hand``) is what he means.
    """
    named = named_presses(view.spec.route, view.spec.may_press, template_values(view.sample))
    by_route = decided_by == BY_RULE and bool(view.spec.route)
    allowed = (decided_by == BY_REPLAY and view.allow_effects) or by_hand
    return (*named, *(_names_of_target(view, action) if by_route or allowed else ()))


def _names_of_target(view: SampleView, action: AnyAction) -> tuple[str, ...]:
    target = _target(action)
    if isinstance(target, ByText):
        return (target.text,)
    elements = view.page.elements if view.page is not None and isinstance(target, ByRef) else ()
    return tuple(e.name for e in elements if isinstance(target, ByRef) and e.ref == target.ref and e.name)


# --- refusals within an attempt


def refused_press(view: SampleView, action: AnyAction) -> str:
    """Return why an action that no rule has chosen is refused; empty: it may be carried out.

    It is refused if it may press an irreversible button without naming it, or if this attempt has pressed it already.
    """
    return _refused_as_indistinct(view, action) or refused_repetition(view, action, "")


def refused_repetition(view: SampleView, action: AnyAction, decided_by: str, mark: RouteMark | None = None) -> str:
    """Return why a press that this attempt has made already is refused; empty: it has not been made."""
    at = pressed_step(view, action, decided_by, mark)
    if at is None or not any(entry.may_have_fired and _may_be(view, entry, at) for entry in view.state.history):
        return ""
    return (
        f"Step {at + 1} of the route was taken already and cannot be taken back: the button is not pressed again. Find "
        "out from the page what came of it; if it cannot be told, call fail with the code unknown_outcome."
    )


def _refused_as_indistinct(view: SampleView, action: AnyAction) -> str:
    steps = irreversible_steps(view)
    if not steps or not facts_of_action(action).presses:
        return ""
    if isinstance(action, ClickAt):
        return "This task has a button that is pressed once only: no point is clicked where no element is observed."
    if isinstance(_target(action), ByCss):
        return "This task has a button that is pressed once only: say what to act on by its ref, not by a CSS selector."
    if isinstance(action, Press) and action.keys.rpartition("+")[2].strip().casefold() in PRESSING_KEYS:
        shown = view.page is None or any(_buttons(view, at) for at in steps)
        return f"{action.keys} may press a button here that is pressed once only: click what you mean." if shown else ""
    return ""


# --- claims, which hold for all attempts


def initial_claims(view: SampleView) -> tuple[PressClaim, ...]:
    """Return the claims to look up when an attempt begins; empty after its first step."""
    if view.state.history:
        return ()
    own = (_flow_claim(view),) if view.on_flow else ()
    return (*(claim_of(view, at + 1) for at in irreversible_steps(view)), *own)


def required_claim(view: SampleView, decision: Act) -> PressClaim | None:
    """Return the claim that the decision's action needs; None: it is not irreversible, or it will be refused anyway."""
    by = decision.decided_by
    at = pressed_step(view, decision.action, by, decision.route)
    if at is None:
        return _flow_claim(view) if decision.flow is not None and decision.flow.irreversible else None
    if by in WITHOUT_MODEL:
        refused = refused_repetition(view, decision.action, by, decision.route)
    else:
        refused = refused_press(view, decision.action)
    return None if refused else claim_of(view, at + 1)


def with_separate_presses(view: SampleView, decision: Act) -> Act:
    """Return the decision without the calls from the first irreversible one on, not counting its own action.

    An irreversible press is the first call of its answer, so that the claimed press is the one that is made.
    """
    allowed = tuple(takewhile(lambda action: pressed_step(view, action, decision.decided_by) is None, decision.then))
    if len(allowed) == len(decision.then):
        return decision
    message = "What cannot be taken back is pressed by an answer of its own, after a look at the page."
    return replace(decision, then=allowed, remark=f"{decision.remark} {message}".strip())


def unknown_outcome(earlier: PressClaim) -> Act:
    """Return the end of a sample whose irreversible click another attempt has claimed."""
    of_route = earlier.step <= FLOW_PRESSES
    taken = f"take step {earlier.step} of the route" if of_route else "press what its flow presses once"
    message = f"attempt {earlier.attempt} was about to {taken}, which cannot be taken back"
    return by_rule(
        Fail(code="unknown_outcome", note=f"{message}; what came of it is not known, so it is not done again")
    )


def claim_of(view: SampleView, step: int) -> PressClaim:
    """Return the claim of this attempt; ``step`` counts from 1."""
    return PressClaim(run_id=view.run_id, sample_id=view.sample.sample_id, step=step, attempt=view.attempt)


def flow_presses(view: SampleView) -> int:
    """Return how many irreversible presses of a flow this attempt may have made."""
    entries = (entry for entry in view.state.history if entry.flow is not None and entry.flow.irreversible)
    return sum(entry.may_have_fired for entry in entries)


def _flow_claim(view: SampleView) -> PressClaim:
    """Return the claim of a flow's next press that is no step of the route. Presses are counted: a flow that is begun
    again makes them in the same order."""
    return claim_of(view, FLOW_PRESSES + flow_presses(view) + 1)


# --- which button it is


def _target(action: AnyAction) -> Target | None:
    return getattr(action, "target", None)


def _is_button_of(view: SampleView, at: int, target: Target | None) -> bool:
    if isinstance(target, ByRef):
        return target.ref in _buttons(view, at)
    return isinstance(target, ByText) and _may_mean(view, at, target.text)


def _buttons(view: SampleView, at: int) -> frozenset[int]:
    """Return refs of elements that may be the button: those with its exact label, and the closest matching buttons."""
    page, presses = view.page, _presses(view)
    if page is None:
        return frozenset()
    labels = presses.labels(at)
    exact = {element.ref for element in page.elements if label_form(element.name) in labels}
    found = find_pressable(page, presses.words[at])
    closest = (e for e in found if e.role != "link" and not presses.is_of_another(at, e.name))
    return frozenset((*exact, *(element.ref for element in closest)))


def _may_mean(view: SampleView, at: int, text: str) -> bool:
    """Return whether this target text may find the button: text is matched in full first, then as a part."""
    said, presses = label_form(text), _presses(view)
    labels = presses.labels(at)
    page = view.page
    if said in labels:
        return True
    if page is not None and (found := [e.ref for e in page.elements if label_form(e.name) == said]):
        return any(ref in _buttons(view, at) for ref in found)
    return any(said in label for label in labels) or presses.says(at, text)


def _may_be(view: SampleView, entry: Entry, at: int) -> bool:
    """Return whether an earlier action may have been the press of this step. Its page is gone."""
    action = entry.action
    if action is None or not facts_of_action(action).presses:
        return False
    if entry.route is not None and entry.decided_by == BY_RULE:
        return entry.route.step == at + 1
    found = entry.result.target if entry.result is not None else None
    if found is None:
        target = _target(action)
        return not isinstance(target, ByText) or _may_mean(view, at, target.text)
    return _presses(view).may_press(at, found.role, found.name)


def _presses(view: SampleView) -> RoutePresses:
    return presses_of(view.spec.route, template_values(view.sample))
