"""Walks the visible frames of a page and joins their elements in document order."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from playwright.async_api import Error, Frame, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.observe import engine
from services.browser_pool.adapters.observe.engine import CountReply, FrameSurvey, decode
from services.browser_pool.adapters.observe.list_places import lists_of
from services.browser_pool.adapters.observe.worlds import Worlds
from services.browser_pool.page.model import FIELD, PageStats, RawItem, RawPage, Seen

MAX_FRAMES = 40
MIN_FRAME_PX = 4
FRAME_TIMEOUT_S = 3.0
ROUNDS_FOR_ROOTS = 4
"""Maximum nesting of closed shadow roots."""


@dataclass(frozen=True)
class FramePlace:
    """A frame and its position. The ``n``-th element of its parent's snapshot holds it; its boxes count from ``x``,
    ``y``."""

    frame_id: str
    label: str = "main"
    parent: FramePlace | None = None
    snapshot_id: str = ""
    n: int = 0
    x: float = 0.0
    y: float = 0.0
    in_view: bool = True

    @property
    def depth(self) -> int:
        return 0 if self.parent is None else self.parent.depth + 1


@dataclass(slots=True)
class Ref:
    """The meaning of a ref: element ``n`` of the snapshot in one frame."""

    place: FramePlace
    n: int


class Refs:
    """The meanings of a snapshot's refs, counted from 0: ranges of one frame's elements, in document order."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._stretches: list[tuple[FramePlace, int]] = []
        self._count = 0

    def add(self, place: FramePlace, first_n: int, count: int) -> None:
        if count > 0:
            self._starts.append(self._count)
            self._stretches.append((place, first_n))
            self._count += count
            self._ends.append(self._count)

    def __len__(self) -> int:
        return self._count

    def in_order(self, indexes: Sequence[int]) -> list[tuple[int, FramePlace, int]]:
        """Return each of ``indexes``, which are ascending, with its frame and its number there."""
        found: list[tuple[int, FramePlace, int]] = []
        for start, end, place, first_n in self._ranges():
            some = indexes[bisect_left(indexes, start) : bisect_left(indexes, end)]
            found += [(index, place, index - start + first_n) for index in some]
        return found

    def indexes(self, place: FramePlace, numbers: Collection[int]) -> set[int]:
        """Return the indexes, over all frames, of the elements ``numbers`` of one frame."""
        return {
            start + n - first_n
            for start, end, one, first_n in self._ranges()
            for n in numbers
            if one is place and first_n <= n < first_n + end - start
        }

    def _ranges(self) -> Iterator[tuple[int, int, FramePlace, int]]:
        """Yield each range's first index, its end, its frame, and its first number there."""
        for start, end, (place, first_n) in zip(self._starts, self._ends, self._stretches, strict=True):
            yield start, end, place, first_n

    def __getitem__(self, index: int) -> Ref:
        at = bisect_right(self._starts, index) - 1
        place, first_n = self._stretches[at]
        return Ref(place, first_n + index - self._starts[at])


@dataclass
class WalkedPage:
    """All frames of a page. ``refs``, ``contents`` and ``ranks`` have one entry per element, in document order."""

    main: FrameSurvey
    refs: Refs = field(default_factory=Refs)
    contents: list[str] = field(default_factory=list[str])
    ranks: list[str] = field(default_factory=list[str])
    parts: list[tuple[FramePlace, FrameSurvey, int]] = field(default_factory=list[tuple[FramePlace, FrameSurvey, int]])
    """Each frame with its survey and the number of table rows before it."""
    unread: list[str] = field(default_factory=list[str])
    rows: int = 0
    beside: object = None
    """What the world of the page's scripts said right after all this was read; None where that is not known."""

    @property
    def stats(self) -> PageStats:
        return total([surveyed.stats for _, surveyed, _ in self.parts])

    def raw_page(
        self, url: str, http_status: int | None, seen: tuple[Seen, ...], kept: Iterable[int], *, settled: bool
    ) -> RawPage:
        """Return the page as read. ``kept`` are the refs that were read in full; ``seen`` are
        those of them with a box."""
        lists = lists_of((at.y, one.lists, partial(self.refs.indexes, at)) for at, one, _ in self.parts)
        return RawPage(
            url=url,
            title=self.main.title,
            lang=self.main.lang,
            http_status=http_status,
            contents=tuple(self.contents),
            seen=seen,
            hidden=frozenset(kept) - {one.ref for one in seen},
            stats=self.stats,
            scroll_y_px=self.main.scroll_y,
            scroll_max_y_px=self.main.scroll_max,
            settled=settled,
            browser_ms=0.0,
            unread=tuple(self.unread),
            busy=any(surveyed.busy for _, surveyed, _ in self.parts),
            scrollers=lists.scrollers,
            list_places=lists.list_places,
        )


