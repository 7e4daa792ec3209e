"""Fills in a form by its labels. Each field gets the action that fits it, and is read back.

Where a field offers options while typing, the one matching option is clicked, and the field must show it afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.drivers.rules.route_context import NextStep, RouteContext
from services.planner.state.attempt_state import Act, Entry, ObserveAgain
from services.planner.state.common_decisions import MAX_TRIES, observe_later
from shared.contracts.actions import BrowserAction, Click, PickOption, SetDate, TypeText
from shared.contracts.browser_pool import Element
from shared.contracts.results import ValueSet
from shared.field_types import base_type
from shared.pages.elements import is_input, text_of
from shared.pages.locate.by_name import find_controls
from shared.pages.read.fields import labelled_candidates
from shared.task.route import Choice, Fill
from shared.task.spec import PLACEHOLDER
from shared.task.typed_values import FALSE, TRUE
from shared.text.dates import NotADate, iso_date, same_date
from shared.text.normal import fold, label_form, quoted
from shared.text.numbers import same_number
from shared.text.record_words import find_mention

CHOICES = frozenset({"combobox", "listbox", "button"})
TICKED = frozenset({"checkbox", "switch"})


def labels_in(written: str) -> tuple[str, ...]:
    """Return the labels of one field: `Country | Nation` names two."""
    return tuple(part.strip() for part in written.split("|") if part.strip())


def fill_in(context: RouteContext, step: Fill) -> Act | ObserveAgain | NextStep:
    """Fill in the fields of the step one by one."""
    for number, (label, written) in enumerate(step.fill.items(), start=1):
        template = template_of(written)
        wanted = context.filled_text(template)
        if not wanted and PLACEHOLDER.search(template):
            continue
        if isinstance(written, Choice):
            choice = Selection(str(number), labels_in(label), context.filled_text(written.search), wanted)
            if (decision := select_option(context, choice)) is not None:
                return decision
            continue
        decision = _fill_one(context, str(number), labels_in(label), wanted, _is_date(context, template))
        if decision is not None:
            return decision
    return NextStep()


def template_of(written: str | Choice) -> str:
    """Return the template of the value that the field is to hold in the end."""
    return written.option if isinstance(written, Choice) else written


def fields_not_held(context: RouteContext, step: Fill) -> list[str]:
    """Return fields that no longer hold what was filled in, or that the page marks as invalid."""
    doubts: list[str] = []
    for number, label in enumerate(step.fill, start=1):
        tried = context.entries(str(number))
        control = only_control(context, labels_in(label))
        if tried and not any(entry.ok for entry in tried):
            doubts.append(f"{quoted(label)} was not filled in: {tried[-1].message}")
        elif control is not None and "invalid" in control.states:
            doubts.append(f"the page calls {quoted(label)} invalid")
        elif control is not None and tried and not _holds(control, tried):
            doubts.append(f"{quoted(label)} holds {quoted(text_of(control))} now")
    return doubts


def fields_shown_differently(context: RouteContext, step: Fill) -> list[str]:
    """Return fields for which a review page shows another value than was filled in."""
    doubts: list[str] = []
    for label, written in step.fill.items():
        template = template_of(written)
        wanted = context.filled_text(template)
        forms = frozenset(label_form(one) for one in labels_in(label))
        texts = [c.shown for c in labelled_candidates(context.page.elements, forms) if not is_input(c.element)]
        if wanted and texts and not any(_shows_value(text, wanted, _is_date(context, template)) for text in texts):
            doubts.append(
                f"the page shows {quoted(texts[0])} for {quoted(label)}, where {quoted(wanted)} was filled in"
            )
    return doubts


def fields_shown(context: RouteContext, step: Fill) -> int:
    """Return how many fields of the step the page shows under their labels, outside of controls."""
    forms = [frozenset(label_form(one) for one in labels_in(label)) for label in step.fill]
    elements = context.page.elements
    return sum(any(not is_input(c.element) for c in labelled_candidates(elements, one)) for one in forms)


def _shows_value(text: str, wanted: str, is_date: bool) -> bool:
    if is_date:
        return same_date(text, wanted)
    return fold(text) == fold(wanted) or find_mention(text, wanted) is not None or same_number(text, wanted) is True


def _fill_one(
    context: RouteContext, part: str, labels: tuple[str, ...], wanted: str, is_date: bool
) -> Act | ObserveAgain | None:
    """Return the next action for this field; None once it holds its value."""
    tried = context.entries(part)
    radio = _radio(context, labels, wanted)
    found = find_controls(context.page, labels) if radio is None else [radio] if isinstance(radio, Element) else []
    set_before = any(entry.ok for entry in tried)
    if isinstance(radio, list):
        return _not_offered(context, labels, wanted, f"the page offers {', '.join(map(quoted, radio))}")
    if not found:
        return None if set_before else context.missing_element(f"field called {' or '.join(map(quoted, labels))}")
    if len(found) > 1:
        names = ", ".join(f"{e.role} {quoted(e.name)}" for e in found[:5])
        return context.fail(
            "ambiguous_target", f"more than one field is called {' or '.join(map(quoted, labels))}: {names}"
        )
    control = found[0]
    if (set_before and _holds(control, tried)) or (not tried and _holds_already(control, wanted)):
        return None
    return _set(context, part, control, wanted, is_date, tried)


def _set(
    context: RouteContext, part: str, control: Element, wanted: str, is_date: bool, tried: tuple[Entry, ...]
) -> Act | ObserveAgain | None:
    last = tried[-1] if tried else None
    code = last.result.code if last is not None and last.result is not None else ""
    if len(tried) >= MAX_TRIES:
        message = (
            last.message if last is not None and not last.ok else f"it holds {quoted(text_of(control))} in the end"
        )
        if code in ("no_such_option", "ambiguous"):
            return _not_offered(context, (control.name,), wanted, message)
        return context.fail("invalid_input", f"{quoted(control.name)} does not take {quoted(wanted)}: {message}")
    if "disabled" in control.states:
        return observe_later(context.view) or context.off_route(f"{quoted(control.name)} is disabled")
    if code == "no_such_option" and (later := observe_later(context.view, looks=2)) is not None:
        return later
    action = _action(context, control, wanted, is_date)
    if isinstance(action, str):
        return context.fail("invalid_input", action)
    return context.act(action, f"{quoted(control.name)} is to hold {quoted(wanted)}.", part)


def _action(context: RouteContext, control: Element, wanted: str, is_date: bool) -> BrowserAction | str:
    """Return the action that fits the control, or why no action can set this value."""
    target = context.ref(control)
    if control.role in TICKED:
        return Click(target=target) if fold(wanted) in TRUE | FALSE else f"{quoted(wanted)} is neither yes nor no"
    if control.role == "radio":
        return Click(target=target)
    if is_date:
        try:
            return SetDate(target=target, date=iso_date(wanted))
        except NotADate as exc:
            return str(exc)
    if control.role in CHOICES:
        return PickOption(target=target, option=wanted)
    return TypeText(target=target, text=wanted)


def _not_offered(context: RouteContext, labels: tuple[str, ...], wanted: str, message: str) -> Act | ObserveAgain:
    later = observe_later(context.view, looks=2)
    name = " or ".join(map(quoted, labels))
    return later or context.fail("invalid_input", f"{name} does not offer {quoted(wanted)}: {message}")


def _is_date(context: RouteContext, template: str) -> bool:
    """Return whether the field gets a column of type date and nothing else."""
    column = PLACEHOLDER.fullmatch(template.strip())
    return column is not None and base_type(context.view.spec.input_schema.get(column[1], "string")) == "date"


# --- what a field holds


def _holds(control: Element, tried: tuple[Entry, ...]) -> bool:
    """Return whether the control still shows what was read back when it was set."""
    last = next(entry for entry in reversed(tried) if entry.ok)
    effect = last.result.effect if last.result is not None else None
    if control.role in (*TICKED, "radio") or not isinstance(effect, ValueSet) or control.value is None:
        return True
    if isinstance(last.action, SetDate) and control.value:
        return same_date(control.value, last.action.date) or same_date(control.value, effect.value)
    return fold(effect.value) == fold(control.value) or same_number(control.value, effect.value) is True


def _holds_already(control: Element, wanted: str) -> bool:
    if control.role in TICKED:
        told = "mixed" not in control.states and fold(wanted) in TRUE | FALSE
        return told and ("checked" in control.states) == (fold(wanted) in TRUE)
    if control.role == "radio":
        return "checked" in control.states
    return control.value is not None and fold(control.value) == fold(wanted) != ""


def _radio(context: RouteContext, labels: tuple[str, ...], wanted: str) -> Element | list[str] | None:
    """Return the radio button of the group under the label; the options of the group if the value is not
    one of them."""
    elements = context.page.elements
    forms = {label_form(label) for label in labels}
    for at, element in enumerate(elements):
        if element.role == "radio" or label_form(element.name) not in forms:
            continue
        group = _group_after(elements, at)
        if group:
            fitting = [e for e in group if fold(e.name) == fold(wanted)]
            return fitting[0] if len(fitting) == 1 else [e.name for e in group]
    return None


def _group_after(elements: tuple[Element, ...], at: int) -> list[Element]:
    group: list[Element] = []
    for element in elements[at + 1 :]:
        if element.role != "radio":
            break
        group.append(element)
    return group


# --- fields that offer options while typing


@dataclass(frozen=True)
class Selection:
    """The option to select. `part` numbers the field in its step."""

    part: str
    labels: tuple[str, ...]
    search: str
    wanted: str


def select_option(context: RouteContext, selection: Selection) -> Act | ObserveAgain | None:
    """Return the next action for the field; None once it shows the selected option."""
    control = only_control(context, selection.labels)
    called = " or ".join(map(quoted, selection.labels))
    pressed = context.entries(selection.part)
    if control is None:
        gone = any(entry.ok for entry in pressed)
        return None if gone else context.missing_element(f"single field called {called}")
    if pressed and _shows_option(control.value or "", selection.wanted):
        return None
    if len(pressed) >= MAX_TRIES or len(context.entries(f"{selection.part}s")) > MAX_TRIES:
        return context.fail(
            "invalid_input", f"{called} does not take {quoted(selection.wanted)}: it holds {control.value!r}"
        )
    if fold(control.value or "") != fold(selection.search):
        action = TypeText(target=context.ref(control), text=selection.search)
        return context.act(action, f"{called} is searched for {quoted(selection.search)}.", f"{selection.part}s")
    return _click_option(context, selection, called)


def only_control(context: RouteContext, labels: tuple[str, ...]) -> Element | None:
    """Return the one control with these labels, or None."""
    found = find_controls(context.page, labels)
    return found[0] if len(found) == 1 else None


def _click_option(context: RouteContext, selection: Selection, called: str) -> Act | ObserveAgain:
    options = [e for e in context.page.elements if e.role == "option"]
    exact = [e for e in options if fold(e.name) == fold(selection.wanted)]
    fitting = exact or [e for e in options if _shows_option(e.name, selection.wanted)]
    if len(fitting) == 1:
        why = f"{quoted(fitting[0].name)} is the one option that says {quoted(selection.wanted)}."
        return context.act(Click(target=context.ref(fitting[0])), why, selection.part)
    later = observe_later(context.view, looks=3 if not fitting else 1)
    if later is not None:
        return later
    offered = ", ".join(quoted(e.name) for e in options[:8]) or "nothing"
    if fitting:
        return context.fail("ambiguous_record", f"{called} offers {quoted(selection.wanted)} more than once: {offered}")
    return context.fail("invalid_input", f"{called} does not offer {quoted(selection.wanted)}: it offers {offered}")


def _shows_option(text: str, wanted: str) -> bool:
    """Return whether the text shows the option; brackets, which `find_mention` does not handle, are
    compared in full."""
    return fold(text) == fold(wanted) or find_mention(text, wanted) is not None
