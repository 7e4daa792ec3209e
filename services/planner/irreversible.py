"""Pure: what a task says cannot be taken back: the buttons its route marks so. Each is pressed once by anybody."""

from __future__ import annotations

from services.planner.identity import row_of
from services.planner.page_text import label_form
from services.planner.route_marks import read_mark
from services.planner.sample_state import NOT_FIRED, Entry, View
from shared.contracts.actions import ByRef, ByText, Click
from shared.contracts.planner import AnyAction
from shared.task_route import PressButton, words
from shared.task_spec import fill


def last_words(view: View) -> tuple[int, ...]:
    """The steps of the route, counted from 0, that cannot be taken back."""
    return tuple(at for at, step in enumerate(view.spec.route) if isinstance(step, PressButton) and step.irreversible)


def step_of(view: View, action: AnyAction) -> int | None:
    """The step whose press this is: by the route's own mark, else by what the button is called."""
    if not isinstance(action, Click):
        return None
    mark = read_mark(action)
    if mark is not None:
        return mark.at if mark.at in last_words(view) else None
    return _called(view, _name_of(view, action))


def pressed_before(view: View, action: AnyAction) -> str:
    """Why a press is refused that was made in this attempt already; empty where it was not."""
    at = step_of(view, action)
    if at is None or not any(_may_have_fired(entry) and _step_then(view, entry) == at for entry in view.state.history):
        return ""
    return (
        f"Step {at + 1} of the route was taken already and cannot be taken back: the button is not pressed again. Find "
        "out from the page what came of it; if it cannot be told, call fail with the code unknown_outcome."
    )


def _step_then(view: View, entry: Entry) -> int | None:
    if not isinstance(entry.action, Click):
        return None
    mark = read_mark(entry.action)
    if mark is not None:
        return mark.at if mark.at in last_words(view) else None
    found = entry.result.target if entry.result is not None else None
    return _called(view, found.name if found is not None else "")


def _may_have_fired(entry: Entry) -> bool:
    return not entry.refused and (entry.ok or entry.result is None or entry.result.code not in NOT_FIRED)


def _name_of(view: View, action: Click) -> str:
    if isinstance(action.target, ByText):
        return action.target.text
    if not isinstance(action.target, ByRef) or view.page is None:
        return ""
    ref = action.target.ref
    return next((element.name for element in view.page.elements if element.ref == ref), "")


def _called(view: View, name: str) -> int | None:
    row = row_of(view.sample)
    for at in last_words(view):
        step = view.spec.route[at]
        assert isinstance(step, PressButton)
        if name.strip() and label_form(name) in {label_form(fill(word, row)) for word in words(step.press)}:
            return at
    return None
