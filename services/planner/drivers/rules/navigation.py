"""Steps of the route that navigate or press: links, tabs, addresses, back, and buttons.

An irreversible button is pressed once, when all that was filled in has been read back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote, urljoin

from services.planner.drivers.rules import filling
from services.planner.drivers.rules.route_context import (
    NextStep,
    RouteContext,
    entries_of,
    is_on_trail,
    row_with_gaps,
)
from services.planner.judge.press_outcome import not_sent, not_taken
from services.planner.state.attempt_state import Act, Entry, ObserveAgain
from services.planner.state.common_decisions import MAX_TRIES, observe_later, observe_more, scroll_down
from services.planner.state.irreversible_steps import irreversible_steps
from shared.contracts.actions import AnswerDialog, Back, Click, Goto
from shared.contracts.browser_pool import Element
from shared.contracts.results import NotSeen
from shared.contracts.steps import FieldValue, plain_note
from shared.pages.locate.by_name import Rows, find_controls, find_pressable, find_tabs, rows_showing
from shared.task.route import Fill, Follow, GoBack, Open, PressButton, ShowTab, Step, Words, fields_of, words
from shared.task.row_values import expected_identity
from shared.task.spec import PLACEHOLDER
from shared.text.normal import bare_key, fold, quoted

OPTIONAL_LOOKS = 2
"""Extra observations of a page that may lack an optional link."""
CONFIRM_PART = "confirm"
LEAVES = (Follow, Open, GoBack, PressButton, ShowTab)
"""Steps that lead to another page."""


def follow(context: RouteContext, step: Follow) -> Act | ObserveAgain | NextStep:
    """Follow a link."""
    if has_succeeded(context.entries()):
        return NextStep()
    names = filled_words(context, step.follow)
    found = find_pressable(context.page, names, own=own_rows(context))
    what = f"link or button called {quoted_choice(names)}"
    if not found and step.optional:
        return _skip_optional(context, what)
    if not found:
        return scroll_for_links(context) or context.missing_element(what)
    if len(found) > 1:
        return observe_more(context.view, context.page) or ambiguous_targets(context, what, found)
    return press_once(context, found[0], f"{quoted(found[0].name)} leads on.")


def show_tab(context: RouteContext, step: ShowTab) -> Act | ObserveAgain | NextStep:
    """Open a tab of the page."""
    if has_succeeded(context.entries()):
        return NextStep()
    names = filled_words(context, step.tab)
    found = find_tabs(context.page, names)
    what = f"tab called {quoted_choice(names)}"
    if not found:
        return context.missing_element(what)
    if len(found) > 1:
        return ambiguous_targets(context, what, found)
    if {"selected", "current"} & set(found[0].states):
        return NextStep()
    return press_once(context, found[0], f"{quoted(found[0].name)} shows that part of the page.")


def open_address(context: RouteContext, step: Open) -> Act | ObserveAgain | NextStep:
    """Open an address."""
    if context.is_done():
        return NextStep()
    url = urljoin(context.page.url, filled_address(context, step.open))
    if len(context.entries()) >= MAX_TRIES:
        return context.fail("unreachable", _with_last_message(context, f"{url} could not be opened"))
    return context.act(Goto(url=url), "the route goes on there.")


def go_back(context: RouteContext, step: GoBack) -> Act | ObserveAgain | NextStep:
    """Go back one page."""
    if context.is_done():
        return NextStep()
    if len(context.entries()) >= MAX_TRIES:
        return context.off_route(_with_last_message(context, "there is no way back"))
    return context.act(Back(), "back to the page before.")


# --- buttons


def press(context: RouteContext, step: PressButton) -> Act | ObserveAgain | NextStep:
    """Press the button of the step."""
    if context.page.dialog is not None and context.entries():
        return _answer_dialog(context, step)
    fired = tuple(entry for entry in context.entries() if entry.may_have_fired)
    if step.irreversible and fired:
        return _after_press(context, fired)
    if has_succeeded(context.entries()):
        return NextStep()
    names = filled_words(context, step.press)
    found = _beside_what_was_filled(context, find_pressable(context.page, names))
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


def _beside_what_was_filled(context: RouteContext, found: list[Element]) -> list[Element]:
    """Return the one button of several that stands where the fields do that the route has filled in: in a form that
    only searches, or outside of any. Where that leaves it open, all of them."""
    steps = [step for step in context.view.spec.route[: context.index] if isinstance(step, Fill)]
    labels = [filling.labels_in(label) for step in steps for label in step.fill]
    searching = {e.area == "search" for names in labels for e in find_controls(context.page, names)}
    own = [e for e in found if (e.area == "search") in searching]
    return own if len(searching) == 1 and len(own) == 1 else found


def _press_irreversibly(context: RouteContext, name: str, click: Click, disabled: bool) -> Act | ObserveAgain:
    tried = context.entries()
    if tried and tried[-1].result is not None and tried[-1].result.code == "form_invalid":
        return context.fail("not_sent", tried[-1].message)
    doubt = press_mismatches(context)
    if doubt:
        return observe_later(context.view, looks=2) or context.fail(
            "invalid_input", f"{quoted(name)} is not pressed: {doubt}"
        )
    if disabled and not tried and (later := observe_later(context.view, looks=2)) is not None:
        return later  # what is still disabled then may be enabled once the last field has lost the focus
    if len(tried) >= 2:
        return context.off_route(f"{quoted(name)} cannot be pressed: {context.entries()[-1].message}")
    return context.act(click, f"{quoted(name)}, once and for good: all that was filled in has been read back.")


def press_mismatches(context: RouteContext) -> str:
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


def outcome_doubts(context: RouteContext) -> str:
    """Return what a page after an irreversible press shows differently than it was filled in; empty: nothing.

    The page that the press has led to counts; a later one where it repeats what was sent: under the labels of half of
    the fields, and of two at least."""
    route = context.view.spec.route
    pressed = [at for at in irreversible_steps(context.view) if at < context.index]
    fired = [at for at in pressed if any(one.may_have_fired for one in entries_of(context.view.state.history, at))]
    if not fired:
        return ""
    fills = [
        (RouteContext(context.view, context.page, context.read, at), step)
        for at, step in enumerate(route[: fired[-1]])
        if isinstance(step, Fill)
    ]
    left = any(isinstance(step, LEAVES) for step in route[fired[-1] + 1 : context.index])
    shown, fields = sum(filling.fields_shown(*one) for one in fills), sum(len(step.fill) for _, step in fills)
    if left and shown < max(2, fields / 2):
        return ""
    return "; ".join(doubt for one in fills for doubt in filling.fields_shown_differently(*one))


def _after_press(context: RouteContext, fired: tuple[Entry, ...]) -> Act | ObserveAgain | NextStep:
    """Go on after a press that plainly succeeded; otherwise its outcome is unknown."""
    if refused := not_sent(context.view):
        return context.fail("not_sent", refused)
    if doubt := outcome_doubts(replace(context, index=context.index + 1)):
        later = observe_later(context.view, looks=2)
        return later or context.fail("unknown_outcome", f"the page does not tell of what was sent: {doubt}")
    if failed := not_taken(context.view):
        return context.fail("unknown_outcome", f"the button was pressed, and {failed}")
    if has_succeeded(fired) or (fired[-1].ok and fired[-1].url not in ("", context.page.url)):  # it led on late
        return NextStep()
    message = fired[-1].message or "nothing was seen to come of it"
    return context.fail("unknown_outcome", f"the button was pressed, and it is not known what came of it: {message}")


def _answer_dialog(context: RouteContext, step: PressButton) -> Act:
    """Answer a dialog of the browser. Only the question that the route foresees is accepted."""
    asked = context.page.dialog or ""
    if step.confirm is not None and fold(context.filled_text(step.confirm)) in fold(asked):
        return context.act(AnswerDialog(answer="accept"), f"{quoted(asked)} is what was to be agreed to.", CONFIRM_PART)
    return context.fail("off_route", f"the page asks {quoted(asked)}, and the route does not foresee it")


# --- what several kinds of step share


def has_succeeded(entries: tuple[Entry, ...]) -> bool:
    """Return whether one of the actions had an effect."""
    return any(e.ok and not (e.result is not None and isinstance(e.result.effect, NotSeen)) for e in entries)


def press_once(context: RouteContext, element: Element, why: str, part: str = "") -> Act | ObserveAgain:
    """Click; if that has no effect, open the link's address or click again; then give up."""
    tried = context.entries(part or None)
    if "disabled" in element.states and (later := observe_later(context.view)) is not None:
        return later
    if not tried:  # a button that is disabled may be enabled once the last field has lost the focus
        return context.act(Click(target=context.ref(element)), why, part)
    if len(tried) < MAX_TRIES:
        action = Goto(url=element.url) if element.role == "link" and element.url else Click(target=context.ref(element))
        return context.act(action, f"{why} The first try came to nothing.", part)
    return context.off_route(_with_last_message(context, f"nothing comes of pressing {quoted(element.name)}"))


