"""What of a page is shown, and how far its structure can be trusted.

Walking the page keeps only elements with content and a meaningful role. Here, elements that match the task's keywords
are always kept, and the budget is filled by rank, what is in view first. The order is that of the document, and what is
left out is counted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, cast
from urllib.parse import urlsplit

from services.browser_pool.page.matching import fingerprint
from services.browser_pool.page.model import FIELD, ListPlace, PageStats, RawItem, RawPage, Seen
from services.browser_pool.page.rendering import difference, line, with_gaps
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import Box, Locator, PartKind, TextPart

CHARS_PER_TOKEN = 4
PLACE_TAGS = 8
LINE_CHARS = 14
"""Characters of a line beside its content: ref, brackets and quotes."""
NOWHERE = ListPlace()
Kind = Literal["id", "testid", "role", "label", "text", "css"]


def choose(contents: Sequence[str], ranks: Sequence[str], keywords: Sequence[str], max_tokens: int) -> tuple[int, ...]:
    """Return the indexes to show, ascending. Keyword matches are kept whatever the budget.

    ``ranks`` has a digit per element: dialogs 0, in view 1, headings 2, the rest 3, options of selects 4, nameless
        icons 5.
    """
    budget_chars = max_tokens * CHARS_PER_TOKEN
    costs = [len(content) + LINE_CHARS for content in contents]
    if sum(costs) <= budget_chars:
        return tuple(range(len(contents)))
    wanted = tuple(word.casefold() for word in keywords if word.strip())
    kept = {index for index, content in enumerate(contents) if matches(content, wanted)} if wanted else set[int]()
    spent = sum(costs[index] for index in kept)
    for index in sorted((index for index in range(len(contents)) if index not in kept), key=lambda i: ranks[i]):
        # The first that does not fit ends the filling: skipping it for a shorter one would tear holes into tables and
        # lists.
        if spent + costs[index] > budget_chars:
            break
        kept.add(index)
        spent += costs[index]
    return tuple(sorted(kept))


def matches(content: str, folded_words: Sequence[str]) -> bool:
    """Return whether header, name or value contain one of the words; role and address do not count."""
    haystack = FIELD.join(content.split(FIELD)[1:4]).casefold()
    return any(word in haystack for word in folded_words)


def compose(raw: RawPage, snapshot_id: str, *, images: bool = False) -> PageObserved:
    """Return the snapshot as it is sent: rendered and hashed. ``images``: see `ObservePage`."""
    elements = elements_of(raw.seen, raw.list_places)
    origin = _origin(raw.url)
    total = len(raw.contents) - len(raw.hidden)
    lines = tuple(line(element, origin, images=images) for element in elements)
    return PageObserved(
        snapshot_id=snapshot_id,
        url=raw.url,
        title=raw.title,
        lang=raw.lang,
        http_status=raw.http_status,
        elements=elements,
        text=with_gaps(lines, elements, len(raw.contents), raw.hidden, raw.unread, raw.dialog),
        sha256=page_hash(raw.url, raw.title, raw.contents),
        dom_confidence=dom_confidence(raw.stats, total),
        plain_confidence=plain_confidence(raw.stats),
        total_elements=total,
        left_out=total - len(elements),
        scroll_y_px=raw.scroll_y_px,
        scroll_max_y_px=raw.scroll_max_y_px,
        settled=raw.settled,
        busy=raw.busy,
        idle=raw.idle,
        awaits_data=raw.awaits_data,
        awaited=raw.awaited,
        failed=raw.failed,
        scrollers=raw.scrollers,
        browser_ms=raw.browser_ms,
        triggers=triggers(raw.stats, total, raw.unread),
        tabs=raw.tabs,
        dialog=raw.dialog,
        difference=None if raw.before is None else difference(raw.before, raw.contents),
    )


def elements_of(seen: Sequence[Seen], places: Mapping[int, ListPlace] | None = None) -> tuple[Element, ...]:
    looks = _numbered(seen)
    return tuple(to_element(one, looks.get(one.item.look, 0), (places or {}).get(one.ref, NOWHERE)) for one in seen)


def _numbered(seen: Sequence[Seen]) -> dict[str, int]:
    """Return a number from 1 for each kind of picture, in order of appearance."""
    looks = dict.fromkeys(one.item.look for one in seen if one.item.look)
    return {look: number for number, look in enumerate(looks, 1)}


def fingerprint_of(item: RawItem) -> str:
    return fingerprint(item.tag, item.role, item.name, item.type, item.path)


def to_element(one: Seen, look: int = 0, where: ListPlace = NOWHERE) -> Element:
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
        covered_by=item.covered_by,
        frame=one.frame,
        fingerprint=fingerprint_of(item),
        locators=tuple(
            [Locator(kind=cast("Kind", kind), value=value, matches=count) for kind, value, count in item.locators]
        ),
        title=item.title,
        area=item.area,
        turn=item.turn,
        place=_place(item.path),
        look=look,
        cut_chars=item.cut_chars,
        secret=item.secret,
        column=item.column,
        rows=item.span,
        parts=tuple(
            [
                TextPart(text=text, kind=cast("PartKind", kind), title=title, minor=minor)
                for text, kind, title, minor in item.parts
            ]
        ),
        past=item.past,
        before_blank=item.before_blank,
        regions=item.regions,
        hints=tuple([TextPart(text=text, title=title) for text, title in item.hints]),
        unwritten=item.unwritten,
        like_next=item.like_next,
        ends_group=item.ends_group,
        scroller=where.scroller,
        set_size=where.set_size,
        set_at=where.set_at,
        in_foot=where.in_foot,
    )


@lru_cache(maxsize=1000)
def _place(path: str) -> str:
    return ">".join(path.split(">")[-PLACE_TAGS:])


def dom_confidence(stats: PageStats, shown: int) -> float:
    """Return, from 0 to 1, how much of what a person sees is in the elements.

    It is `plain_confidence`, lowered in four cases that this misses: nothing to show, a picture over much of the view
    (by its area), half or more of the controls without a name, and lists of which half or more of the rows have only an
    icon.
    """
    if shown == 0:
        return 0.0
    by_area = 1 - min(1.0, stats.canvas_share)
    by_names = 0.5 if _mostly_unnamed(stats) or stats.icon_lists else 1.0
    return round(max(0.0, min(plain_confidence(stats), by_area, by_names)), 4)


def plain_confidence(stats: PageStats) -> float:
    """Return ``1 - 0.3 canvas/total - 0.2 unnamed/interactive - 0.1 svg/interactive``, never below 0.

    It counts elements and knows no areas: a page that is one canvas has 0.7."""
    interactive = max(1, stats.interactive)
    lost = 0.3 * stats.canvas / max(1, stats.total) + 0.2 * stats.unnamed / interactive + 0.1 * stats.svg / interactive
    return round(max(0.0, 1 - lost), 4)


def triggers(stats: PageStats, shown: int, unread: Sequence[str]) -> tuple[str, ...]:
    """Return the reasons to look at a picture of the page, whatever the confidence."""
    found = {
        "empty": shown == 0,
        "canvas": stats.canvas > 0 and stats.canvas_share >= 0.2,
        "pictures": stats.canvas == 0 and stats.canvas_share >= 0.4,
        "unnamed": _mostly_unnamed(stats),
        "icons": stats.icon_lists > 0,
        "unread_frame": bool(unread),
    }
    return tuple(name for name, is_so in found.items() if is_so)


def _mostly_unnamed(stats: PageStats) -> bool:
    return stats.interactive >= 2 and stats.unnamed * 2 >= stats.interactive


def page_hash(url: str, title: str, contents: Sequence[str]) -> str:
    """Return the SHA-256 of URL, title and all contents, independent of the budget."""
    said = "\n".join((url, title, *contents, ""))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _origin(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
