"""Pure: what turns the pages of a list. By what links say of themselves, and by whole labels: "Feedback", "Rollback",
"Next.js" and "Back" turn no page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urljoin

from services.planner.listing.items import same_address
from shared.contracts.browser_pool import Element, PageObserved
from shared.text.normal import fold

_ARROWS = re.compile(r"[\s›»→❯▶⟩>]+")
_NEXT = re.compile(
    r"(?:go to )?(?:the )?(?:next|older)(?: page| results| posts| entries| items| commits| \d+)?|page suivante|suivant"
    r"|nächste(?: seite)?|weiter|siguiente|página siguiente|próxim[ao]|volgende|avanti|次へ|下一页",
    re.I,
)
_MORE = re.compile(
    r"(?:load|show|see|view|fetch)(?: \d+)? more(?: [\w ]{1,30})?|more(?: results| items)?|mehr (?:laden|anzeigen)"
    r"|(?:charger|voir|afficher) plus|(?:cargar|ver|mostrar) más",
    re.I,
)
_NEVER = frozenset({"banner", "contentinfo", "complementary", "search"})
_PRESSED = frozenset({"link", "button"})


@dataclass(frozen=True)
class Control:
    """``url`` is where it leads, where that is another page; else it must be pressed."""

    kind: Literal["next", "more"]
    element: Element
    url: str | None


def turning(page: PageObserved, after: int) -> Control | None:
    """What leads to more of the list; ``after`` is the ref of its last item."""
    pressable = [e for e in page.elements if _pressable(e)]
    following = _best(page, [e for e in pressable if _says_next(e)], after) or _numbered(page, pressable, after)
    if following is not None:
        return Control("next", following, _elsewhere(following, page))
    more = [e for e in pressable if _MORE.fullmatch(fold(e.name)) and e.ref > after and e.area not in _NEVER]
    return Control("more", more[0], _elsewhere(more[0], page)) if len(more) == 1 else None


def _pressable(element: Element) -> bool:
    free = "disabled" not in element.states and not element.in_dialog and element.row is None
    return element.role in _PRESSED and free


def _says_next(element: Element) -> bool:
    label = _ARROWS.sub(" ", fold(element.name)).strip()
    if element.turn == "next" or _NEXT.fullmatch(label):
        return True
    return element.area == "pager" and element.name.strip() in ("›", "→", ">", "❯")


def _best(page: PageObserved, candidates: Sequence[Element], after: int) -> Element | None:
    """What says so itself, then what stands in a pager, then what stands behind the list."""
    ranked = [(rank, e.ref, e) for e in candidates if (rank := _rank(e, after)) is not None]
    return min(ranked, key=lambda one: one[:2])[2] if ranked else None


def _rank(element: Element, after: int) -> int | None:
    if element.turn == "next":
        return 0
    if element.area == "pager":
        return 1
    return 2 if element.ref > after and element.area not in _NEVER else None


def _numbered(page: PageObserved, pressable: Sequence[Element], after: int) -> Element | None:
    """The number behind that of this page, in a row of numbers."""
    current = [e for e in page.elements if "current" in e.states and e.name.strip().isdecimal()]
    if len(current) != 1:
        return None
    wanted = str(int(current[0].name) + 1)
    beside = [e for e in pressable if e.name.strip() == wanted and abs(e.ref - current[0].ref) <= 3]
    return beside[0] if len(beside) == 1 and _rank(beside[0], after) is not None else None


def _elsewhere(element: Element, page: PageObserved) -> str | None:
    """Its address, where following it loads another page; a script's ``#`` is none."""
    if element.url is None or element.role != "link":
        return None
    try:
        url = urljoin(page.url, element.url)
    except ValueError:
        return None
    away = url.startswith(("http://", "https://")) and same_address(url) != same_address(page.url)
    return url if away else None
