"""Follows the route of a task. The current step follows from the history alone: the last `RouteMark` names it, and each
kind of step decides whether anything is left to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from services.planner.drivers.rules import collecting, filling, navigation, searching
from services.planner.drivers.rules.route_context import (
    RELOAD,
    NextStep,
    RouteContext,
    entries_of,
    is_on_trail,
    last_mark,
    reloads,
    row_with_gaps,
)
from services.planner.judge.press_outcome import not_sent
from services.planner.state.attempt_state import Act, ObserveAgain, SampleView
from services.planner.state.common_decisions import LOGIN, MAX_TRIES, by_rule, observe_later
from services.planner.state.irreversible_steps import irreversible_steps
from shared.contracts.actions import Fail, Goto
from shared.contracts.browser_pool import PageObserved
from shared.contracts.steps import FieldValue, Note, RouteMark
from shared.pages.identity.identity import PageRead
from shared.pages.locate.by_name import find_controls, find_pressable, find_tabs
from shared.pages.read.fields import field_values
from shared.task.route import (
    Address,
    Count,
    FetchAll,
    FetchFile,
    Fill,
    Follow,
    GoBack,
    Headline,
    Open,
    Pick,
    PressButton,
    Read,
    Search,
    ShowTab,
    Step,
    TakePicture,
    fields_of,
    texts_of,
    words,
)
from shared.task.spec import placeholders
from shared.text.normal import quoted

HANDLERS: dict[type[Step], Callable[[RouteContext, Any], Act | ObserveAgain | NextStep]] = {
    Follow: navigation.follow,
    ShowTab: navigation.show_tab,
    Open: navigation.open_address,
    GoBack: navigation.go_back,
    Search: searching.search,
    Pick: searching.pick,
    Fill: filling.fill_in,
    PressButton: navigation.press,
    TakePicture: collecting.take_picture,
    FetchFile: collecting.fetch_file,
    FetchAll: collecting.fetch_all,
    Count: collecting.count,
    Address: collecting.take_address,
    Headline: collecting.take_headline,
    Read: collecting.read_step,
}


@dataclass(frozen=True)
class RouteOutcome:
    """What to do next. `decision` is None at the end of the route; `seen` holds readings of this page."""

    decision: Act | ObserveAgain | None
    seen: tuple[FieldValue, ...] = ()
    notes: tuple[Note, ...] = ()


def route_decision(view: SampleView, page: PageObserved, read: PageRead) -> RouteOutcome:
    """Return what to do next on the route."""
    wrong = _wrong_status(view, page)
    if wrong is not None:
        return RouteOutcome(wrong)
    asked = _unforeseen_dialog(view, page, read)
    if asked is not None:
        return RouteOutcome(asked)
    at, seen, notes = current_step(view), (), ()
    while at < len(view.spec.route):
        context = RouteContext(view, page, read, at)
        outcome = HANDLERS[type(context.step)](context, context.step)
        if not isinstance(outcome, NextStep):
            return RouteOutcome(outcome, seen, notes)
        seen, notes = (*seen, *outcome.seen), (*notes, *outcome.notes)
        at += 1 + outcome.skip
    return RouteOutcome(None, seen, notes)


def _unforeseen_dialog(view: SampleView, page: PageObserved, read: PageRead) -> Act | None:
    """Name the question that the page asks, where no press of the route has led to it: nothing else is seen then."""
    if page.dialog is None:
        return None
    context = RouteContext(view, page, read, min(current_step(view), len(view.spec.route) - 1))
    if isinstance(context.step, PressButton) and context.entries():
        return None
    return context.fail("off_route", f"the page asks {quoted(page.dialog)}, and the route does not foresee it")


def told_otherwise(view: SampleView, page: PageObserved, read: PageRead) -> Act | ObserveAgain | None:
    """Return the end of a sample whose last page says that nothing was sent, or something else than was sent."""
    pressed = [at for at in irreversible_steps(view) if entries_of(view.state.history, at)]
    if not pressed:
        return None
    context = RouteContext(view, page, read, pressed[-1])
    if refused := not_sent(view):
        return context.fail("not_sent", refused)
    doubt = navigation.outcome_doubts(replace(context, index=len(view.spec.route)))
    later = observe_later(view, looks=2) if doubt else None
    why = f"the page does not tell of what was sent: {doubt}"
    return later or (context.fail("unknown_outcome", why) if doubt else None)


def current_step(view: SampleView) -> int:
    """Return the step that the last action was taken for, counted from 0."""
    mark = last_mark(view.state.history)
    return mark.step - 1 if mark is not None else 0


def is_before_pick(view: SampleView) -> bool:
    """Return whether the record is still to be picked from a list, so that nothing on the page is its own yet."""
    for at in range(current_step(view), len(view.spec.route)):
        step = view.spec.route[at]
        picks = isinstance(step, Pick) or (isinstance(step, Search) and step.search.pick is not None)
        if picks and not any(entry.ok for entry in entries_of(view.state.history, at, searching.OPEN_PART)):
            return True
    return False


def may_say_not_found(view: SampleView) -> bool:
    """Return whether words of the page for "no such record" count: the site's own on each page that a step has led to,
    and those of the start page once no record is left to be picked."""
    asked = not is_before_pick(view) and bool(view.spec.identity or view.spec.not_found_texts)
    return asked or (bool(view.spec.not_found_texts) and last_mark(view.state.history) is not None)


def missing_columns_decision(view: SampleView) -> Act | None:
    """Fail if the row lacks a column that the route needs."""
    row = row_with_gaps(view.spec, view.sample)
    optional = {name for name, kind in view.spec.input_schema.items() if "|" in kind}
    asked = dict.fromkeys(name for step in view.spec.route for text in texts_of(step) for name in placeholders(text))
    missing = [name for name in asked if not row.get(name, "").strip() and name not in optional]
    if not missing:
        return None
    return by_rule(Fail(code="missing_column", note=f"the row has no value for: {', '.join(missing)}"))


def needs_dialog(view: SampleView, page: PageObserved, read: PageRead) -> bool:
    """Return whether the target of the current step is in a dialog, which must stay open then."""
    at = current_step(view)
    return any(_acts_in_dialog(RouteContext(view, page, read, n)) for n in range(at, min(at + 2, len(view.spec.route))))


def _acts_in_dialog(context: RouteContext) -> bool:
    step, page = context.step, context.page
    if isinstance(step, PressButton):
        found = find_pressable(page, words(step.press))
    elif isinstance(step, Follow):
        found = find_pressable(page, words(step.follow))
    elif isinstance(step, ShowTab):
        found = find_tabs(page, words(step.tab))
    elif isinstance(step, Fill):
        found = [e for label in step.fill for e in find_controls(page, filling.labels_in(label))]
    elif isinstance(step, FetchFile):
        found = find_pressable(page, words(step.press) or (step.download,))
    else:
        return False
    return any(element.in_dialog for element in found)


def unnamed_readings(view: SampleView, page: PageObserved, read: PageRead) -> tuple[FieldValue, ...]:
    """Return readings of fields that no step names, from pages of this record."""
    if is_before_pick(view) or not is_on_trail(view, read):
        return ()
    named = {name for step in view.spec.route for name in fields_of(step)} - set(view.spec.identity)
    open_ = {name: reading for name, reading in read.readings.items() if name not in named}
    known = {name for name, value in view.state.seen.items() if value.source and value.source.url != page.url}
    values = field_values(view.spec, open_, page)
    return tuple(v for v in values if (v.state != "not_found" or v.candidates) and v.field not in known)


def _wrong_status(view: SampleView, page: PageObserved) -> Act | None:
    """Handle an error status of a page that a step has led to."""
    mark, status = last_mark(view.state.history), page.http_status
    if mark is None or status is None or status < 400:
        return None
    context = RouteContext(view, page, PageRead({}, collecting.UNPROVEN), mark.step - 1)
    message = f"{page.url} answers with HTTP {status}"
    step = context.step
    if isinstance(step, PressButton) and step.irreversible:
        return context.fail("unknown_outcome", f"the button was pressed, and {message}")
    if status in LOGIN:
        return context.fail("auth_required", message)
    if (status >= 500 or status == 429) and reloads(view.state.history) < MAX_TRIES:
        again = Goto(url=page.url, reason=f"the site answered with HTTP {status}; once more.")
        return by_rule(again, RouteMark(step=mark.step, part=RELOAD))
    return context.fail("http_error", message)
