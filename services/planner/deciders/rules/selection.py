"""A field that offers options while typing. The one matching option is clicked, and the field must show it
afterwards."""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.deciders.rules.route_context import RouteContext
from services.planner.page.targets import find_controls
from services.planner.page.text import find_mention
from services.planner.state.attempt_state import Act, ObserveAgain
from services.planner.state.common_decisions import MAX_TRIES, observe_later
from shared.contracts.actions import Click, TypeText
from shared.contracts.browser_pool import Element
from shared.text.normal import fold, quoted


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
    return _press(context, selection, called)


def only_control(context: RouteContext, labels: tuple[str, ...]) -> Element | None:
    """Return the one control with these labels, or None."""
    found = find_controls(context.page, labels)
    return found[0] if len(found) == 1 else None


def _press(context: RouteContext, selection: Selection, called: str) -> Act | ObserveAgain:
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