class PageWalk:
    """One walk over a page, under a snapshot id."""

    def __init__(
        self,
        worlds: Worlds,
        snapshot_id: str,
        timeout_s: float,
        *,
        locators: bool = False,
        with_size: bool = False,
        max_chars: int = 0,
        beside: str = "",
    ) -> None:
        """Prepare a walk.

        ``with_size``: each frame also reports its size as a file. ``max_chars``: how much of the page will be wanted in
            full; it comes with the survey. ``beside``: what the world of the page's scripts is asked with it."""
        self._worlds, self._snapshot_id, self._timeout_s = worlds, snapshot_id, timeout_s
        self._how = "locators" if locators else "weighed" if with_size else ""
        self._max_chars = max_chars
        self._beside, self._told = beside, None
        self._entered = 0

    async def survey(self, *, scripts: bool) -> WalkedPage:
        """Survey all frames. ``scripts``: the page is known to run scripts.

        Raises Playwright's errors for the main frame only.
        """
        place = FramePlace(self._worlds.main_id)
        main = await self._one(place.frame_id, self._timeout_s, scripts=scripts)
        whole = WalkedPage(main)
        await self._add(whole, place, main)
        return whole

    async def _one(self, frame_id: str, timeout_s: float, *, scripts: bool = False) -> FrameSurvey:
        if scripts:
            await self._worlds.mark_listeners(frame_id, timeout_s)
        surveyed = await self._ask(frame_id, timeout_s)
        for _ in range(ROUNDS_FOR_ROOTS):
            found = await self._closed_roots(frame_id, surveyed, timeout_s)
            marks = surveyed.scripts and (found or not scripts)
            marked = marks and await self._worlds.mark_listeners(frame_id, timeout_s)
            if not found and not marked:
                break
            surveyed = await self._ask(frame_id, timeout_s)
        return surveyed

    async def _closed_roots(self, frame_id: str, surveyed: FrameSurvey, timeout_s: float) -> bool:
        hosts = f"{self._snapshot_id}:hosts"
        return surveyed.hosts > 0 and await self._worlds.adopt_closed_roots(frame_id, hosts, surveyed.hosts, timeout_s)

    async def _ask(self, frame_id: str, timeout_s: float) -> FrameSurvey:
        asked = ("survey", self._snapshot_id, self._how, self._max_chars)
        if not self._beside or frame_id != self._worlds.main_id:
            return decode(await self._worlds.ask(frame_id, timeout_s, *asked), FrameSurvey)
        answer, self._told = await self._worlds.ask_both(self._beside, frame_id, timeout_s, *asked)
        return decode(answer, FrameSurvey)

    async def _add(self, whole: WalkedPage, place: FramePlace, surveyed: FrameSurvey) -> None:
        """Add the elements of a frame; those of each child frame follow the iframe that holds it."""
        whole.parts.append((place, surveyed, whole.rows))
        whole.rows += surveyed.rows
        # A tab is sent in two characters, the separator of fields in six.
        contents = surveyed.content.replace("\t", FIELD).split("\n") if surveyed.count else []
        held = await self._children(whole, place, surveyed) if surveyed.frames else {}
        start = 0
        for n, child in [*sorted(held.items()), (surveyed.count - 1, None)]:
            whole.refs.add(place, start, n + 1 - start)
            whole.contents += contents[start : n + 1]
            whole.ranks += surveyed.ranks[start : n + 1]
            start = n + 1
            if child is not None:
                await self._add(whole, *child)

    async def _children(
        self, whole: WalkedPage, place: FramePlace, surveyed: FrameSurvey
    ) -> dict[int, tuple[FramePlace, FrameSurvey]]:
        """Survey the child frames in parallel, so that one without an answer delays no other."""
        try:
            ids = await self._worlds.frame_ids(place.frame_id, self._snapshot_id, surveyed.frames, FRAME_TIMEOUT_S)
            items = await self._items(place, surveyed, surveyed.frames)
        except (Error, PlaywrightTimeout):
            whole.unread.append(f"the frames in {place.label}")
            return {}
        wanted = [
            (n, frame_id, items[n])
            for n, frame_id in zip(surveyed.frames, ids, strict=True)
            if frame_id and n in items and min(items[n].box[2:]) >= MIN_FRAME_PX
        ]
        room = max(0, MAX_FRAMES - self._entered) if place.depth < 10 else 0
        whole.unread += [_label(item) for _, _, item in wanted[room:]]
        self._entered += len(wanted[:room])
        found = await asyncio.gather(*(self._child(place, n, frame_id, item) for n, frame_id, item in wanted[:room]))
        whole.unread += [_label(item) for (_, _, item), child in zip(wanted, found, strict=False) if child is None]
        return {n: child for (n, _, _), child in zip(wanted, found, strict=False) if child is not None}

    async def _child(
        self, parent: FramePlace, n: int, frame_id: str, item: RawItem
    ) -> tuple[FramePlace, FrameSurvey] | None:
        try:
            surveyed = await self._one(frame_id, FRAME_TIMEOUT_S)
        except (Error, PlaywrightTimeout):
            return None
        # Boxes count from the corner of the frame's document, which may be scrolled out of the iframe.
        x, y = parent.x + item.box[0] - surveyed.scroll_x, parent.y + item.box[1] - surveyed.scroll_y
        label = (surveyed.name or surveyed.url)[:200]
        in_view = parent.in_view and item.in_viewport
        return FramePlace(frame_id, label, parent, self._snapshot_id, n, x, y, in_view), surveyed

    async def read_elements(self, whole: WalkedPage, wanted: Sequence[int]) -> tuple[Seen, ...]:
        """Return the elements ``wanted``, ascending indexes, in full, without those that have no box."""
        refs = whole.refs.in_order(wanted)
        # By identity: hashing a place is expensive.
        by_place: dict[int, list[int]] = {}
        for _, place, n in refs:
            by_place.setdefault(id(place), []).append(n)
        parts = [(place, surveyed) for place, surveyed, _ in whole.parts if id(place) in by_place]
        found = await asyncio.gather(*(self._items(place, one, by_place[id(place)]) for place, one in parts))
        items = {id(place): told for (place, _), told in zip(parts, found, strict=True)}
        rows = {id(place): before for place, _, before in whole.parts}
        whole.beside = self._told if self._worlds.is_one_document else None
        return tuple(
            _seen(index + 1, place, items[id(place)][n], rows[id(place)])
            for index, place, n in refs
            if n in items[id(place)]
        )

    async def find_by_locators(self, whole: WalkedPage, locators: str) -> set[int]:
        """Return the indexes of the elements that ``locators`` match, in any frame (see sought.js)."""
        found: set[int] = set()
        for place, _, _ in whole.parts:
            told = await self._worlds.ask(place.frame_id, self._timeout_s, "sought", self._snapshot_id, locators)
            found |= whole.refs.indexes(place, decode(told, frozenset[int]))
        return found

    async def with_locators(self, place: FramePlace, wanted: Sequence[int]) -> dict[int, RawItem]:
        """Return the elements ``wanted`` of one frame, each with its locators."""
        if not wanted:
            return {}
        asked = ("details", self._snapshot_id, ",".join(map(str, wanted)), "locators")
        told = decode(await self._worlds.ask(place.frame_id, self._timeout_s, *asked), tuple[RawItem, ...])
        return {item.n: item for item in told}

    async def _items(self, place: FramePlace, surveyed: FrameSurvey, wanted: Sequence[int]) -> dict[int, RawItem]:
        found = {item.n: item for item in surveyed.items}
        read = {n for first, count in surveyed.read for n in range(first, first + count)}
        if missing := [n for n in wanted if n not in read]:
            self._told = None
            asked = ("details", self._snapshot_id, ",".join(map(str, missing)), self._how)
            told = decode(await self._worlds.ask(place.frame_id, self._timeout_s, *asked), tuple[RawItem, ...])
            found |= {item.n: item for item in told}
        return found


