"""Pure: what of a page is shown, in four passes, and how far its structure can be trusted.

1. what carries nothing is dropped; 2. only roles that mean something to a reader are kept; 3. what matches
the task's keywords always stays; 4. when the budget runs short, what is in view comes first. The order is
always that of the document, and what is left out is counted and said.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from services.browser_pool.page import RawPage, Seen, Stats
from services.browser_pool.rendering import line, with_gaps
from shared.contracts.actions import Box
from shared.contracts.browser_pool import Element, PageObserved

CHARS_PER_TOKEN = 4
NEVER_SHOWN = frozenset({"none", "presentation", "generic", "rowgroup", "separator", ""})
# A control without a name, or an empty cell under a header, still says something.
SHOWN_WITHOUT_NAME = frozenset(
    {
        *("button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox", "tab", "menuitem"),
        *("menuitemcheckbox", "menuitemradio", "switch", "slider", "spinbutton", "treeitem", "canvas", "iframe"),
        *("progressbar", "meter", "img"),
    }
)


def compose(raw: RawPage, snapshot_id: str, *, keywords: Sequence[str], max_tokens: int) -> PageObserved:
    """The snapshot as it goes out: trimmed to the budget, rendered, hashed."""
    shown = meaningful(raw.seen)
    elements = tuple(to_element(one) for one in shown)
    origin = _origin(raw.url)
    lines = tuple(line(element, origin) for element in elements)
    kept = within_budget(elements, lines, keywords, max_tokens * CHARS_PER_TOKEN)
    return PageObserved(
        snapshot_id=snapshot_id,
        url=raw.url,
        title=raw.title,
        http_status=raw.http_status,
        elements=tuple(elements[index] for index in kept),
        text=with_gaps(lines, elements, kept, raw.unread),
        sha256=page_hash(raw.url, raw.title, elements, origin),
        dom_confidence=dom_confidence(raw.stats, len(elements)),
        total_elements=len(elements),
        left_out=len(elements) - len(kept),
        scroll_y_px=raw.scroll_y_px,
        scroll_max_y_px=raw.scroll_max_y_px,
        settled=raw.settled,
        browser_ms=raw.browser_ms,
    )


def meaningful(seen: Iterable[Seen]) -> tuple[Seen, ...]:
    """Passes one and two."""
    return tuple(one for one in seen if one.item.role not in NEVER_SHOWN and _says_something(one))


def _says_something(one: Seen) -> bool:
    item = one.item
    return bool(item.name or item.value or item.header) or item.role in SHOWN_WITHOUT_NAME


def to_element(one: Seen) -> Element:
    item = one.item
    return Element(
        ref=one.ref,
        role=item.role,
        name=item.name,
        value=item.value,
        states=item.states,
        url=item.url,
        tag=item.tag,
        header=item.header,
        row=one.row,
        level=item.level,
        box=Box(x=one.x, y=one.y, width=item.box[2], height=item.box[3]),
        in_viewport=one.in_viewport,
        in_dialog=item.in_dialog,
        frame=one.frame,
    )


def within_budget(
    elements: Sequence[Element], lines: Sequence[str], keywords: Sequence[str], budget_chars: int
) -> tuple[int, ...]:
    """Passes three and four: indexes that are kept, ascending. Keyword matches are kept whatever the budget."""
    costs = [len(text) + 1 for text in lines]
    if sum(costs) <= budget_chars:
        return tuple(range(len(elements)))
    wanted = tuple(word.casefold() for word in keywords if word.strip())
    kept = {index for index, element in enumerate(elements) if matches(element, wanted)}
    spent = sum(costs[index] for index in kept)
    order = sorted((index for index in range(len(elements)) if index not in kept), key=lambda i: _rank(elements[i], i))
    for index in order:
        # The first that does not fit ends the filling: skipping it for a shorter one further down
        # would tear holes into tables and lists.
        if spent + costs[index] > budget_chars:
            break
        kept.add(index)
        spent += costs[index]
    return tuple(sorted(kept))


def matches(element: Element, folded_words: Sequence[str]) -> bool:
    if not folded_words:
        return False
    haystack = "\n".join((element.name, element.value or "", element.header or "")).casefold()
    return any(word in haystack for word in folded_words)


def _rank(element: Element, index: int) -> tuple[int, int]:
    """Dialogs first, for they are in the way; then what is in view, headings, the rest; options of selects last."""
    if element.role == "option":
        return 4, index
    if element.in_dialog:
        return 0, index
    if element.in_viewport:
        return 1, index
    return (2 if element.role == "heading" else 3), index


def dom_confidence(stats: Stats, shown: int) -> float:
    """0 to 1: how much of what a person sees is in the elements.

    The formula is ``1 - 0.3 canvas/total - 0.2 unnamed/interactive - 0.1 svg/interactive``, never below 0. It
    cannot see a page that is one big canvas, so three things pull it down whatever the formula says: nothing
    to show, a picture over much of the view (by its area), and controls of which half or more have no name.
    """
    if shown == 0:
        return 0.0
    interactive = max(1, stats.interactive)
    formula = (
        1 - 0.3 * stats.canvas / max(1, stats.total) - 0.2 * stats.unnamed / interactive - 0.1 * stats.svg / interactive
    )
    by_area = 1 - min(1.0, stats.canvas_share)
    by_names = 0.5 if stats.interactive >= 2 and stats.unnamed * 2 >= stats.interactive else 1.0
    return round(max(0.0, min(formula, by_area, by_names)), 4)


def page_hash(url: str, title: str, elements: Sequence[Element], origin: str) -> str:
    """Over URL, title and the text of every element without its ref, left out of the budget or not."""
    digest = hashlib.sha256()
    for part in (url, title, *(line(element, origin, with_ref=False) for element in elements)):
        digest.update(part.encode("utf-8", "surrogatepass"))
        digest.update(b"\n")
    return digest.hexdigest()


def _origin(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
