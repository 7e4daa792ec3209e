"""What repeats on a page: rows of tables, cards under headings or links, links at one place. No site is known by name.

Header, footer, navigation and sidebars are never a list, unless the task names them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import unquote, urldefrag, urlsplit

from services.planner.page.text import is_header, is_heading
from shared.contracts.browser_pool import Element, PageObserved

NOISE = frozenset({"navigation", "banner", "contentinfo", "complementary", "pager", "search"})
MAX_CANDIDATES = 12
WITHIN_A_LINE_PX = 24
"""Two links this near are in one line of text; those of two cards are further apart."""
ROWS = "row"
"""The place of a list whose items are table rows."""
_OF_AN_ITEM = re.compile(r"(?:^|>)(?:li|tr|article|dd|option)>")


@dataclass(frozen=True)
class ListedRecord:
    """One item of a list: its heading element, and all of its parts including that one."""

    head: Element
    parts: tuple[Element, ...]


def repeated_records(page: PageObserved, place: str = "") -> list[tuple[str, list[ListedRecord]]]:
    """Return all candidate lists with their places. `place`: only the list there, as on earlier pages."""
    own = [e for e in page.elements if e.area not in NOISE and not e.in_dialog]
    found: list[tuple[str, list[ListedRecord]]] = []
    if place in ("", ROWS) and (rows := [row for row in table_rows(own) if any(e.header for e in row)]):
        found.append((ROWS, [ListedRecord(row[0], tuple(row)) for row in rows]))
    groups: dict[str, list[Element]] = defaultdict(list)
    for element in own:
        if element.url is not None and element.role == "link" and (not place or element.place == place):
            groups[f"{element.frame} {element.place}" if element.frame != "main" else element.place].append(element)
    by_size = sorted(groups.items(), key=lambda one: -len({e.url for e in one[1]}))[:MAX_CANDIDATES]
    for name, heads in by_size:
        if place or len({e.url for e in heads}) > 1 or _OF_AN_ITEM.search(name):
            found.append((heads[0].place, _from_each_link(own, heads)))
    return found


def table_rows(elements: Iterable[Element]) -> list[list[Element]]:
    """Return the cells of each table row, without column headers."""
    rows: dict[tuple[str, int], list[Element]] = {}
    for element in elements:
        if element.row is not None and not (is_header(element) and element.role != "rowheader"):
            rows.setdefault((element.frame, element.row), []).append(element)
    return list(rows.values())


def cards(elements: Sequence[Element]) -> list[list[Element]]:
    """Return a card for each heading, else for each link: all elements up to the next one. Cards without a link are
    left out."""
    headings = [at for at, e in enumerate(elements) if is_heading(e)]
    starts = headings or [at for at, e in enumerate(elements) if _opens(e)]
    return [card for card in _slices(elements, starts, len(elements)) if any(map(_opens, card))]


def _opens(element: Element) -> bool:
    return element.role == "link" and bool(element.name.strip())


def _slices(elements: Sequence[Element], starts: Sequence[int], end: int) -> list[list[Element]]:
    return [list(elements[a:b]) for a, b in zip(starts, [*starts[1:], end], strict=True)] if starts else []


def _from_each_link(own: Sequence[Element], heads: Sequence[Element]) -> list[ListedRecord]:
    """Return each head with all elements up to the next one; the last gets as many as the longest of the others."""
    starts = [own.index(head) for head in _distinct_heads(heads)]
    longest = max((b - a for a, b in pairwise(starts)), default=8)
    return [ListedRecord(part[0], tuple(part)) for part in _slices(own, starts, starts[-1] + longest)]


def _distinct_heads(heads: Sequence[Element]) -> list[Element]:
    """Return one head for each item.

    Two adjacent links to one address are one head. A link in the line of a head, to another kind of page, is a part of
    it, such as the pull request beside a commit.
    """
    kept: list[Element] = []
    for head in heads:
        if not kept or (kept[-1].url != head.url and not _is_beside(kept[-1], head)):
            kept.append(head)
    return kept


def _is_beside(head: Element, other: Element) -> bool:
    a, b = head.box, other.box
    if a is None or b is None or (head.url or "").rpartition("/")[0] == (other.url or "").rpartition("/")[0]:
        return False
    in_line = min(a.y + a.height, b.y + b.height) - max(a.y, b.y) > 0.5 * min(a.height, b.height)
    return in_line and b.x - (a.x + a.width) <= WITHIN_A_LINE_PX


# --- addresses of records


def is_address(name: str) -> bool:
    """Return whether a field of this name holds an address."""
    last = name.lower().replace("-", "_").rpartition("_")[2]
    return last in ("url", "link", "href", "uri") or name.lower().endswith("url")


def same_address(url: str) -> str:
    """Return the address in comparable form: without fragment and trailing slash."""
    return urldefrag(url)[0].rstrip("/")


def path_segments(url: str) -> list[str]:
    """Return the segments of the address's path; empty if it is invalid."""
    try:
        return [unquote(part) for part in urlsplit(url).path.split("/") if part]
    except ValueError:
        return []


def last_segment(url: str) -> str:
    """Return the last segment of the address's path."""
    return (path_segments(url) or [""])[-1]