def _seen(ref: int, place: FramePlace, item: RawItem, rows_before: int) -> Seen:
    row = None if item.row is None else rows_before + item.row + 1
    x, y, in_view = place.x + item.box[0], place.y + item.box[1], place.in_view and item.in_viewport
    return Seen(ref, item, place.label, x, y, in_view, row, place.frame_id)


def _label(item: RawItem) -> str:
    return (item.name or item.url or "without a name")[:200]


def total(stats: Sequence[PageStats]) -> PageStats:
    """Return the sum over all frames; the canvas share is that of the main frame, whose view contains the others."""
    if len(stats) == 1:
        return stats[0]
    return PageStats(
        total=sum(one.total for one in stats),
        interactive=sum(one.interactive for one in stats),
        unnamed=sum(one.unnamed for one in stats),
        svg=sum(one.svg for one in stats),
        canvas=sum(one.canvas for one in stats),
        canvas_share=stats[0].canvas_share,
        icons=sum(one.icons for one in stats),
        icon_lists=sum(one.icon_lists for one in stats),
    )


async def visible_frames(worlds: Worlds, search_id: str, timeout_s: float) -> list[FramePlace]:
    """Return the main frame and every visible frame, for a search through all of them."""
    main = FramePlace(worlds.main_id)
    return [
        main,
        *(await _frames_within(worlds, main, search_id, timeout_s) if worlds.page.main_frame.child_frames else ()),
    ]