def filled_words(context: RouteContext, written: Words) -> tuple[str, ...]:
    """Return the words of the step with the row's values filled in."""
    return tuple(context.filled_text(word) for word in words(written))


def own_rows(context: RouteContext) -> Rows:
    """Return the table rows that show this record's own identity."""
    return rows_showing(context.page, expected_identity(context.view.spec, context.view.sample).values())


def quoted_choice(names: tuple[str, ...]) -> str:
    """Return the names as `"a" or "b"`."""
    return " or ".join(quoted(name) for name in names)


def ambiguous_targets(context: RouteContext, what: str, found: list[Element]) -> Act | ObserveAgain:
    """Observe once more, then fail because several elements match."""
    names = ", ".join(f"{quoted(e.name)}{f' ({e.url})' if e.url else ''}" for e in found[:5])
    later = observe_later(context.view, looks=1)
    return later or context.fail("ambiguous_target", f"there is more than one {what}: {names}")


def scroll_for_links(context: RouteContext) -> Act | ObserveAgain | None:
    """Scroll for links that load on scrolling, once waiting has not brought them."""
    if observe_more(context.view, context.page) is not None or observe_later(context.view) is not None:
        return None
    return scroll_down(context.view, context.page)


def _skip_optional(context: RouteContext, what: str) -> ObserveAgain | NextStep:
    later = observe_more(context.view, context.page) or observe_later(context.view, looks=OPTIONAL_LOOKS)
    if later is not None:
        return later
    route = context.view.spec.route
    end = branch_end(route, context.index)
    fields = dict.fromkeys(name for step in route[context.index + 1 : end] for name in fields_of(step))
    seen = tuple(FieldValue(field=name, state="not_present", shown="") for name in fields)
    note = f"step {context.index + 1} of the route is left out: {context.page.url} has no {what}"
    return NextStep(seen, (plain_note(note),), end - context.index - 1)


def branch_end(route: Sequence[Step], at: int) -> int:
    """Return the step after those that depend on the optional step `at`: the next `open`, or the one after
    its `back`."""
    deep = 1
    for number in range(at + 1, len(route)):
        step = route[number]
        if isinstance(step, Open):
            return number
        deep += isinstance(step, Follow)
        deep -= isinstance(step, GoBack)
        if deep == 0:
            return number + 1
    return len(route)


def filled_address(context: RouteContext, template: str) -> str:
    row = row_with_gaps(context.view.spec, context.view.sample)
    return PLACEHOLDER.sub(
        lambda m: row[m[1]].strip() if m[1] == "url" else quote(bare_key(row[m[1]]), safe=""), template
    )


def _with_last_message(context: RouteContext, otherwise: str) -> str:
    last = context.entries()[-1] if context.entries() else None
    return f"{otherwise}: {last.message}" if last is not None and last.message else otherwise
