"""The screenshot actions: the page, one element, or view by view."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec

from services.browser_pool.adapters.archive.page_archive import capture_page
from services.browser_pool.adapters.implementations import performs
from services.browser_pool.adapters.observe.engine import CountReply, DocumentState, ask
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.pictures import Clip, take_png
from services.browser_pool.adapters.rest import RestState, wait_for_images
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import tiles
from services.browser_pool.ports import Capture, CaptureFailed, PageCapture
from shared.contracts.actions import Screenshot, ScreenshotElement, ScreenshotViews
from shared.contracts.results import Box, Captured

LEAST_DRAWN_PX = 6.0
"""An element that is lower may be drawn higher than its box, as the page was walked."""
VIEW_REST_S = 2.0
VIEWS_BOUND_S = 100.0
"""Time limit for all views, below the deadline of the caller's request."""
INNER_BOUND_S = 30.0


class ScrollView(msgspec.Struct, frozen=True):
    """Position of the main scroller. ``before``: its position when asked; ``own``: it is the page itself. ``left``,
    ``top``, ``width`` and ``height``: the visible part of the document."""

    before: float
    y: float
    max: float
    visible: float
    own: bool
    left: float
    top: float
    width: float
    height: float


@performs(Screenshot)
async def screenshot(session: PageSession, action: Screenshot) -> PerformOutcome:
    """Capture PNGs with animations stopped, caret hidden and secrets covered; a high page in several parts, and view by
    view where a part scrolls in place of the page."""
    if action.full_page:
        await session.run_timed(ask(session.page.main_frame, CountReply, session.limits.action_s, "hurry"))
    state = await _wait_for_images(session)
    clips: list[Clip | None] = _clips(session, state) if action.full_page else [None]
    if action.full_page and clips == [None] and await _scrolls_within(session):
        return await _take_views(session, action.label, most=tiles.MAX_TILES, bound_s=INNER_BOUND_S)
    data = await session.run_timed(_take_pngs(session, clips))
    parts = f" in {len(data)} parts" if len(data) > 1 else ""
    cut = tiles.left_out(state.width, state.height, state.left) if action.full_page else ""
    areas = [_area(clip or _viewport_clip(state)) for clip in clips]
    captures = _captures(session, action.label, data, areas)
    return done(
        f"took a picture{parts}{cut}",
        effect=Captured(),
        captures=captures,
        page=await _capture_pictured(session, captures),
    )


async def _capture_pictured(session: PageSession, captures: tuple[Capture, ...]) -> PageCapture | CaptureFailed:
    """Capture the page of which pictures were taken, and keep these, to compare values with them."""
    page = await capture_page(session)
    if isinstance(page, PageCapture):
        session.pictures.keep(captures, page.sha256)
    return page


async def _scrolls_within(session: PageSession) -> bool:
    """Return whether a part scrolls in place of the page."""
    main = session.page.main_frame
    return (await session.run_timed(ask(main, CountReply, session.limits.action_s, "inner"))).count > 1


def _viewport_clip(state: DocumentState) -> Clip:
    return state.scroll_x, state.scroll_y, state.view_width, state.view_height


def _area(clip: Clip) -> Box:
    x, y, width, height = clip
    return Box(x=x, y=y, width=width, height=height)


def _clips(session: PageSession, state: DocumentState) -> list[Clip | None]:
    view = session.page.viewport_size
    # A page that fits its window is taken as the view, which is faster.
    if view and state.height <= view["height"] and state.width <= view["width"]:
        return [None]
    width = min(state.width + state.left, tiles.MAX_WIDTH_PX)
    return [(0, top, width, height) for top, height in tiles.spans(state.height)]


async def _take_pngs(session: PageSession, clips: Sequence[Clip | None]) -> list[bytes]:
    return [await take_png(session.page, clip) for clip in clips]


def _captures(session: PageSession, label: str, data: list[bytes], areas: Sequence[Box | None]) -> tuple[Capture, ...]:
    url = session.page.url[:2000]
    return tuple(
        Capture("screenshot", label, "image/png", ".png", png, url, part=part, parts=len(data), area=area)
        for part, (png, area) in enumerate(zip(data, areas, strict=True), start=1)
    )


