"""What lies over a page that the recording did not have, and how it is closed: never by agreeing to anything. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from shared.contracts.browser_pool import Element, PageObserved
from shared.flows.files import ElementFacts
from shared.flows.page_elements import is_input
from shared.flows.selectors import parse_selector
from shared.text.dismissals import CLOSING, REFUSING
from shared.text.normal import fold

MAX_DISMISSED = 2
"""For one call of a flow."""
_RANKS = {name: rank for rank, name in enumerate((*REFUSING, *CLOSING))}


def find_dismissal(page: PageObserved, locators: Mapping[str, ElementFacts]) -> Element | None:
    """Return the button that closes what lies over the page; refusing comes before closing.

    None where something is to be filled in there, or the flow itself acts on an element of that name: then the dialog
    belongs to the task.
    """
    over = [one for one in page.elements if one.in_dialog]
    if any(is_input(one) for one in over if one.role not in ("checkbox", "switch")):
        return None
    own = {fold(name) for name in map(_name_of, locators) if name}
    if any(fold(one.name) in own for one in over if one.role in ("button", "link")):
        return None
    ways = [one for one in over if one.role in ("button", "link") and fold(one.name) in _RANKS]
    usable = [one for one in ways if "disabled" not in one.states and not (one.url or "").startswith("http")]
    return min(usable, key=lambda one: (_RANKS[fold(one.name)], one.ref), default=None)


def _name_of(selector: str) -> str:
    try:
        parsed = parse_selector(selector)
    except ValueError:
        return ""
    return parsed.name or (parsed.value if parsed.kind in ("label", "text") else "")
