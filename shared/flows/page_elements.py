"""Small facts about the elements of a page: which are form fields, what they show, and what people call them."""

from __future__ import annotations

from collections.abc import Iterable

from shared.contracts.browser_pool import Element
from shared.contracts.results import TargetFound
from shared.pages.choice_words import asks_to_choose
from shared.pages.states import WITHOUT_VALUE
from shared.text.normal import quoted, tidy

INPUT_ROLES = frozenset({"textbox", "combobox", "listbox", "spinbutton", "checkbox", "switch", "slider"})
INPUT_TAGS = frozenset({"input", "select", "textarea"})
MOST_NAMED = 8


def is_input(element: Element) -> bool:
    """Return whether the element is a form field."""
    return element.role in INPUT_ROLES or element.tag in INPUT_TAGS


def text_of(element: Element) -> str:
    """Return what an element shows: the value of an input, the text of anything else. A text that stands in a list
    until one of its options is chosen is none."""
    if "placeholder" in element.states:
        return ""
    if element.role in ("checkbox", "switch"):
        return "true" if "checked" in element.states else "false"
    return tidy(element.value if element.value is not None else "" if is_input(element) else element.name)


def may_show_no_choice(element: Element) -> bool:
    """Return whether the text of a list may stand for no choice: its option has no value, or it asks to choose."""
    shown = text_of(element)
    is_list = element.role in ("combobox", "listbox") and element.tag not in ("input", "textarea")
    return shown != "" and (WITHOUT_VALUE in element.states or (is_list and asks_to_choose(shown)))


def description_of(one: TargetFound | Element) -> str:
    """Return a description such as `button "Save"`."""
    return f"{one.role or one.tag} {quoted(one.name, 60)}"


def names_with_role(role: str, elements: Iterable[Element]) -> str:
    """Return the names of the elements with this role, for a message that says what is there instead: ``is 'Save'``,
    or ``is nothing``."""
    names = list(dict.fromkeys(quoted(one.name, 40) for one in elements if one.role == role and one.name))
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"is {', '.join(names[:MOST_NAMED])}{more}" if names else "is nothing"