async def _wait_for_images(session: PageSession) -> DocumentState:
    """Give images that are loading a moment before the picture is taken."""
    state = await session.run_timed(wait_for_images(session.page, session.limits.action_s))
    session.rest = RestState(session.rest.settled, state)
    return state


@performs(ScreenshotElement)
async def screenshot_element(session: PageSession, action: ScreenshotElement) -> PerformOutcome:
    """Capture the element, scrolled into view; a very high one in several parts."""
    found = await session.find(action.target, "read")
    if isinstance(found, PerformOutcome):
        return found
    what = f'{found.now.role} "{found.now.name[:80]}"'
    timeout_ms = session.limits.action_s * 1000
    box = await session.run_timed(found.locator.bounding_box(timeout=timeout_ms))
    drawn_px = found.now.box[3]
    if box is None or box["width"] < 1 or max(box["height"], drawn_px) < 1:
        why = f"{what} takes up no room on the page, so there is no picture of it"
        return refuse("failed", why, target=found.to_target_found())
    await session.run_timed(found.locator.scroll_into_view_if_needed(timeout=timeout_ms))
    state = await _wait_for_images(session)
    box = await session.run_timed(found.locator.bounding_box(timeout=timeout_ms)) or box
    # A glyph of an icon font stands out of its line, which may have no height.
    high_px = drawn_px if box["height"] < LEAST_DRAWN_PX else box["height"]
    left, top = box["x"] + state.scroll_x, box["y"] + state.scroll_y + (box["height"] - high_px) / 2
    width = min(box["width"], tiles.MAX_WIDTH_PX)
    clips: list[Clip] = [(left, top + y, width, height) for y, height in tiles.spans(high_px)]
    data = await session.run_timed(_take_pngs(session, clips))
    return done(
        f"took a picture of {what}{tiles.left_out(box['width'], box['height'])}",
        effect=Captured(),
        target=found.to_target_found(),
        captures=_captures(session, action.label, data, [_area(clip) for clip in clips]),
        page=await capture_page(session),
    )


@performs(ScreenshotViews)
async def screenshot_views(session: PageSession, action: ScreenshotViews) -> PerformOutcome:
    """Capture view by view from the top, then scroll back. Content that loads meanwhile is included, within a limit."""
    return await _take_views(session, action.label, most=tiles.MAX_VIEWS, bound_s=VIEWS_BOUND_S)


async def _take_views(session: PageSession, label: str, *, most: int, bound_s: float) -> PerformOutcome:
    until_s = time.monotonic() + bound_s
    view = await _show_view(session, 0)
    start_px = view.before
    data: list[bytes] = []
    areas: list[Box | None] = []
    try:
        while True:
            data += await session.run_timed(_take_pngs(session, [None]))
            areas.append(_view_area(view, start_px))
            below = await _next_view_px(session, view)
            if below is None or len(data) >= most or time.monotonic() >= until_s:
                break
            view = await _show_view(session, below)
    finally:
        await _show_view(session, start_px)
    rest = "" if below is None else f"; the page goes on below {view.y + view.visible:.0f} px and was left at that"
    message = f"took {len(data)} pictures, from the top down{rest}"
    captures = _captures(session, label, data, areas)
    return done(message, effect=Captured(), captures=captures, page=await _capture_pictured(session, captures))


def _view_area(view: ScrollView, start_px: float) -> Box | None:
    """Return the visible area; None when a part of the page was scrolled, because boxes then do not match."""
    if not view.own and view.y != start_px:
        return None
    return Box(x=view.left, y=view.top, width=view.width, height=view.height)


async def _show_view(session: PageSession, y_px: float) -> ScrollView:
    main = session.page.main_frame
    view = await session.run_timed(ask(main, ScrollView, session.limits.action_s, "view", int(y_px)))
    if view.before != view.y:
        await session.wait_for_rest(acted=False, bound_s=min(VIEW_REST_S, session.limits.rest_s))
        await _wait_for_images(session)
    return view


async def _next_view_px(session: PageSession, view: ScrollView) -> float | None:
    """Return the next position from the present height: a page may have grown meanwhile."""
    now = await session.run_timed(
        ask(session.page.main_frame, ScrollView, session.limits.action_s, "view", int(view.y))
    )
    return tiles.next_view(now.y, now.max, now.visible)
