"""Which control turns the pages of a list, in all languages. All words for that are in this module.

Links count by what they declare about themselves, and by whole labels: "Feedback", "Rollback" and "Next.js" turn no
page. A list that was found on a whole page (:func:`next_page_control`) is turned only by controls in a pager or behind
it. A list that a route names (:func:`next_results_control`) is turned by any control with such a label.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urljoin

from services.planner.page.lists import same_address
from services.planner.page.text import label_form
from shared.contracts.browser_pool import Element, PageObserved

ENGLISH_NEXT = r"(?:go to )?(?:the )?(?:next|older)(?: page| results| posts| entries| items| commits| \d+)?"
NEXT_WORDS = (
    ENGLISH_NEXT,
    r"page suivante|suivant",
    r"nächste(?: seite)?|weiter",
    r"siguiente|página siguiente",
    r"próxim[ao]",
    r"volgende",
    r"avanti",
    r"次へ",
    r"下一页",
)
ENGLISH_MORE = r"(?:load|show|fetch)(?: \d+)? more(?: results| items)?|more(?: results| items)?"
MORE_WORDS = (
    ENGLISH_MORE,
    r"mehr (?:laden|anzeigen)",
    r"(?:charger|afficher) plus",
    r"(?:cargar|mostrar) más",
)
"""Labels that add to a list, wherever they are."""
MORE_BEHIND_WORDS = (
    r"(?:load|show|see|view|fetch)(?: \d+)? more(?: [\w ]{1,30})?",
    r"voir plus",
    r"ver más",
)
"""Labels that may open one item as well: they count only behind the list, and if there is only one."""
_ARROWS = re.compile(r"[\s›»→❯▶⟩>]+")
_PAGER_SIGNS = frozenset({"›", "→", ">", "❯"})
_RESULTS_SIGNS = frozenset({"›", "→", "»"})
_NEXT, _MORE = re.compile("|".join(NEXT_WORDS), re.I), re.compile("|".join(MORE_WORDS), re.I)
_MORE_BEHIND = re.compile("|".join((*MORE_WORDS, *MORE_BEHIND_WORDS)), re.I)
_NEVER = frozenset({"banner", "contentinfo", "complementary", "search"})
_PRESSED = frozenset({"link", "button"})


@dataclass(frozen=True)
class PagingControl:
    """`next` leads to another page of the list, `more` adds to this one. `url`: None if it must be pressed."""

    kind: Literal["next", "more"]
    element: Element
    url: str | None


def next_page_control(page: PageObserved, after: int) -> PagingControl | None:
    """Return what leads to more of a list. `after`: the ref of its last item."""
    pressable = [e for e in page.elements if _pressable(e)]
    following = _best([e for e in pressable if _turns(e)], after) or _numbered(page, pressable, after)
    if following is not None:
        return PagingControl("next", following, _elsewhere(following, page))
    behind = [e for e in pressable if e.ref > after and e.area not in _NEVER]
    more = [e for e in behind if _MORE_BEHIND.fullmatch(label_form(e.name))]
    return PagingControl("more", more[0], _elsewhere(more[0], page)) if len(more) == 1 else None


def next_results_control(page: PageObserved, part: Sequence[Element]) -> PagingControl | None:
    """Return what leads to more results: the first such control in `part`, else on the page.

    None if it is disabled, which marks the end of the results.
    """
    for elements in (part, page.elements):
        for element in elements:
            kind = _kind_of(element)
            if kind is not None:
                ended = "disabled" in element.states
                return None if ended else PagingControl(kind, element, _elsewhere(element, page))
    return None


def is_paging_label(label: str) -> bool:
    """Return whether the whole label, in any of the languages, is one of a control that turns or extends a list."""
    return _is_next_label(label) or _MORE_BEHIND.fullmatch(label_form(label)) is not None


def _kind_of(element: Element) -> Literal["next", "more"] | None:
    if element.role not in _PRESSED:
        return None
    if _says_next(element) or element.name.strip() in _RESULTS_SIGNS:
        return "next"
    return "more" if _MORE.fullmatch(label_form(element.name)) else None


def _pressable(element: Element) -> bool:
    free = "disabled" not in element.states and not element.in_dialog and element.row is None
    return element.role in _PRESSED and free


def _turns(element: Element) -> bool:
    return _says_next(element) or (element.area == "pager" and element.name.strip() in _PAGER_SIGNS)


def _says_next(element: Element) -> bool:
    return element.turn == "next" or _is_next_label(element.name)


def _is_next_label(label: str) -> bool:
    return _NEXT.fullmatch(_ARROWS.sub(" ", label_form(label)).strip()) is not None


def _best(candidates: Sequence[Element], after: int) -> Element | None:
    """Prefer declared links, then those in a pager, then those behind the list."""
    ranked = [(rank, e.ref, e) for e in candidates if (rank := _rank(e, after)) is not None]
    return min(ranked, key=lambda one: one[:2])[2] if ranked else None


def _rank(element: Element, after: int) -> int | None:
    if element.turn == "next":
        return 0
    if element.area == "pager":
        return 1
    return 2 if element.ref > after and element.area not in _NEVER else None


def _numbered(page: PageObserved, pressable: Sequence[Element], after: int) -> Element | None:
    """Return the control with the number after that of the current page, in a row of numbers."""
    current = [e for e in page.elements if "current" in e.states and e.name.strip().isdecimal()]
    if len(current) != 1:
        return None
    wanted = str(int(current[0].name) + 1)
    beside = [e for e in pressable if e.name.strip() == wanted and abs(e.ref - current[0].ref) <= 3]
    return beside[0] if len(beside) == 1 and _rank(beside[0], after) is not None else None


def _elsewhere(element: Element, page: PageObserved) -> str | None:
    """Return the absolute address if it loads another page; a script's `#` does not."""
    if element.url is None or element.role != "link":
        return None
    try:
        url = urljoin(page.url, element.url)
    except ValueError:
        return None
    away = url.startswith(("http://", "https://")) and same_address(url) != same_address(page.url)
    return url if away else None
