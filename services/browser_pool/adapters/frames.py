"""The frames of a page that a person can see, walked in document order."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from playwright.async_api import Error, Frame
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.engine import Walked, ask, element
from services.browser_pool.page import Seen, Stats

MAX_FRAMES = 40
MIN_FRAME_PX = 4
FRAME_TIMEOUT_S = 3.0


@dataclass(frozen=True)
class Part:
    """The refs ``first`` to ``first + count - 1`` of a snapshot belong to this frame."""

    frame: Frame
    first: int
    count: int
    offset_x: float
    offset_y: float


@dataclass(frozen=True)
class Whole:
    """A walk over all frames. ``main`` is the walk of the main frame."""

    main: Walked
    parts: tuple[Part, ...]
    seen: tuple[Seen, ...]
    stats: Stats
    unread: tuple[str, ...]


@dataclass
class _Collected:
    snapshot_id: str
    seen: list[Seen]
    parts: list[Part]
    stats: list[Stats]
    unread: list[str]
    refs: int = 0
    rows: int = 0


async def walk_all(main: Frame, snapshot_id: str, timeout_s: float) -> Whole:
    """One round trip for the main frame, three for each visible child frame."""
    collected = _Collected(snapshot_id, [], [], [], [])
    walked = await ask(main, Walked, timeout_s, "walk", snapshot_id)
    await _add(collected, main, walked, "main", 0.0, 0.0, True)
    stats = collected.stats[0] if len(collected.stats) == 1 else total(collected.stats)
    return Whole(walked, tuple(collected.parts), tuple(collected.seen), stats, tuple(collected.unread))


async def _add(into: _Collected, frame: Frame, walked: Walked, label: str, x: float, y: float, in_view: bool) -> None:
    first, first_row = into.refs + 1, into.rows
    into.refs += len(walked.items)
    into.rows += walked.rows
    into.parts.append(Part(frame, first, len(walked.items), x, y))
    into.stats.append(walked.stats)
    has_children = bool(frame.child_frames)
    for n, item in enumerate(walked.items):
        left, top, width, height = item.box
        visible = in_view and item.in_viewport
        row = None if item.row is None else first_row + item.row + 1
        into.seen.append(Seen(first + n, item, label, x + left, y + top, visible, row))
        if has_children and item.role == "iframe" and width >= MIN_FRAME_PX and height >= MIN_FRAME_PX:
            await _enter(into, frame, n, x + left, y + top, visible)


async def _enter(into: _Collected, parent: Frame, n: int, x: float, y: float, in_view: bool) -> None:
    """Walks the frame that iframe element ``n`` of ``parent`` holds, if it answers."""
    child: Frame | None = None
    try:
        async with asyncio.timeout(FRAME_TIMEOUT_S):
            handle = await element(parent, into.snapshot_id, n).element_handle(timeout=FRAME_TIMEOUT_S * 1000)
            child = await handle.content_frame()
        if child is None:
            return
        if len(into.parts) >= MAX_FRAMES:
            into.unread.append(frame_label(child))
            return
        walked = await ask(child, Walked, FRAME_TIMEOUT_S, "walk", into.snapshot_id)
    except (Error, PlaywrightTimeout, TimeoutError):
        into.unread.append(frame_label(child) if child else f"{n} of {parent.url}")
        return
    # Its boxes count from its own document's corner, which may be scrolled out of the iframe.
    await _add(into, child, walked, frame_label(child), x - walked.scroll_x, y - walked.scroll_y, in_view)


def frame_label(frame: Frame) -> str:
    if frame.parent_frame is None:
        return "main"
    return (frame.name or frame.url)[:200]


def total(stats: list[Stats]) -> Stats:
    """Counts of all frames together; each frame's canvases were measured against its own, smaller, view."""
    return Stats(
        total=sum(one.total for one in stats),
        interactive=sum(one.interactive for one in stats),
        unnamed=sum(one.unnamed for one in stats),
        svg=sum(one.svg for one in stats),
        canvas=sum(one.canvas for one in stats),
        canvas_share=stats[0].canvas_share,
    )


async def visible_frames(main: Frame) -> list[Frame]:
    """The main frame and every child that has a box."""
    found = [main]
    for frame in main.child_frames:
        try:
            async with asyncio.timeout(FRAME_TIMEOUT_S):
                box = await (await frame.frame_element()).bounding_box()
        except (Error, TimeoutError):
            continue
        if box is not None and box["width"] >= MIN_FRAME_PX and box["height"] >= MIN_FRAME_PX:
            found += await visible_frames(frame)
    return found
