"""Which texts of a page only repeat what was searched for: `Results for TCK-1001`, a chip of a filter, a search field.

They stand there too where no record matches, so they name none. Whether a page is the answer of a search, and still
shows what was asked, is not seen on the page alone: `PageObserved.searched` says it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.elements import NOT_FOUND, is_heading, is_input, text_of, words_of_name
from shared.pages.lists.list_states import is_empty_text
from shared.text.normal import fold
from shared.text.record_words import find_mention, is_same_id

OF_A_LIST = re.compile(r"(?:^|>)(?:li|tr|article)(?:>|$)")
"""The place of what is repeated in a list, as the records of an answer are."""
_WORDS = re.compile(r"[^\W\d_]+")
_OF_NUMBERS = frozenset({"no", "nr", "id", "number", "num", "ref"})
_OF_A_SEARCH = re.compile(
    r"\b(?:search\w*|results?|matches|hits|quer(?:y|ies)|filter\w*|find|found|keywords?"
    r"|such\w+|treffer|ergebnis\w*|recherche\w*|résultats?|bus[cq]\w*|búsqueda\w*|resultados?|ricerca|risultat\w*|zoek\w*)\b"
    r"|[件の的]*(?:検索|搜索|搜尋|结果|結果|검색|결과|поиск)+",
    re.I,
)
_COUNTED = re.compile(rf"(?<!\w)[\d.,]{{0,20}}\d\s*(?:{_OF_A_SEARCH.pattern})", re.I)
"""A number of results: `3 results in Tickets`."""
_CONNECTS = re.compile(
    r"a|all|and|by|das|de|dei|del|della|der|des|di|die|du|el|en|for|from|für|im|in|la|las|le|les|los|nach|of|on|pages?"
    r"|para|per|por|pour|seite|sur|the|to|und|voor|with|your|zu",
    re.I,
)


def is_searched(page: PageObserved, value: str) -> bool:
    """Return whether the page is the answer of a search for this value."""
    return any(is_same_id(value, one) for one in page.searched)


def repeats_search(page: PageObserved, element: Element, names: Iterable[str]) -> bool:
    """Return whether the element shows what was searched for in a way that names no record. ``names``: of the field
    that identifies it, whose words may stand in front of it, as in `Ticket 1001`.

    What lies over the page, or stands in a row, under a label or behind a link, was not there before the search."""
    if not page.searched:
        return False
    if is_input(element) or element.role == "searchbox":
        return any(is_same_id(text_of(element), value) for value in page.searched)
    if element.in_dialog or element.row is not None or element.header is not None or element.role == "link":
        return False
    asked = [value for value in page.searched if find_mention(element.name, value) is not None]
    own = {fold(word) for name in names for word in _WORDS.findall(words_of_name(name))} | _OF_NUMBERS
    return bool(asked) and all(_only_repeats(element, value, own) for value in asked)


def _only_repeats(element: Element, value: str, own: set[str]) -> bool:
    text = element.name
    before, _, after = text.partition(find_mention(text, value) or value)
    if is_empty_text(text) or NOT_FOUND.search(text) or _OF_A_SEARCH.search(before):
        return True
    if _tells_of_search(after):
        return True
    if not _WORDS.search(before) and _WORDS.search(after):  # it goes on, as the name of a record does
        return False
    if not _WORDS.search(text.replace(find_mention(text, value) or value, "")):
        return not (is_heading(element) and OF_A_LIST.search(element.place))
    return not {fold(word) for word in _WORDS.findall(before)} <= own


def _tells_of_search(after: str) -> bool:
    """Return whether what follows the value tells of a search and of nothing else, or how many results there are."""
    of_search = [word for word in _WORDS.findall(after) if not _CONNECTS.fullmatch(word)]
    only = bool(of_search) and all(_OF_A_SEARCH.fullmatch(word) for word in of_search)
    return only or _COUNTED.search(after) is not None
