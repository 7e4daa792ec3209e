"""Whether a step on an observed page may change something on the site, as far as the page tells. Pure.

Neither a recording nor an observation has HTTP methods, so a form that searches cannot be told from one that saves by
its traffic. Only what plainly looks passes. What is about to be pressed is looked at once more in the browser, with its
form and its attributes: :mod:`shared.pages.effects.unnamed_presses`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from shared.actions.table import facts_of_action
from shared.contracts.actions import AnswerDialog, BrowserAction, ByRef, Click, DoubleClick, Press, Target
from shared.contracts.browser_pool import Element
from shared.pages.effects.closing import only_closes
from shared.pages.effects.press_words import ENDING, SENDING, has_word
from shared.pages.elements import OPENS_MORE, PRESSED_ROLES, is_input
from shared.pages.lists.paging import ENGLISH_MORE, ENGLISH_NEXT, is_paging_label

CHOOSES = frozenset({"tab", "checkbox", "radio", "option", "treeitem", "combobox", "textbox", "searchbox", "listbox"})
"""Roles of what is sent by a button only, if at all."""
_MOVES = re.compile(r"(?:Shift\+)?(?:Escape|Tab|Arrow\w+|Home|End|PageUp|PageDown)")
_SAYS_A_CHANGE = re.compile(r"\b(?:save|send|submit|delete|remove|create|approve|confirm|pay|order|book|sign)\b", re.I)
_LOOKS_ONLY = re.compile(
    rf"(?:{ENGLISH_NEXT}|{ENGLISH_MORE}|search|find|look up|filter|sort|previous|back|first|last|page|show|hide|view|"
    r"see|details?|expand|collapse|less|refresh|close|cancel|dismiss|clear|reset filters?|go to|menu|tabs?)\b",
    re.I,
)
"""How labels of controls begin that only look. Labels in other languages count only as a whole, as paging labels."""
_SEARCHES = re.compile(r"\b(?:search|find|filter|look ?up|query)\b", re.I)


def click_only_looks(element: Element, elements: Sequence[Element]) -> bool:
    """Return whether a click on the element changes nothing on the site. ``elements``: of its page, as far as known."""
    if element.role == "link" and (element.url or "").startswith(("http://", "https://")):
        return True
    if element.role == "switch":  # it takes effect at once, without a form
        return False
    if element.role in CHOOSES or (is_input(element) and element.role not in PRESSED_ROLES):
        return True
    if OPENS_MORE & set(element.states) or belongs_to_search(element):
        return True
    return only_closes(element, elements) or says_it_looks(element.name)


def action_only_looks(action: BrowserAction, elements: Sequence[Element]) -> bool:
    """Return whether an action changes nothing on the site. ``elements``: of the page as it is before."""
    match action:
        case Click() | DoubleClick():
            element = _element_of(action.target, elements)
            return element is not None and click_only_looks(element, elements)
        case Press():
            return keys_only_look(action.keys, None if action.target is None else _element_of(action.target, elements))
        case AnswerDialog():
            return action.answer == "dismiss"
        case _:
            return facts_of_action(action).effect in ("reads_only", "repeated_freely")


def _element_of(target: Target, elements: Sequence[Element]) -> Element | None:
    return next((one for one in elements if isinstance(target, ByRef) and one.ref == target.ref), None)


def keys_only_look(keys: str, element: Element | None) -> bool:
    """Return whether keys change nothing on the site. ``element``: where they are pressed, if that is known."""
    if _MOVES.fullmatch(keys):
        return True
    if element is None or keys != "Enter":
        return False
    return belongs_to_search(element) or (is_input(element) and says_it_searches(element.name))


def says_it_searches(name: str) -> bool:
    """Return whether the name of a field or a button is that of a search."""
    return _SEARCHES.search(name) is not None


def belongs_to_search(element: Element) -> bool:
    """Return whether the element is of a search, by its role or because its form is sent by GET."""
    return element.role == "searchbox" or element.area == "search"


def says_it_looks(name: str) -> bool:
    """Return whether the name of a control says that it only looks, and no word of it that it changes something."""
    label = name.strip()
    if _SAYS_A_CHANGE.search(label) or has_word(label, ENDING) or has_word(label, SENDING):
        return False
    return is_paging_label(label) or _LOOKS_ONLY.match(label) is not None
