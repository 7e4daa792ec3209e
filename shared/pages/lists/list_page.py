"""The page of a list within a record: which items of it stand there, and what on the page says that the list goes on.

A pager belongs to the list only where it stands right at it: no heading between, and no more elements than the list
itself has. A record has other lists too.
"""

from __future__ import annotations

from collections.abc import Sequence

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.steps import ListPage
from shared.pages.elements import text_of
from shared.pages.lists.counts import read_counts
from shared.pages.lists.lists import same_address
from shared.pages.lists.page_numbers import number_rows
from shared.pages.lists.paging import address_behind, next_page_control
from shared.text.normal import fold

LEAST_ITEMS = 2
"""Items of their own elements: one text is no list that is turned."""


def list_page(page: PageObserved, field: str, items: Sequence[str]) -> ListPage | None:
    """Return what the page says of the list that these items are of; None if it shows no list of them."""
    refs = _refs_of(page, items)
    if len(set(refs)) < LEAST_ITEMS:
        return None
    first, last = min(refs), max(refs)
    named: dict[str, str] = {}
    for row in number_rows(page):
        if _is_at(page, row.refs[0], first, last) and row.current is not None:
            further = [element for number, element in row.numbers if number > row.current]
            named |= {url: e.name for e in further if (url := address_behind(e, page)) is not None}
    control = next_page_control(page, last)
    pressed = ""
    if control is not None and _is_at(page, control.element.ref, first, last):
        name = control.element.name or control.element.title or ""
        named |= {} if control.url is None else {control.url: name}
        pressed = name if control.url is None else ""
    here = same_address(page.url)
    leads_to = tuple(url for url in dict.fromkeys(map(same_address, named)) if url != here)
    return ListPage(field=field, url=here, leads_to=leads_to, pressed=pressed, counted=_counted(page, len(refs)))


def _refs_of(page: PageObserved, items: Sequence[str]) -> list[int]:
    """Return the element of each item that the page shows: the shortest text that has it whole."""
    texts = [(f" {fold(text_of(element))} ", element.ref) for element in page.elements]
    shortest = sorted(texts, key=lambda one: len(one[0]))
    found = (next((ref for text, ref in shortest if f" {fold(item)} " in text), None) for item in items)
    return [ref for ref in found if ref is not None]


def _is_at(page: PageObserved, ref: int, first: int, last: int) -> bool:
    low, high = (last, ref) if ref > last else (ref, first)
    between = [e for e in page.elements if low < e.ref < high]
    return len(between) <= last - first + 1 and not any(_is_heading(e) for e in between)


def _is_heading(element: Element) -> bool:
    return element.role == "heading"


def _counted(page: PageObserved, shown: int) -> str:
    """Return the page's words where it counts on behind these items: "7 to 12 of 27" beside six of them."""
    for count in read_counts(page):
        if count.kind == "range" and count.last - count.first + 1 == shown and count.last < count.total:
            return count.text
    return ""
