"""What walking a page returns, before any decision about what to show. Data only.

A page has thousands of these. They hold nothing that could refer back to them, so the garbage collector passes over
them (``gc=False``): a full collection stops the event loop for tens of milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from shared.contracts.browser_pool import Scroller, Tab

FIELD = "\x1f"
"""Separates the fields of a content line: role, header, name, value, states, URL, and the title if there is one."""


class RawItem(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One element of one frame, as walk.js reports it in full; sent as an array, without usual facts at its end.

    ``n`` counts the elements of the frame from 0. ``box`` is x, y, width, height in CSS pixels from the top left of the
        frame's document. ``type`` and ``path`` (of tags) are part of the fingerprint.
    """

    n: int
    role: str
    name: str
    value: str | None
    states: tuple[str, ...]
    url: str | None
    tag: str
    header: str | None
    row: int | None
    level: int | None
    box: tuple[float, float, float, float]
    in_viewport: bool
    in_dialog: bool
    path: str = ""
    span: int = 1
    column: int | None = None
    type: str = ""
    area: str = ""
    parts: tuple[tuple[str, str, str | None, bool], ...] = ()
    regions: tuple[str, ...] = ()
    title: str | None = None
    covered_by: str | None = None
    turn: str = ""
    past: bool = False
    before_blank: bool = False
    like_next: bool = False
    ends_group: bool = False
    unwritten: bool = False
    hints: tuple[tuple[str, str], ...] = ()
    secret: bool = False
    look: str = ""
    """Of a picture without a name: equal for pictures that are drawn alike."""
    cut_chars: int = 0
    locators: tuple[tuple[str, str, int], ...] = ()


class ListFacts(msgspec.Struct, frozen=True):
    """What the document of one frame says of its lists (see lists.js). Items are numbers of elements.

    ``scrollers``: position, largest position, top and height of a part that scrolls by itself, and the number of the
        one around it (-1: none). ``inside``: scroller and item. ``stated``: item, size of its set, place in it.
        ``foot``: items in feet of tables.
    """

    scrollers: tuple[tuple[float, float, float, float, int], ...] = ()
    inside: tuple[tuple[int, int], ...] = ()
    stated: tuple[tuple[int, int, int], ...] = ()
    foot: tuple[int, ...] = ()


@dataclass(frozen=True)
class ListPlace:
    """Where an element stands in a list: see the fields of Element."""

    scroller: int = 0
    set_size: int = 0
    set_at: int = 0
    in_foot: bool = False


class PageStats(msgspec.Struct, frozen=True):
    """Counts of one frame.

    ``canvas_share`` is the part of the viewport that canvases and big nameless pictures cover. ``icon_lists`` counts
        lists and tables in which half the rows or more have a nameless picture that differs between rows or has a
        colour.
    """

    total: int = 0
    interactive: int = 0
    unnamed: int = 0
    svg: int = 0
    canvas: int = 0
    canvas_share: float = 0.0
    icons: int = 0
    icon_lists: int = 0


class Seen(msgspec.Struct, frozen=True, gc=False):
    """An element with its position in the whole page. ``ref`` is unique over all frames of the snapshot."""

    ref: int
    item: RawItem
    frame: str
    x: float
    y: float
    in_viewport: bool
    row: int | None
    frame_id: str = ""
    """The protocol's id of its frame."""

    def located(self, locators: tuple[tuple[str, str, int], ...]) -> Seen:
        """Return a copy with these locators."""
        return msgspec.structs.replace(self, item=msgspec.structs.replace(self.item, locators=locators))


@dataclass(frozen=True)
class RawPage:
    """A page as it was read.

    ``contents`` has one line per element, in document order. ``seen`` are the elements within the budget, without those
        in ``hidden``, which have no box. ``before`` are the contents of an earlier snapshot to compare with. ``unread``
        names frames that did not answer.
    """

    url: str
    title: str
    http_status: int | None
    contents: tuple[str, ...]
    seen: tuple[Seen, ...]
    hidden: frozenset[int]
    """Refs of elements without a box."""
    stats: PageStats
    scroll_y_px: float
    scroll_max_y_px: float
    settled: bool
    browser_ms: float
    unread: tuple[str, ...] = ()
    before: tuple[str, ...] | None = None
    tabs: tuple[Tab, ...] = ()
    dialog: str | None = None
    lang: str = ""
    """The language that the document declares, such as ``pt-BR``."""
    busy: bool = False
    """See PageObserved."""
    idle: bool = False
    """See PageObserved."""
    awaits_data: bool = False
    """See PageObserved."""
    awaited: tuple[str, ...] = ()
    """See PageObserved."""
    failed: tuple[str, ...] = ()
    """See PageObserved."""
    scrollers: tuple[Scroller, ...] = ()
    list_places: Mapping[int, ListPlace] = field(default_factory=dict[int, ListPlace])
    """By ref."""
