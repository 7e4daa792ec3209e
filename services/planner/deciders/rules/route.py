"""Pure: going along the route of a task. How far a sample has come follows from its history alone: the last action that
was taken for a step says which step that is, and each step says of itself whether anything is left to be done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from services.planner.deciders.rules import collecting, filling, navigation, pressing, searching
from services.planner.deciders.rules.route_context import (
    RELOAD,
    Onward,
    Scene,
    entries_of,
    last_mark,
    reloads,
    row_with_gaps,
)
from services.planner.page.fields import Ambiguous, field_values
from services.planner.page.identity import PageRead
from services.planner.page.targets import controls, pressable, tabs
from services.planner.state.common_decisions import LOGIN, MAX_TRIES, by_rule
from services.planner.state.sample_state import Act, Look, View
from shared.contracts.actions import Fail, Goto
from shared.contracts.browser_pool import PageObserved
from shared.contracts.steps import FieldValue, Note, RouteMark
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

HANDLERS: dict[type[Step], Callable[[Scene, Any], Act | Look | Onward]] = {
    Follow: navigation.follow,
    ShowTab: navigation.show_tab,
    Open: navigation.open_address,
    GoBack: navigation.go_back,
    Search: searching.search,
    Pick: searching.pick,
    Fill: filling.fill_in,
    PressButton: pressing.press,
    TakePicture: collecting.take_picture,
    FetchFile: collecting.fetch_file,
    FetchAll: collecting.fetch_all,
    Count: collecting.count,
    Address: collecting.take_address,
    Headline: collecting.take_headline,
    Read: collecting.read_here,
}


@dataclass(frozen=True)
class Walked:
    """``decision`` is None once the route is at its end; ``seen`` is what steps read on this page."""

    decision: Act | Look | None
    seen: tuple[FieldValue, ...] = ()
    notes: tuple[Note, ...] = ()


def walk(view: View, page: PageObserved, read: PageRead) -> Walked:
    """What is to be done next for the route."""
    wrong = _wrong_status(view, page)
    if wrong is not None:
        return Walked(wrong)
    at, seen, notes = position(view), (), ()
    while at < len(view.spec.route):
        scene = Scene(view, page, read, at)
        outcome = HANDLERS[type(scene.step)](scene, scene.step)
        if not isinstance(outcome, Onward):
            return Walked(outcome, seen, notes)
        seen, notes = (*seen, *outcome.seen), (*notes, *outcome.notes)
        at += 1 + outcome.skip
    return Walked(None, seen, notes)


def position(view: View) -> int:
    """The step that the last action was taken for; the first one where there was none."""
    mark = last_mark(view.state.history)
    return mark.step - 1 if mark is not None else 0


def searching_ahead(view: View) -> bool:
    """The record has not been picked yet, so nothing on the page may be taken for its own."""
    for at in range(position(view), len(view.spec.route)):
        step = view.spec.route[at]
        picks = isinstance(step, Pick) or (isinstance(step, Search) and step.search.pick is not None)
        if picks and not any(entry.ok for entry in entries_of(view.state.history, at, searching.OPENED)):
            return True
    return False


def unfit(view: View) -> Act | None:
    """The row lacks what the route asks for."""
    row = row_with_gaps(view.spec, view.sample)
    optional = {name for name, kind in view.spec.input_schema.items() if "|" in kind}
    asked = dict.fromkeys(name for step in view.spec.route for text in texts_of(step) for name in placeholders(text))
    missing = [name for name in asked if not row.get(name, "").strip() and name not in optional]
    if not missing:
        return None
    return by_rule(Fail(code="missing_column", note=f"the row has no value for: {', '.join(missing)}"))


def wants_dialog(view: View, page: PageObserved, read: PageRead) -> bool:
    """What the step at hand is to act on stands in a dialog, which must not be sent away then."""
    at = position(view)
    return any(_acts_in_dialog(Scene(view, page, read, n)) for n in range(at, min(at + 2, len(view.spec.route))))


def _acts_in_dialog(scene: Scene) -> bool:
    step, page = scene.step, scene.page
    if isinstance(step, PressButton):
        found = pressable(page, words(step.press))
    elif isinstance(step, Follow):
        found = pressable(page, words(step.follow))
    elif isinstance(step, ShowTab):
        found = tabs(page, words(step.tab))
    elif isinstance(step, Fill):
        found = [e for label in step.fill for e in controls(page, filling.labels_in(label))]
    elif isinstance(step, FetchFile):
        found = pressable(page, words(step.press) or (step.download,))
    else:
        return False
    return any(element.in_dialog for element in found)


def in_passing(view: View, page: PageObserved, read: PageRead) -> tuple[FieldValue, ...]:
    """Fields that no step names, where the page at hand shows them and is this record's or on its trail."""
    if searching_ahead(view) or not collecting.on_trail(view, read):
        return ()
    named = {name for step in view.spec.route for name in fields_of(step)} - set(view.spec.identity)
    open_ = {name: reading for name, reading in read.readings.items() if name not in named}
    clear = {name: reading for name, reading in open_.items() if not isinstance(reading, Ambiguous)}
    known = {name for name, value in view.state.seen.items() if value.source and value.source.url != page.url}
    values = field_values(view.spec, clear, page)
    return tuple(v for v in values if v.state != "not_found" and v.field not in known)


def _wrong_status(view: View, page: PageObserved) -> Act | None:
    """A page that a step has led to answers with an error."""
    mark, status = last_mark(view.state.history), page.http_status
    if mark is None or status is None or status < 400:
        return None
    scene = Scene(view, page, PageRead({}, collecting.UNPROVEN), mark.step - 1)
    told = f"{page.url} answers with HTTP {status}"
    step = scene.step
    if isinstance(step, PressButton) and step.irreversible:
        return scene.fail("unknown_outcome", f"the button was pressed, and {told}")
    if status in LOGIN:
        return scene.fail("auth_required", told)
    if (status >= 500 or status == 429) and reloads(view.state.history) < MAX_TRIES:
        again = Goto(url=page.url, reason=f"the site answered with HTTP {status}; once more.")
        return by_rule(again, RouteMark(step=mark.step, part=RELOAD))
    return scene.fail("http_error", told)
