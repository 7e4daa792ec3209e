"""What a page says about its list besides counts: that it has no entries, that it is loading; rows that it shows, and
parts that scroll."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shared.contracts.browser_pool import Element, PageObserved, Scroller
from shared.pages.elements import is_input
from shared.pages.lists.lists import table_rows
from shared.text.list_words import EMPTY, LOADING
from shared.text.normal import fold, tidy

MAX_CHARS = 200
MANY_ROWS = 5
"""So many rows of at least two cells are entries, whatever the page says."""
_BESIDE = frozenset({"navigation", "banner", "contentinfo", "complementary", "search"})
_PRESSED = frozenset({"link", "button", "tab", "option", "menuitem"})
_NONE = re.compile(
    r"\b(?:no|0) (?:\w+ ){0,3}?(?:found|results?|entries|records?|items?|matches|data|rows|hits)\b"
    r"|\bnothing (?:was |to (?:see|show|display)|here|found|matche[sd])"
    r"|\bthere (?:are|is|were|was) (?:currently )?no \w+"
    r"|\b(?:did(?: not|n't)|does(?: not|n't)) match any|\bno (?:\w+ ){1,3}(?:yet|available|to (?:show|display|list))\b"
    r"|\b(?:list|table|page|folder|directory|repository) is empty\b|\bhaven't (?:\w+ ){1,3}any\b"
)
_EMPTY = tuple(dict.fromkeys(text for texts in EMPTY.values() for text in texts if len(text) > 3))
_LOADING = frozenset(text for texts in LOADING.values() for text in texts)
_ENDS = re.compile(r"^[\s.…!?。]+|[\s.…!?。]+$")


def empty_words(page: PageObserved) -> str:
    """Return the words by which the page says that its list has no entries; empty if it does not say so."""
    return next((tidy(text) for text in _texts(page) if is_empty_text(text)), "")


def is_empty_text(text: str) -> bool:
    """Return whether the text says that a list has no entries, in any language."""
    form = fold(text)
    return _NONE.search(form) is not None or any(words in form for words in _EMPTY)


_END = re.compile(
    r"\bno more (?!details?\b|info|than\b)\w+|\bnothing more to (?:show|load|see)\b"
    r"|\bend of (?:the )?(?:\w+ )?(?:list|results|table)\b|\b(?:reached|at) the (?:very )?end\b"
    r"|\b(?:that(?:'s| is| was)|seen|loaded|shown) (?:all|everyone|everything|them all)\b"
    r"|\bkeine weiteren (?:einträge|ergebnisse|datensätze)|\bende der liste\b"
    r"|\bfin de la list[ae]\b|\bno hay más resultados\b"
)

_FAILED = re.compile(
    r"\b(?:went wrong|errors?|failed|failure|could(?: not|n't)|cannot|can't|unable|unavailable|expired|timed? ?out"
    r"|try again|signed out|logged out|sign in|log in|denied|not authori[sz]ed|offline|server|connection|response)\b"
    r"|\b(?:fehler|fehlgeschlagen|nicht geladen|abgelaufen|erreur|impossible|expirée?|caducad[ao])\b"
)


def end_words(page: PageObserved) -> str:
    """Return the words by which the page says that its list ends here, or has no entries; empty if it does not, or
    also says that something failed: "There is no connection" ends no list."""
    if any(_FAILED.search(fold(text)) for text in _texts(page)):
        return ""
    ends = (text for text in _texts(page) if _END.search(fold(text)))
    return empty_words(page) or tidy(next(ends, ""))


def loading_words(page: PageObserved) -> str:
    """Return the words by which the page says that something is still loading; empty if it does not."""
    return next((tidy(text) for text in _texts(page) if is_loading_text(text)), "")


def is_loading_text(text: str) -> bool:
    """Return whether all of a text says that something is loading, in any language."""
    return _ENDS.sub("", fold(text)) in _LOADING


def shown_rows(page: PageObserved) -> int:
    """Return how many table rows with at least two cells of text the page shows."""
    own = [e for e in page.elements if e.area not in _BESIDE and e.area != "pager" and not e.in_dialog]
    return sum(sum(bool(cell.name.strip()) for cell in row) > 1 for row in table_rows(own))


def parts_around(page: PageObserved, number: int) -> list[Scroller]:
    """Return the parts that scroll by themselves around an element, the innermost first. `number`: its `scroller`."""
    by_number = {one.number: one for one in page.scrollers}
    around: list[Scroller] = []
    while number in by_number and by_number[number] not in around:
        around.append(by_number[number])
        number = around[-1].within
    return around


def _texts(page: PageObserved) -> Iterator[str]:
    return (e.name for e in page.elements if _is_text(e) and 0 < len(e.name) <= MAX_CHARS)


def _is_text(element: Element) -> bool:
    aside = element.area in _BESIDE or element.in_dialog or element.role in _PRESSED
    return not aside and not is_input(element)
