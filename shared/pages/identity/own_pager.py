"""What turns one list of a page that has others: the pager that stands at it, and whether an address is a page of it.

A pager in front of another list, behind another one, or under one may turn that; a control that may be meant for either
turns none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from msgspec.structs import replace

from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.elements import is_header, is_heading
from shared.pages.lists.lists import address_parts, is_in_noise, same_address
from shared.pages.lists.page_numbers import number_rows, to_page_number
from shared.pages.lists.paging import (
    PagingControl,
    address_behind,
    is_paging_label,
    is_same_list,
    next_page_control,
    ways_on,
)

_TURNS = re.compile(
    r"(?:p|pg|pn)|.*(?:page|seite|p[aá]gina|sivu|strana|offset|start|skip|cursor|after|token|marker|from).*", re.I
)
"""How parameters of an address are called that tell which part of a list it shows."""


@dataclass(frozen=True)
class _Part:
    """A list with what stands around it. ``front`` and ``behind``: up to the next heading, caption or other table;
    ``open_front`` and ``open_behind``: it ends at another table, to which what stands between may belong."""

    front: tuple[Element, ...]
    own: tuple[Element, ...]
    behind: tuple[Element, ...]
    open_front: bool
    open_behind: bool


def own_control(
    page: PageObserved, first: int, last: int, visited: frozenset[str], kept: frozenset[str] = frozenset()
) -> PagingControl | None:
    """Return what leads to more of the list from ``first`` to ``last``, by the refs of its elements; None: nothing
    does, or what does may turn something else. ``kept``: what an address of this record has to hold."""
    part = _part_of(page, first, last)
    if part is None:
        return None
    around = replace(page, elements=(*part.front, *part.own, *part.behind))
    control = next_page_control(around, part.own[-1].ref, visited)
    if control is None or _may_be_anothers(page, part, control.element):
        return None
    if control.url is not None and not is_page_of(control.url, page.url, kept):
        return None
    if control.element.ref < first and control.url is None:
        return None  # in front of a list a button may lead to the next record
    return None if _has_rival(around, control, part.own[-1].ref, visited) else control


def is_page_of(url: str, here: str, kept: frozenset[str]) -> bool:
    """Return whether an address is another page of what the address ``here`` shows: its path but for a page number, all
    parameters that do not turn pages, and every one of ``kept`` that is a part of it."""
    if not is_same_list(url, here):
        return False
    try:
        before, after = (parse_qsl(urlsplit(one).query, keep_blank_values=True) for one in (here, url))
    except ValueError:
        return False
    said = {(name, value) for name, value in before if not _TURNS.fullmatch(name)}
    return said <= set(after) and kept & address_parts(here) <= address_parts(url)


def _part_of(page: PageObserved, first: int, last: int) -> _Part | None:
    places = {element.ref: at for at, element in enumerate(page.elements)}
    if first not in places or last not in places:
        return None
    begin, end = places[first], places[last]
    frame = page.elements[begin].frame
    elements = [one for one in page.elements if one.frame == frame]
    places = {element.ref: at for at, element in enumerate(elements)}
    begin, end = places[first], places[last]
    in_table = elements[begin].row is not None
    while begin and in_table and is_header(elements[begin - 1]) and elements[begin - 1].row is not None:
        begin -= 1
    while in_table and end + 1 < len(elements) and _is_of_row_below(elements[end], elements[end + 1]):
        end += 1
    front = _until_other(elements[:begin][::-1])
    behind = _until_other(elements[end + 1 :])
    return _Part(
        tuple(front[::-1]),
        tuple(elements[begin : end + 1]),
        tuple(behind),
        open_front=_is_other_table(elements[:begin][::-1][len(front) :]),
        open_behind=_is_other_table(elements[end + 1 :][len(behind) :]),
    )


def _is_of_row_below(element: Element, following: Element) -> bool:
    return following.row is not None and not (is_header(following) and following.role != "rowheader")


def _until_other(elements: Sequence[Element]) -> list[Element]:
    found: list[Element] = []
    for element in elements:
        if is_heading(element) or element.role == "caption" or element.row is not None:
            break
        found.append(element)
    return found


def _is_other_table(rest: Sequence[Element]) -> bool:
    return bool(rest) and rest[0].row is not None


def _may_be_anothers(page: PageObserved, part: _Part, control: Element) -> bool:
    """Return whether the control may turn another list: no heading parts it from that, or it stands under that."""
    refs = {one.ref for one in part.own}
    if control.ref not in refs:
        is_front = control.ref < part.own[0].ref
        if (is_front and part.open_front) or (not is_front and part.open_behind):
            return True
    own = [one for one in part.own if one.box is not None]
    if control.box is None or not own:
        return False
    middle = control.box.x + control.box.width / 2
    if _spans(own, middle):
        return False
    others = [e for e in page.elements if e.row is not None and e.ref not in refs and not is_in_noise(e)]
    return _spans([one for one in others if one.box is not None], middle)


def _spans(elements: Sequence[Element], x: float) -> bool:
    boxes = [one.box for one in elements if one.box is not None]
    if not boxes:
        return False
    return min(box.x for box in boxes) <= x <= max(box.x + box.width for box in boxes)


def _has_rival(around: PageObserved, control: PagingControl, last: int, visited: frozenset[str]) -> bool:
    """Return whether something else of the same words, or the next number of another row, leads elsewhere: one of both
    turns another list. A pager may stand above its list and below it."""
    element = control.element
    alike = [e for e in ways_on(around, visited) if e.name == element.name or is_paging_label(e.name)]
    if to_page_number(element.name) is not None:
        rows = (row for row in number_rows(around) if row.current is not None)
        alike = [e for row in rows if (e := row.control((row.current or 0) + 1)) is not None]
    others = [one for one in alike if one.ref != element.ref]
    if control.url is not None:
        return any(same_address(address_behind(one, around)) != same_address(control.url) for one in others)
    side = [one for one in others if (one.ref > last) == (element.ref > last)]
    return bool(side) or any(address_behind(one, around) is not None for one in others)
