"""Pure: what a task says cannot be taken back: the buttons its route marks so. Each is pressed once by anybody.

The route's own marks are believed only of the rules, which set them, and of a replay of these.
"""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.page.identity import row_of
from services.planner.page.targets import pressable
from services.planner.page.text import label_form, mentions
from services.planner.state.sample_state import Entry, View
from shared.contracts.actions import AnyAction, ByCss, ByRef, ByText, Click, Download, Drag, Pick, Press, Target
from shared.contracts.planner import BY_RULE, WITHOUT_MODEL
from shared.contracts.steps import RouteMark
from shared.task_route import PressButton, words
from shared.task_spec import fill

FIRES = (Click, Press, Pick, Download, Drag)
"""What may press a button, whatever it is meant for."""
PRESSING_KEYS = frozenset({"enter", "numpadenter", "return", "space", "spacebar", ""})
"""By which a form is sent or a button pressed that nobody named; a blank is nothing once it is cut off."""


def last_words(view: View) -> tuple[int, ...]:
    """The steps of the route, counted from 0, that cannot be taken back."""
    return tuple(at for at, step in enumerate(view.spec.route) if isinstance(step, PressButton) and step.irreversible)


def step_of(view: View, action: AnyAction, decided_by: str, mark: RouteMark | None = None) -> int | None:
    """The step whose press this is, counted from 0: by the route's own ``mark``, else by what is acted on."""
    if not isinstance(action, FIRES):
        return None
    there = last_words(view)
    if mark is not None and decided_by in WITHOUT_MODEL and (mark.step - 1 in there or decided_by == BY_RULE):
        return mark.step - 1 if mark.step - 1 in there else None
    return next((at for at in there if _is_button_of(view, at, action.target)), None)


def refused_press(view: View, action: AnyAction) -> str:
    """Why a press that no rule has chosen is refused: it was made in this attempt already, or nobody can tell whether
    it is the one that is made once only. Empty where it may be made."""
    return _untold(view, action) or pressed_before(view, action, "")


def pressed_before(view: View, action: AnyAction, decided_by: str, mark: RouteMark | None = None) -> str:
    """Why a press is refused that was made in this attempt already; empty where it was not."""
    at = step_of(view, action, decided_by, mark)
    if at is None or not any(entry.may_have_fired and _may_be(view, entry, at) for entry in view.state.history):
        return ""
    return (
        f"Step {at + 1} of the route was taken already and cannot be taken back: the button is not pressed again. Find "
        "out from the page what came of it; if it cannot be told, call fail with the code unknown_outcome."
    )


def _untold(view: View, action: AnyAction) -> str:
    if not last_words(view) or not isinstance(action, FIRES):
        return ""
    if isinstance(action.target, ByCss):
        return "This task has a button that is pressed once only: say what to act on by its ref, not by a CSS selector."
    if isinstance(action, Press) and action.keys.rpartition("+")[2].strip().casefold() in PRESSING_KEYS:
        shown = view.page is None or any(_buttons(view, at) for at in last_words(view))
        return f"{action.keys} may press a button here that is pressed once only: click what you mean." if shown else ""
    return ""


# --- which button it is


def _is_button_of(view: View, at: int, target: Target | None) -> bool:
    if isinstance(target, ByRef):
        return target.ref in _buttons(view, at)
    return isinstance(target, ByText) and _may_mean(view, at, target.text)


def _buttons(view: View, at: int) -> frozenset[int]:
    """Refs of what may be the button: what is called so in full, and the buttons that are called so most closely."""
    page, wanted = view.page, _words(view, at)
    if page is None:
        return frozenset()
    labels = {label_form(word) for word in wanted}
    exact = {element.ref for element in page.elements if label_form(element.name) in labels}
    closest = (e for e in pressable(page, wanted) if e.role != "link" and not _another(view, at, e.name))
    return frozenset((*exact, *(element.ref for element in closest)))


def _may_mean(view: View, at: int, text: str) -> bool:
    """Text is looked for in full, then as a part: a part of the button's words may find it, and more than these too."""
    said, wanted = label_form(text), _words(view, at)
    labels = {label_form(word) for word in wanted}
    page = view.page
    if said in labels:
        return True
    if page is not None and (found := [e.ref for e in page.elements if label_form(e.name) == said]):
        return any(ref in _buttons(view, at) for ref in found)
    return any(said in label for label in labels) or _says(view, at, text)


def _may_be(view: View, entry: Entry, at: int) -> bool:
    """Whether what was done may have been the press of this step; the page it was done on is gone."""
    action = entry.action
    if not isinstance(action, FIRES):
        return False
    if entry.route is not None and entry.decided_by == BY_RULE:
        return entry.route.step == at + 1
    found = entry.result.target if entry.result is not None else None
    if found is None:
        return not isinstance(action.target, ByText) or _may_mean(view, at, action.target.text)
    exact = label_form(found.name) in {label_form(word) for word in _words(view, at)}
    return exact or (found.role != "link" and _says(view, at, found.name))


def _says(view: View, at: int, text: str) -> bool:
    """The button's words stand in it, and they are not those of another step."""
    return any(mentions(text, word) is not None for word in _words(view, at)) and not _another(view, at, text)


def _another(view: View, at: int, text: str) -> bool:
    others = (word for n in range(len(view.spec.route)) if n != at for word in _pressed_words(view, n))
    return label_form(text) in {label_form(word) for word in others}


def _words(view: View, at: int) -> tuple[str, ...]:
    return tuple(_pressed_words(view, at))


def _pressed_words(view: View, at: int) -> Iterator[str]:
    step, row = view.spec.route[at], row_of(view.sample)
    if isinstance(step, PressButton):
        yield from (filled for word in words(step.press) if (filled := fill(word, row)).strip())
