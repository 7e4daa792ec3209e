"""Whether a recorded sample may have changed something on its site, so that it is not done again for a check. Pure.

The recording does not have HTTP methods. So only what plainly looks passes: links, banners, searches by GET, choices,
and parts of the page that open. Where the page of a step was not stored, its recorded element and effect decide.
"""

from __future__ import annotations

from collections.abc import Sequence

from shared.actions.table import effect_of_call, facts_of_call
from shared.contracts.browser_pool import Element
from shared.contracts.workflows.flows import AnswerQuestion, ClickElement, PressKeys, SetChecked
from shared.flows.compiling.recorded_calls import RecordedCall, calls_of
from shared.pages.effects.closing import closes_by_name
from shared.pages.effects.site_changes import CHOOSES, belongs_to_search, click_only_looks, keys_only_look
from shared.pages.elements import description_of
from shared.recordings.recording import Recording

HARMLESS = ("reads_only", "repeated_freely")
"""Effects of what changes nothing on a site; what is filled in is sent by another call."""


def may_change_site(sample: Recording) -> str:
    """Return the step that may have changed something, for people; empty: none of them has."""
    asked = {step.step for step in sample.steps if step.result is not None and step.result.change.dialogs}
    calls, problems = calls_of(sample, 0)
    filled: list[bool] = []
    for one in calls:
        element = _element(sample, one)
        searches = _is_search(one, element)
        page = sample.pages.get(one.page)
        shown, asks_only = () if page is None else page.elements, bool(filled) and all(filled)
        if one.step in asked or not _only_looks(one, element, shown, asks_only=asks_only):
            on = f" on the {description_of(one.target)}" if one.target is not None else ""
            return f"step {one.step} ({one.call.__struct_config__.tag}){on} may change something on the site"
        if facts_of_call(one.call).fills:
            filled.append(searches)
        if one.leaves:
            filled.clear()
    return problems[0] if problems else ""


def _only_looks(one: RecordedCall, element: Element | None, shown: Sequence[Element], *, asks_only: bool) -> bool:
    """``asks_only``: all that was filled in on this page is what is searched for."""
    match one.call:
        case AnswerQuestion():
            return not one.call.accept
        case PressKeys():
            return keys_only_look(one.call.keys, element) or asks_only or _is_search(one, element)
        case ClickElement():
            return _click_only_looks(one, element, shown) or (asks_only and _is_button(one))
        case SetChecked():
            return one.target is not None and one.target.role != "switch"  # which takes effect at once
        case _:
            return effect_of_call(one.call) in HARMLESS


def _click_only_looks(one: RecordedCall, element: Element | None, shown: Sequence[Element]) -> bool:
    if element is not None:
        return click_only_looks(element, shown)
    target = one.target  # the page was not stored
    if target is None:
        return False
    over = one.context is not None and one.context.in_dialog
    is_link = (target.role, target.tag) == ("link", "a") and one.leaves
    return target.role in CHOOSES or is_link or (over and closes_by_name(target.name))


def _is_button(one: RecordedCall) -> bool:
    return one.target is not None and one.target.role == "button"


def _is_search(one: RecordedCall, element: Element | None) -> bool:
    """Return whether the element belongs to a search, by its role or because its form is sent by GET."""
    role = "" if one.target is None else one.target.role
    return role == "searchbox" or (element is not None and belongs_to_search(element))


def _element(sample: Recording, one: RecordedCall) -> Element | None:
    """Return the element as it was on the stored page; None where that is not known."""
    page, target = sample.pages.get(one.page), one.target
    if page is None or target is None:
        return None
    found = [each for each in page.elements if (each.role, each.name) == (target.role, target.name)]
    by_print = [each for each in found if each.fingerprint == target.fingerprint]
    return (by_print or found or [None])[0]
