"""Fields that save by themselves, as soon as they are filled in, without a button. Pure.

What the page sent then, and how the site answered, is in the result of the step. That the site took it is no proof of
what it has stored: a route that opens the record anew, and reads the field, has that.
"""

from __future__ import annotations

from services.planner.state.attempt_state import Entry, SampleProblem, SampleView
from shared.contracts.actions import Click, DoubleClick, PickOption, Press, SelectOption, SetDate, TypeText, Upload
from shared.contracts.results import CheckboxSet
from shared.pages.loading import foreground
from shared.text.normal import label_form, quoted

FILLS = (TypeText, SelectOption, PickOption, SetDate, Upload)
KEY = "background_requests"
PRESSES = (Click, DoubleClick, Press)
LEAVES = frozenset({"Tab", "Shift+Tab"})
"""Keys that take the focus from a field: what is sent then is what was filled in last."""


def unsaved_problems(view: SampleView) -> list[SampleProblem]:
    """Return the fields that the page sent as they were filled in, and that the site has refused or not answered.

    One that was taken later is none: as it was filled in again, or by a press that sent the same request."""
    refused: dict[str, tuple[str, str]] = {}
    last: str | None = None
    for entry in view.state.history:
        if entry.result is None:
            continue
        change, filled = entry.result.change, _filled(entry)
        if isinstance(entry.action, Press) and entry.action.keys in LEAVES:
            filled = last
        last = filled or last
        if filled is None:
            if isinstance(entry.action, PRESSES):
                taken = foreground(change.taken_requests, view.spec)
                refused = {name: one for name, one in refused.items() if one[1] not in taken}
            continue
        failed = foreground(change.not_taken, view.spec)
        if failed:
            refused[label_form(filled)] = filled, failed[0]
        elif foreground(change.taken_requests, view.spec):
            refused.pop(label_form(filled), None)
    return [SampleProblem("not_sent", _words(name, asked)) for name, asked in refused.values()]


def _words(name: str, asked: str) -> str:
    told = f"the site has refused what was filled in at {quoted(name)}, or has not answered it: {asked}"
    return f"{told} (`{KEY}` of the spec names requests that save nothing)"


def _filled(entry: Entry) -> str | None:
    """Return what the field is called that a step has filled in or ticked; None: it did something else, or searched."""
    result = entry.result
    if result is None or not (isinstance(entry.action, FILLS) or isinstance(result.effect, CheckboxSet)):
        return None
    target = result.target
    return None if target is None or target.role == "searchbox" else target.name
