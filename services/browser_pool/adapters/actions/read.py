"""Actions that leave the page as it is: scroll, wait, extract."""

from __future__ import annotations

import asyncio
import time

import msgspec
from playwright.async_api import Error, Frame

from services.browser_pool.adapters.implementations import performs
from services.browser_pool.adapters.observe.engine import ask
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import Extract, Scroll, Wait
from shared.contracts.results import Appeared, Scrolled, TextRead

MAX_WAIT_S = 60.0
MIN_FRAME_PX = 100


class ScrollPosition(msgspec.Struct, frozen=True):
    """``what``: the part of the page that was scrolled; empty for the page itself."""

    y: float
    max: float
    moved: float
    what: str = ""


@performs(Scroll)
async def scroll(session: PageSession, action: Scroll) -> PerformOutcome:
    amount_px = abs(action.amount_px) * (1 if action.direction == "down" else -1)
    verb, more, target = "glide", (0,), None
    if action.target is not None:
        found = await session.find(action.target, "read")
        if isinstance(found, PerformOutcome):
            return found
        frame, verb, more, target = found.frame, "glided", (), found.to_target_found()
        how = ("glideIn", found.snapshot_id, found.n, amount_px)
        where = await session.run_timed(ask(frame, ScrollPosition, session.limits.action_s, *how))
    else:
        frame, where = await _scroll_by(session, amount_px)
    await session.wait_for_rest()
    if not frame.is_detached():
        # Content that is loaded while scrolling makes the page longer.
        now = await session.run_timed(ask(frame, ScrollPosition, session.limits.action_s, verb, *more))
        where = ScrollPosition(y=now.y, max=now.max, moved=where.moved, what=now.what)
    effect = Scrolled(y_px=where.y, max_y_px=where.max)
    place = f"at {where.y:.0f} of {where.max:.0f} px" + (f" in {where.what}" if where.what else "")
    if abs(where.moved) < 1:
        edge = "bottom" if amount_px > 0 else "top"
        return done(f"already at the {edge}: {place}", effect=effect, target=target)
    return done(f"scrolled {action.direction}: {place}", effect=effect, target=target)


async def _scroll_by(session: PageSession, amount_px: int) -> tuple[Frame, ScrollPosition]:
    """Scroll the page; if it cannot scroll and consists of a frame, scroll within the frame."""
    main = session.page.main_frame
    where = await session.run_timed(ask(main, ScrollPosition, session.limits.action_s, "glide", amount_px))
    if where.max >= 1:
        return main, where
    for frame in await session.run_timed(_visible_frames(main)):
        inner = await session.run_timed(ask(frame, ScrollPosition, session.limits.action_s, "glide", amount_px))
        if inner.max >= 1:
            return frame, inner
    return main, where


async def _visible_frames(main: Frame) -> list[Frame]:
    """Return the visible child frames, the largest first."""
    sized: list[tuple[float, Frame]] = []
    for frame in main.child_frames:
        try:
            box = await (await frame.frame_element()).bounding_box()
        except Error:
            continue
        if box is not None and box["width"] >= MIN_FRAME_PX and box["height"] >= MIN_FRAME_PX:
            sized.append((box["width"] * box["height"], frame))
    return [frame for _, frame in sorted(sized, key=lambda one: -one[0])]


@performs(Wait)
async def wait(session: PageSession, action: Wait) -> PerformOutcome:
    timeout_s = min(max(action.timeout_s, 0.0), MAX_WAIT_S)
    if action.target is None:
        rest = await session.wait_for_rest(bound_s=timeout_s)
        if rest.settled:
            return done("the page is quiet", effect=Appeared())
        return refuse("timeout", f"the page was still changing after {timeout_s:g} s")
    until_s = time.monotonic() + timeout_s
    while True:
        found = await session.find(action.target, "read")
        if isinstance(found, ResolvedElement):
            return done(f'"{found.now.name}" is there', effect=Appeared(), target=found.to_target_found())
        if found.code == "stale_ref":
            return found
        if time.monotonic() >= until_s:
            return refuse("timeout", f"not there after {timeout_s:g} s: {found.message}")
        await session.run_timed(asyncio.sleep(0.05))


@performs(Extract)
async def extract(session: PageSession, action: Extract) -> PerformOutcome:
    found = await session.find(action.target, "read")
    if isinstance(found, PerformOutcome):
        return found
    text = found.now.text
    return done("read" if text else "the element is empty", effect=TextRead(text=text), target=found.to_target_found())
