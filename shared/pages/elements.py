"""Small facts about the elements of a page: which are form fields, headers or icons, and what they show."""

from __future__ import annotations

import re
from collections.abc import Iterable

from shared.contracts.browser_pool import Element, PageObserved, cut_marker
from shared.contracts.results import TargetFound
from shared.pages.choice_words import asks_to_choose
from shared.pages.states import WITHOUT_VALUE
from shared.text.normal import fold, quoted, tidy
from shared.text.record_words import word_and_number

INPUT_ROLES = frozenset({"textbox", "combobox", "listbox", "spinbutton", "checkbox", "switch", "slider"})
INPUT_TAGS = frozenset({"input", "select", "textarea"})
MOST_NAMED = 8
HEADER_ROLES = frozenset({"columnheader", "rowheader", "term"})
HEADER_TAGS = frozenset({"th", "dt"})
PRESSED_ROLES = frozenset({"button", "tab", "menuitem", "option"})

ICON_NAME = re.compile(r"icon [a-z][a-z0-9-]*", re.I)
"""How an observation names a picture that only its class names."""
OPENS_MORE = frozenset({"opens more", "collapsed", "expanded"})
"""States of elements that show or hide a part of the page."""
LEAST_DOM_CONFIDENCE = 0.6

NOT_FOUND = re.compile(
    r"\b(?:not found|does not exist|doesn['’]t exist|no such|could(?: not|n['’]t) be found|no longer exists|404)\b",
    re.I,
)


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
    """Return whether the text of a list may stand for no choice: its option has no value or cannot be chosen, or the
    text asks to choose."""
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


def title_of(element: Element, shown: str | None) -> str | None:
    """Return what the markup adds to this text of the element: to all of it, or to one of its parts."""
    if shown is None:
        return None
    if fold(shown) == fold(text_of(element)):
        return element.title
    return next((part.title for part in (*element.parts, *element.hints) if fold(part.text) == fold(shown)), None)


def cut_chars_of(element: Element) -> int:
    """Return how many characters the observation left out of `text_of`. Only names are cut, values are whole."""
    return 0 if is_input(element) or element.value is not None else element.cut_chars


def cut_chars_in(shown: str, elements: Iterable[Element]) -> int:
    """Return how many characters the text lacks if it ends where one of the elements was cut, else 0."""
    folded = fold(shown)
    missing = (cut_chars_of(element) for element in elements)
    return next((chars for chars in missing if chars and folded.endswith(fold(cut_marker(chars)))), 0)


def without_cut_marker(shown: str, cut_chars: int) -> str:
    """Return the text of a cut element in comparable form, without the marker at its end."""
    return fold(fold(shown).removesuffix(fold(cut_marker(cut_chars))))


def words_of_name(name: str) -> str:
    """Return the name in words: `ticket_number` and `ticketNumber` as `ticket number`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ")


def is_icon(element: Element) -> bool:
    """Return whether the element is a picture that stands for a text: without a name, or named by its class alone."""
    return element.role == "img" and (element.look > 0 or ICON_NAME.fullmatch(element.name) is not None)


def is_filter(element: Element) -> bool:
    """Return whether the element is a control of a search, of a filter or in a table's header: it is no value."""
    return element.role == "searchbox" or (is_input(element) and element.area == "search")


def is_header(element: Element) -> bool:
    """Return whether the element is a header of a cell or a definition."""
    return element.role in HEADER_ROLES or element.tag in HEADER_TAGS


def is_heading(element: Element) -> bool:
    """Return whether the element is a heading."""
    return element.role == "heading" or re.fullmatch(r"h[1-6]", element.tag) is not None


def headings_of_level(elements: Iterable[Element], level: int) -> list[Element]:
    """Return the headings of a level, without those of what lies over the page."""
    return [one for one in elements if is_heading(one) and one.level == level and not one.in_dialog]


def title_heading(elements: Iterable[Element]) -> Element | None:
    """Return the one heading of the highest rank, which names the whole page; None where there are several, or there is
    no other heading."""
    heads = [one for one in elements if is_heading(one) and not one.in_dialog]
    highest = min((one.level or 2 for one in heads), default=0)
    found = [one for one in heads if (one.level or 2) == highest]
    return found[0] if len(found) == 1 and (len(heads) > 1 or highest == 1) else None


def title_element(page: PageObserved) -> Element:
    """Return the title of the page in the form of an element, so that a value can come from it. It has no ref."""
    return Element(ref=0, role="title", name=page.title, tag="title", fingerprint="title")


def is_unsure(page: PageObserved) -> bool:
    """Return whether parts of the page may be pictures without text, so that its structure does not show all."""
    return bool(page.triggers) or page.dom_confidence < LEAST_DOM_CONFIDENCE


def says_not_found(page: PageObserved, texts: tuple[str, ...]) -> str | None:
    """Return the words by which the page says that the record does not exist, or None."""
    shown = [page.title, *(text_of(e) for e in page.elements if not is_input(e) and e.role not in ("link", "button"))]
    for text in shown:
        if len(text) <= 300 and is_not_found_text(text, texts):
            return tidy(text)
    return None


def is_not_found_text(text: str, texts: tuple[str, ...]) -> bool:
    """Return whether the text says so. `texts`: the site's own words; without them a short general list is used."""
    if texts:
        return any(fold(words) in fold(text) for words in texts)
    return NOT_FOUND.search(text) is not None


def id_pattern(value: str) -> re.Pattern[str] | None:
    """Return a pattern of ids with this shape (`TCK-1001`: any `TCK-` and digits); None without letters or digits.

    Between a word and its number there may be a blank: `Issue 3` is an id of the kind of `Issue3`."""
    if not re.search(r"\d", value) or not re.search(r"[^\W\d]", value):
        return None
    numbered = word_and_number(value)
    if numbered is not None:
        word = re.escape(numbered[0])
        return re.compile(rf"(?<![\w-])(?:{word}\d+|{word}\s\d+(?!\s\d))(?![\w-])", re.I)
    shape = re.sub(r"\\?\d+", lambda _: r"\d+", re.escape(value.strip()))
    return re.compile(rf"(?<![\w-]){shape}(?![\w-])", re.I)
