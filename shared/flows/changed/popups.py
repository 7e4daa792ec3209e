"""What lies over a page that the recording did not have, and how it is closed: never by agreeing to anything. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from shared.contracts.browser_pool import Element, PageObserved
from shared.flows.files import ElementFacts
from shared.pages.effects.closing import closing_button
from shared.pages.elements import is_input
from shared.pages.locate.selectors import parse_selector
from shared.text.dismissals import SAFE
from shared.text.normal import fold

MAX_DISMISSED = 2
"""For one call of a flow."""


def find_popup_dismissal(page: PageObserved, locators: Mapping[str, ElementFacts]) -> Element | None:
    """Return the button that closes what lies over the page; refusing comes before closing.

    None where something is to be filled in there, or the flow itself acts on an element of that name: then the dialog
    belongs to the task. None too where refusing would decide on something, such as an order.
    """
    over = [one for one in page.elements if one.in_dialog]
    if any(is_input(one) for one in over if one.role not in ("checkbox", "switch")):
        return None
    own = names_acted_on(locators)
    if any(fold(one.name) in own for one in over if one.role in ("button", "link")):
        return None
    return closing_button(page.elements, SAFE, may_lead=False)


def names_acted_on(locators: Mapping[str, ElementFacts]) -> frozenset[str]:
    """Return the names of what a flow acts on, folded, but for what it only closes."""
    acted_on = (key for key, facts in locators.items() if not facts.over_page)
    return frozenset(fold(name) for name in map(_name_of, acted_on) if name)


def _name_of(selector: str) -> str:
    try:
        parsed = parse_selector(selector)
    except ValueError:
        return ""
    return parsed.name or (parsed.value if parsed.kind in ("label", "text") else "")