async def _frames_within(worlds: Worlds, place: FramePlace, search_id: str, timeout_s: float) -> list[FramePlace]:
    try:
        held = f"{search_id}:frames"
        told = decode(await worlds.ask(place.frame_id, timeout_s, "frames", held), CountReply)
        ids = await worlds.frame_ids(place.frame_id, held, range(told.count), timeout_s)
    except (Error, PlaywrightTimeout):
        return []
    children = [FramePlace(frame_id, frame_id, place, held, n) for n, frame_id in enumerate(ids) if frame_id]
    deeper = [await _frames_within(worlds, child, search_id, FRAME_TIMEOUT_S) for child in children[:MAX_FRAMES]]
    return [*children, *(one for some in deeper for one in some)]


async def playwright_frame(page: Page, worlds: Worlds, place: FramePlace) -> Frame | None:
    """Return Playwright's frame for a place; None when it is gone."""
    if place.parent is None:
        return page.main_frame
    known = next((frame for frame in page.frames if worlds.id_of(frame) == place.frame_id), None)
    if known is not None and not known.is_detached():
        return known
    parent = await playwright_frame(page, worlds, place.parent)
    if parent is None:
        return None
    try:
        async with asyncio.timeout(FRAME_TIMEOUT_S):
            holder = engine.element(parent, place.snapshot_id, place.n)
            frame = await (await holder.element_handle(timeout=FRAME_TIMEOUT_S * 1000)).content_frame()
    except (Error, PlaywrightTimeout, TimeoutError):
        return None
    if frame is not None:
        worlds.name(frame, place.frame_id)
    return frame


def frame_label(frame: Frame) -> str:
    """Return the frame's name, else its address."""
    if frame.parent_frame is None:
        return "main"
    return (frame.name or frame.url)[:200]
