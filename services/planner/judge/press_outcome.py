"""What tells that a press that cannot be undone has done what it was to do. Pure.

What stood on the page before the press tells nothing of it: an older number beside the form is not the confirmation. A
page that says that it was not sent, and one that shows the form again with an alert, is none either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from services.planner.state.attempt_state import Ending, Entry, SampleProblem, SampleView, ending_of
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.codes import facts_of
from shared.contracts.results import ValueSet
from shared.contracts.steps import FieldValue
from shared.pages.elements import is_input, text_of
from shared.pages.identity.identity import read_page
from shared.pages.loading import foreground
from shared.pages.read.fields import FieldAmbiguous, FieldFound
from shared.pages.sending import says_not_sent
from shared.task.route import Fill, fields_of
from shared.task.row_values import template_values
from shared.text.normal import fold, label_form, quoted

ERROR_PAGE = "chrome-error:"
"""Where the address begins of what the browser shows in place of a page that did not come."""


def texts_shown(view: SampleView) -> dict[str, tuple[str, ...]]:
    """Return what the page shows for each field of the task, before it is pressed."""
    if view.page is None:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for name, reading in read_page(view.spec, view.sample, view.page).readings.items():
        if isinstance(reading, FieldFound) and reading.candidate.shown and not is_input(reading.candidate.element):
            found[name] = (reading.candidate.shown,)
        elif isinstance(reading, FieldAmbiguous):
            found[name] = tuple(reading.texts)
    return found


def _tells_of_press(ending: Ending) -> bool:
    facts = facts_of(ending.reason)
    return facts is not None and facts.tells_of_press


def last_press(view: SampleView) -> Entry | None:
    """Return the last press that cannot be undone and may have reached the page."""
    return next((one for one in reversed(view.state.history) if one.claimed and one.may_have_fired), None)


def is_older(view: SampleView, value: FieldValue) -> bool:
    """Return whether the value stood on the page before the press, so that it tells nothing of that.

    What a record has is its own, before a press and after it; so is what the row gives, and what the route has read.
    """
    press = last_press(view)
    if press is None or value.state != "value" or value.field in view.spec.identity:
        return False
    if view.spec.identity and view.state.proven_at:
        return False
    shown = fold(value.shown or str(value.value))
    if shown not in map(fold, press.stood.get(value.field, ())):
        return False
    return shown not in map(fold, template_values(view.sample).values()) and value.field not in _read_before(view)


def without_older(view: SampleView, value: FieldValue) -> FieldValue:
    """Return the value, or that none was found where it tells nothing of the press."""
    return FieldValue(field=value.field, state="not_found") if is_older(view, value) else value


def _read_before(view: SampleView) -> frozenset[str]:
    """Return the fields that a step before the last irreversible one reads."""
    route = view.spec.route
    last = max((at for at, step in enumerate(route) if getattr(step, "irreversible", False)), default=0)
    return frozenset(name for step in route[:last] if not isinstance(step, Fill) for name in fields_of(step))


def outcome_problems(view: SampleView, values: Iterable[FieldValue]) -> list[SampleProblem]:
    """Return what speaks against an end as done after a press that cannot be undone."""
    refused = not_sent(view)
    if refused:
        return [SampleProblem("not_sent", refused)]
    failed = not_taken(view)
    if failed:
        return [SampleProblem("unknown_outcome", failed)]
    older = ((one.field, quoted(one.shown or str(one.value))) for one in values if is_older(view, one))
    return [SampleProblem("unknown_outcome", f"{shown} stood there before the press", name) for name, shown in older]


def untold(view: SampleView, ending: Ending) -> Ending:
    """Return the ending, or that the outcome is unknown where a press may have been sent that nothing tells of: what
    else went wrong since does not hide that."""
    press = last_press(view)
    if press is None or ending.status == "done" or _tells_of_press(ending) or _has_news(view, press):
        return ending
    message = f"the button was pressed, and nothing tells what came of it; {ending.message}"
    return replace(ending_of("unknown_outcome", message), values=ending.values, flagged=True, notes=ending.notes)


def _has_news(view: SampleView, press: Entry) -> bool:
    """Return whether a value was read that the press has led to, or one of several: on a page that came with it, or as
    a text that the page did not show for the field before."""
    at, given = view.state.history.index(press), {*view.spec.identity, *_read_before(view)}
    before = {entry.url for entry in view.state.history[: at + 1]}
    after = {entry.url for entry in view.state.history[at + 1 :]}
    after = after if view.page is None else after | {view.page.url}
    read = [
        (value.field, one)
        for value in (*view.state.seen.values(), *view.state.doubts.values())
        for one in (value, *value.candidates)
        if one.source is not None and one.shown and value.field not in given
    ]
    for name, one in read:
        url = one.source.url if one.source is not None else ""
        stood = map(fold, press.stood.get(name, ()))
        if url in after and (url not in before or fold(one.shown or "") not in stood):
            return True
    return False


def not_taken(view: SampleView) -> str:
    """Return what the browser tells of a press that the site did not take, whatever the page says; empty: nothing."""
    press = last_press(view)
    if press is None or press.result is None:
        return ""
    change = press.result.change
    if change.url_after.startswith(ERROR_PAGE):
        return "the page that the press leads to did not come"
    asked = foreground(change.not_taken, view.spec)
    return f"the site answered the press with an error, or not at all: {quoted(asked[0])}" if asked else ""


def not_sent(view: SampleView) -> str:
    """Return how the page says that nothing was sent; empty: it does not say so, or nothing was pressed."""
    press = last_press(view)
    if press is None or view.page is None:
        return ""
    appeared = press.result.change.appeared if press.result is not None else ()
    words = says_not_sent(view.page, appeared)
    if words:
        return f"after the press the page says {quoted(words)}"
    held = _held_fields(view, press)
    if not held:
        return ""
    invalid = [one for one in held if "invalid" in one.states]
    if invalid:
        return f"after the press the page shows the form again, and calls {quoted(invalid[0].name)} invalid"
    alert = next((one.name for one in view.page.elements if one.role == "alert" and one.name), "")
    return f"after the press the page shows the form again, and says {quoted(alert)}" if alert else ""


def _held_fields(view: SampleView, press: Entry) -> list[Element]:
    """Return the fields of the page that still hold what was filled in before the press."""
    filled = _filled(view, press)
    page: PageObserved | None = view.page
    fields = [one for one in page.elements if is_input(one)] if page is not None else []
    return [one for one in fields if text_of(one) and filled.get(label_form(one.name)) == fold(text_of(one))]


def _filled(view: SampleView, press: Entry) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for entry in view.state.history[: view.state.history.index(press)]:
        target = entry.result.target if entry.result is not None else None
        effect = entry.result.effect if entry.result is not None else None
        if entry.ok and target is not None and isinstance(effect, ValueSet) and effect.value:
            found[label_form(target.name)] = fold(effect.value)
    return found
