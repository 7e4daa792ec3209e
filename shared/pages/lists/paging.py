"""Which control turns the pages of a list, in all languages.

Links count by what they declare about themselves, and by whole labels or titles: "Feedback", "Rollback" and "Next.js"
turn no page. A list that was found on a whole page (:func:`next_page_control`) is turned by controls in a pager or
behind it, else by one in front of it that leads to the same list. A list that a route names
(:func:`next_results_control`) is turned by any control with such a label. :func:`ways_on` tells all that say "next",
wherever they stand. Rows of page numbers are read in list_signs; words come from shared/text/list_words.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal
from urllib.parse import urljoin, urlsplit

from msgspec import structs

from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.lists.counts import read_counts
from shared.pages.lists.lists import address_parts, same_address
from shared.pages.lists.page_numbers import chosen_page, number_rows, to_page_number
from shared.text.list_words import MORE, NEXT
from shared.text.normal import fold, label_form

ENGLISH_NEXT = r"(?:go to )?(?:the )?(?:next|older)(?: page| results| posts| entries| items| commits| \d+)?"
NEXT_WORDS = (
    ENGLISH_NEXT,
    r"(?:next|older) [\w ]{1,20}\b(?:page|results|posts|entries|items)",
    r"suivant|weiter|zur nächsten seite|(?:nächste|ältere) (?:seite|einträge|ergebnisse)",
    r"próxim[ao]|volgende|avanti|次へ|次ページ|下一页|下一頁|后页|다음 페이지|вперёд|далее|dalej|ďalej|tovább",
)
"""Besides those of `NEXT`."""
ENGLISH_MORE = r"(?:load|show|fetch)(?: \d+)? more(?: results| items)?|more(?: results| items)?"
MORE_WORDS = (
    ENGLISH_MORE,
    r"mehr (?:laden|anzeigen)|weitere (?:laden|anzeigen|einträge|ergebnisse)",
    r"(?:charger|afficher) plus",
    r"(?:cargar|mostrar) más|(?:carregar|mostrar|ver) mais",
)
"""Labels that add to a list, wherever they are; besides those of `MORE`."""
MORE_BEHIND_WORDS = (
    r"(?:load|show|see|view|fetch)(?: \d+)? more(?: [\w ]{1,30})?",
    r"voir plus",
    r"ver más",
)
"""Labels that may open one item as well: they count only behind the list, and if there is only one."""
_ARROWS = re.compile(r"[\s›»→❯▶⟩>]+")
_ARROWS_ONLY = re.compile(r"[\s‹›«»←→❮❯◀▶⟨⟩<>|…]+")
_PAGER_SIGNS = ("›", "→", ">", "❯", "▶", "⟩", "»")
"""The best first: beside another arrow, `»` leads to the last page."""
_END_SIGNS = frozenset(2 * sign for sign in _PAGER_SIGNS)
"""They lead on where nothing else does; beside a single arrow or a row of page numbers, to the end."""
_RESULTS_SIGNS = frozenset({"›", "→", "»"})
_NEXT = re.compile("|".join(NEXT_WORDS), re.I)
_NEXT_LABELS = frozenset(label for labels in NEXT.values() for label in labels)
_MORE_LABELS = frozenset(label for labels in MORE.values() for label in labels)
_MORE = re.compile("|".join(MORE_WORDS), re.I)
_PREVIOUS = re.compile(
    r"(?:go to )?(?:the )?(?:prev(?:ious)?|newer|back|first|last)(?: page| results)?|zurück|précédent|anterior", re.I
)
_COUNTS_ONLY = re.compile(
    r"(?:[\W_]|\d|page|pages|of|to|showing|results?|entries|items?|rows?|records?|total|von|de|sur|bis)*"
)
"""The words between the controls of a pager: "Page 2 of 5"."""
_MORE_BEHIND = re.compile("|".join((*MORE_WORDS, *MORE_BEHIND_WORDS)), re.I)
MAX_DIGITS = 9
_PAGE_IN_PATH = re.compile(r"/(?:page|pages|p|seite|pagina|página)[/-]?\d{1,6}$", re.I)
_NEVER = frozenset({"banner", "contentinfo", "complementary", "search"})
_PRESSED = frozenset({"link", "button"})
MOST_BARE = 3
"""Buttons on one side of a count: one leads to the next page, a second one to the last."""


@dataclass(frozen=True)
class PagingControl:
    """`next` leads to another page of the list, `more` adds to this one. `url`: None if it must be pressed."""

    kind: Literal["next", "more"]
    element: Element
    url: str | None


def next_page_control(
    page: PageObserved, after: int, visited: frozenset[str] = frozenset(), called: Sequence[str] = ()
) -> PagingControl | None:
    """Return what leads to more of a list. `after`: the ref of its last item; `visited`: addresses that were read;
    `called`: what the task calls it, which counts before all else.

    What says "next" and leads back counts only where nothing else leads on: sites call the way back so too.
    """
    pressable = _all_pressable(page)
    following = next(iter(_called(page, called)), None)
    says_next = [e for e in pressable if _says_next(e)]
    back = [e for e in says_next if _leads_back(e, page, visited)]
    on = [e for e in says_next if e not in back]
    following = following or _best(on, after, page) or _arrow(page, pressable, after)
    if following is None:
        following = (
            _numbered(page, after)
            or _beside_count(page)
            or _only_double_arrow(page, pressable, visited)
            or _unread(page, after, visited)
            or _best(back, after, page)
        )
    if following is not None:
        return PagingControl("next", following, address_behind(following, page))
    behind = [e for e in pressable if e.ref > after and not _is_beside(e)]
    more = [e for e in behind if _extends(e.name, _MORE_BEHIND)]
    return PagingControl("more", more[0], address_behind(more[0], page)) if len(more) == 1 else None


def ways_on(page: PageObserved, visited: frozenset[str]) -> list[Element]:
    """Return all that can be pressed and says "next", wherever it stands, without what leads to a page that was read;
    also an arrow that leads to another page of the same list."""
    found: list[Element] = []
    for element in _all_pressable(page):
        url = address_behind(element, page)
        arrow = element.name.strip() in _PAGER_SIGNS and url is not None and is_same_list(url, page.url)
        if (_says_next(element) or arrow) and not (url is not None and same_address(url) in visited):
            found.append(element)
    return found


def earlier_page(page: PageObserved) -> str:
    """Return the words by which a page says that its list has a page before it; empty: it says so nowhere."""
    for count in read_counts(page):
        if (count.kind == "page" and count.page > 1) or (count.kind == "range" and count.first > 1):
            return count.text
    rows = [row.current for row in number_rows(page) if row.current is not None]
    chosen = chosen_page(page)
    numbers = [*rows, *([chosen[1]] if chosen is not None else [])]
    if numbers and min(numbers) > 1:
        return f"page {min(numbers)}"
    for element in _all_pressable(page):
        said = label_form(_ARROWS_ONLY.sub(" ", element.name)).strip()
        back = element.turn == "prev" or (element.area == "pager" and _PREVIOUS.fullmatch(said) is not None)
        url = address_behind(element, page)
        if back and url is not None and is_same_list(url, page.url) and not _says_next(element):
            return element.name or element.title or "a link to the page before"
    return ""


def is_same_list(url: str, other: str) -> bool:
    """Return whether two addresses differ only in their query, or in the number of a page at the end of their path."""
    try:
        a, b = urlsplit(url), urlsplit(other)
    except ValueError:
        return False
    same_site = a.netloc == b.netloc
    return same_site and _PAGE_IN_PATH.sub("", a.path.rstrip("/")) == _PAGE_IN_PATH.sub("", b.path.rstrip("/"))


def next_results_control(page: PageObserved, part: Sequence[Element]) -> PagingControl | None:
    """Return what leads to more results: the first such control in `part`, else on the page.

    None if it is disabled, which marks the end of the results.
    """
    for elements in (part, page.elements):
        for element in elements:
            kind = _kind_of(element)
            if kind is not None:
                ended = "disabled" in element.states
                return None if ended else PagingControl(kind, element, address_behind(element, page))
    return None


def without_pagers(page: PageObserved, called: Sequence[str] = ()) -> PageObserved:
    """Return the page without its rows of page numbers and what turns it, for they are no items of a list."""
    turning = {element.ref for row in number_rows(page) for _, element in row.numbers}
    turning |= {element.ref for element in _called(page, called)}
    turning |= {e.ref for e in page.elements if e.role in _PRESSED and (e.turn or _says_next(e))}
    turning |= {e.ref for e in page.elements if e.role in _PRESSED and _ARROWS_ONLY.fullmatch(e.name)}
    kept = tuple(element for element in page.elements if element.ref not in turning)
    return structs.replace(page, elements=kept) if turning else page


def is_paging_label(label: str) -> bool:
    """Return whether the whole label, in any of the languages, is one of a control that turns or extends a list."""
    return _is_next_label(label) or _MORE_BEHIND.fullmatch(label_form(label)) is not None


def _called(page: PageObserved, words: Sequence[str]) -> list[Element]:
    """Return what can be pressed and is called so, the last first: a pager above a list is there below it too."""
    forms = {label_form(word) for word in words}
    fitting = [e for e in page.elements if e.role in _PRESSED and "disabled" not in e.states and not e.in_dialog]
    return [e for e in reversed(fitting) if forms & {label_form(e.name), label_form(e.title or "")}]


def _kind_of(element: Element) -> Literal["next", "more"] | None:
    if element.role not in _PRESSED:
        return None
    if _says_next(element) or element.name.strip() in _RESULTS_SIGNS:
        return "next"
    return "more" if _extends(element.name, _MORE) else None


def _extends(label: str, words: re.Pattern[str]) -> bool:
    form = label_form(label)
    return form.rstrip(".… ") in _MORE_LABELS or words.fullmatch(form) is not None


def _all_pressable(page: PageObserved) -> list[Element]:
    """Return what can be pressed, without what stands in the rows of tables: only a row that is a pager counts."""
    pagers = _pager_rows(page)
    return [
        e
        for e in page.elements
        if e.role in _PRESSED
        and "disabled" not in e.states
        and not e.in_dialog
        and (e.row is None or (e.frame, e.row) in pagers)
    ]


def _pager_rows(page: PageObserved) -> set[tuple[str, int]]:
    """Return the rows of tables that hold nothing but what turns pages, under rows of more cells."""
    rows: dict[tuple[str, int], list[Element]] = {}
    for element in page.elements:
        if element.row is not None and element.role != "row" and (element.name.strip() or element.role in _PRESSED):
            rows.setdefault((element.frame, element.row), []).append(element)
    turning = {
        key
        for key, row in rows.items()
        if any(map(_turns, row)) and all(_is_of_pager(e) or _holds_only(e, row) for e in row)
    }
    widest = max((len(row) for key, row in rows.items() if key not in turning), default=0)
    return turning if widest > 1 else set()


def _holds_only(cell: Element, row: Sequence[Element]) -> bool:
    """Return whether the text of a cell is that of what can be pressed in it: "Previous Next"."""
    text = fold(cell.name)
    for name in sorted((fold(e.name) for e in row if e.role in _PRESSED and e.name.strip()), key=len, reverse=True):
        text = text.replace(name, " ", 1)
    return cell.role not in _PRESSED and _COUNTS_ONLY.fullmatch(text) is not None


def _turns(element: Element) -> bool:
    return element.role in _PRESSED and (_says_next(element) or _is_of_pager(element))


def _is_of_pager(element: Element) -> bool:
    name = element.name.strip()
    if element.role not in _PRESSED and _COUNTS_ONLY.fullmatch(fold(name)):
        return True
    return (
        _says_next(element)
        or element.turn != ""
        or _PREVIOUS.fullmatch(label_form(_ARROWS_ONLY.sub(" ", name)).strip()) is not None
        or _ARROWS_ONLY.fullmatch(name) is not None
        or to_page_number(name) is not None
    )


def _is_beside(element: Element) -> bool:
    """Return whether it stands where no pager does. A button is called part of a search because its form asks."""
    return element.area in _NEVER and not (element.area == "search" and element.role == "button")


def _says_next(element: Element) -> bool:
    return element.turn == "next" or _is_next_label(element.name) or _is_next_label(element.title or "")


def _is_next_label(label: str) -> bool:
    form = _ARROWS.sub(" ", label_form(label)).strip()
    return form in _NEXT_LABELS or _NEXT.fullmatch(form) is not None


def _arrow(page: PageObserved, pressable: Sequence[Element], after: int) -> Element | None:
    """Return an arrow in a pager: in one by its markup, or beside a row of page numbers."""
    beside = {ref for row in number_rows(page) for ref in range(row.refs[0] - 3, row.refs[-1] + 4)}
    near = [e for e in pressable if e.area == "pager" or e.ref in beside]
    for sign in _PAGER_SIGNS:
        arrows = [e for e in near if e.name.strip() == sign]
        behind = [e for e in arrows if e.ref > after or e.area == "pager" or e.ref in beside]
        if behind:
            return behind[0] if behind[0].area not in _NEVER else None
    return None


def _best(candidates: Sequence[Element], after: int, page: PageObserved) -> Element | None:
    """Prefer declared links, then those in a pager, then those behind the list, then those in front of it."""
    ranked = [(rank, e.ref, e) for e in candidates if (rank := _rank(e, after, page)) is not None]
    return min(ranked, key=lambda one: one[:2])[2] if ranked else None


def _leads_back(element: Element, page: PageObserved, visited: frozenset[str]) -> bool:
    url = address_behind(element, page)
    return url is not None and same_address(url) in visited


def _rank(element: Element, after: int, page: PageObserved) -> int | None:
    if element.turn == "next":
        return 0
    if element.area == "pager":
        return 1
    if _is_beside(element):
        return None
    if element.ref > after:
        return 2
    # In front of a list "Next" may lead to the next project.
    url = address_behind(element, page)
    return 3 if element.area != "navigation" and (url is None or is_same_list(url, page.url)) else None


def _only_double_arrow(page: PageObserved, pressable: Sequence[Element], visited: frozenset[str]) -> Element | None:
    """Return the double arrow of a pager in which no single arrow is, not even one that cannot be pressed.

    One that leaves out pages leads to the end. Where all numbers lead somewhere, that of this page is not shown.
    """
    pager = [e for e in page.elements if e.area == "pager"]
    numbers = {e.ref: number for e in pager if (number := to_page_number(e.name)) is not None}
    all_lead = all(e.role in _PRESSED and "current" not in e.states for e in pager if e.ref in numbers)
    next_number = max(numbers.values(), default=0) + (2 if all_lead else 1)
    if any(e.name.strip() in _PAGER_SIGNS or (e.role in _PRESSED and not e.name.strip()) for e in pager):
        return None
    for element in (e for e in pressable if e.area == "pager" and _unspaced(e.name) in _END_SIGNS):
        url = address_behind(element, page)
        if url is None or same_address(url) in visited:
            continue
        changed = address_parts(url) - address_parts(page.url)
        leads_to = [int(part) for part in changed if part.isdecimal() and len(part) < MAX_DIGITS]
        if not numbers or max(leads_to, default=0) <= next_number:
            return element
    return None


def _beside_count(page: PageObserved) -> Element | None:
    """Return the button without a name right behind "Page 1 of 5" or "1 - 25 of 63", where as many stand before it."""
    numbers = {element.ref: at for at, element in enumerate(page.elements)}
    for count in read_counts(page):
        goes_on = count.page < count.pages if count.kind == "page" else count.last < count.total
        if count.kind == "total" or not goes_on:
            continue
        at = numbers[count.ref]
        before = list(takewhile(_is_bare_button, reversed(page.elements[max(0, at - MOST_BARE) : at])))
        behind = list(takewhile(_is_bare_button, page.elements[at + 1 : at + 1 + MOST_BARE]))
        if 0 < len(before) == len(behind) < MOST_BARE and "disabled" not in behind[0].states:
            return behind[0]
    return None


def _is_bare_button(element: Element) -> bool:
    return element.role in _PRESSED and element.url is None and not element.name.strip() and not element.title


def _unspaced(name: str) -> str:
    return "".join(name.split())


def _numbered(page: PageObserved, after: int) -> Element | None:
    """Return the control with the number behind that of the current page, in a row of page numbers."""
    for row in sorted(number_rows(page), key=lambda row: row.refs[-1] < after):
        following = row.control(row.current + 1) if row.current is not None else None
        if following is not None:
            return following
    return None


def _unread(page: PageObserved, after: int, visited: frozenset[str]) -> Element | None:
    """Return the first number that leads to an address that was not read, where none is known to be the current one."""
    for row in sorted(number_rows(page), key=lambda row: row.refs[-1] < after):
        for element in row.controls if row.current is None else ():
            url = address_behind(element, page)
            if url is not None and same_address(url) not in visited:
                return element
    return None


def address_behind(element: Element, page: PageObserved) -> str | None:
    """Return the absolute address if it loads another page; a script's `#` does not."""
    if element.url is None or element.role != "link":
        return None
    try:
        url = urljoin(page.url, element.url)
    except ValueError:
        return None
    away = url.startswith(("http://", "https://")) and same_address(url) != same_address(page.url)
    return url if away else None
