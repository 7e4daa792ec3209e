"""Whether the mouse can reach an element, and what can be closed to reach it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

import msgspec
from playwright.async_api import Error, Frame, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.observe import engine
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, refuse
from services.browser_pool.adapters.session import PageSession

WAY = "action-way"
"""Id under which the page engine stores the closing button; with ``x`` appended, the element under the mouse."""
MAX_DISMISSED = 4
OVERLAY_TIMEOUT_S = 1.0
"""Time for something that covers an element briefly (a fading overlay, a toast)."""
POLL_S = 0.05
PRESS_REPLY_TIMEOUT_S = 1.0
MAX_PRESSES = 3


class HitTest(msgspec.Struct, frozen=True):
    """``x``, ``y``: where the mouse hits the element, from the corner of its frame; ``dx``, ``dy``: from the corner of
    the element. ``over`` is what covers it, ``way`` the button that closes that."""

    state: Literal["free", "covered", "unseen", "outside", "gone"]
    disabled: bool = False
    x: float = 0.0
    y: float = 0.0
    dx: float = 0.0
    dy: float = 0.0
    middle: bool = True
    over: str = ""
    way: str = ""
    escape: bool = False
    busy: bool = False


class AimReply(msgspec.Struct, frozen=True):
    state: Literal["ready", "moved", "covered", "outside", "gone"]
    x: float = 0.0
    y: float = 0.0


class PressReply(msgspec.Struct, frozen=True):
    missed: bool


@dataclass(frozen=True)
class ReachedElement:
    """The element that the mouse goes to, or its label, and the point on it."""

    frame: Frame
    way: HitTest

    async def press(self, session: PageSession) -> bool:
        """Move the mouse there, check what is under it, and press.

        Return False when another element is under it: then the page has received no press.
        """
        left, top = await frame_origin(session, self.frame)
        x, y = self.way.x, self.way.y
        until_s = time.monotonic() + session.limits.action_s
        while True:
            await await_input(session, travel(session.page, left + x, top + y))
            aim = await session.run_timed(
                engine.ask(self.frame, AimReply, session.limits.action_s, "press", WAY + "x", str(x), str(y))
            )
            if aim.state == "ready":
                break
            if aim.state != "moved" or time.monotonic() >= until_s:
                return False
            x, y = aim.x, aim.y
        await await_input(session, session.page.mouse.click(left + x, top + y))
        return not await self._has_missed(session)

    async def _has_missed(self, session: PageSession) -> bool:
        """Return whether the press hit another element. A document that has navigated received the press."""
        try:
            return (
                await session.run_timed(engine.ask(self.frame, PressReply, PRESS_REPLY_TIMEOUT_S, "pressed"))
            ).missed
        except (Error, PlaywrightTimeout):
            return False

    async def hover(self, session: PageSession) -> None:
        await await_input(session, travel(session.page, *await self.point(session)))

    async def point(self, session: PageSession) -> tuple[float, float]:
        """Return where the mouse hits it, from the corner of the window."""
        left, top = await frame_origin(session, self.frame)
        return left + self.way.x, top + self.way.y


async def await_input(session: PageSession, work: Awaitable[None]) -> None:
    """Await a mouse or key call, which Playwright waits for without limit. Raises its TimeoutError after the action's
    time limit."""
    limit_s = session.limits.action_s
    try:
        async with asyncio.timeout(limit_s):
            await session.run_timed(work)
    except TimeoutError:
        reply = f"the page has not dealt with it within {limit_s:g} s; its script may never end"
        raise PlaywrightTimeout(reply) from None


async def frame_origin(session: PageSession, frame: Frame) -> tuple[float, float]:
    """Return the corner of a frame within the page's window."""
    if frame.parent_frame is None:
        return 0.0, 0.0
    holder = await session.run_timed(frame.frame_element())
    box = await session.run_timed(holder.bounding_box())
    border = await session.run_timed(holder.evaluate("el => [el.clientLeft, el.clientTop]"))
    return (box["x"] + border[0], box["y"] + border[1]) if box else (0.0, 0.0)


async def reach(
    session: PageSession, found: ResolvedElement, *, enabled: bool = True, patience_s: float = OVERLAY_TIMEOUT_S
) -> ReachedElement | PerformOutcome:
    """Return the reachable element, closing what covers it where possible; else a ``blocked`` outcome."""
    called = _description(found)
    return await reach_part(
        session, found.frame, found.snapshot_id, found.n, called, enabled=enabled, patience_s=patience_s
    )


async def press_element(session: PageSession, found: ResolvedElement) -> PerformOutcome | None:
    """Press an element, looking for it again when something came between. Return an outcome only when it fails."""
    for _ in range(MAX_PRESSES):
        reached = await reach(session, found)
        if isinstance(reached, PerformOutcome):
            return reached
        if await reached.press(session):
            return None
    return refuse(
        "blocked",
        f"{_description(found)} cannot be pressed: something else came under the mouse",
        target=session.target,
    )


async def reach_part(
    session: PageSession,
    frame: Frame,
    snapshot_id: str,
    n: int,
    called: str,
    *,
    enabled: bool = True,
    patience_s: float = OVERLAY_TIMEOUT_S,
) -> ReachedElement | PerformOutcome:
    """Return the reachable ``n``-th element stored under ``snapshot_id``; see `reach`."""
    began_s = time.monotonic()
    tried: list[str] = []
    while True:
        way, over_frame = await _hit_test(session, frame, snapshot_id, n)
        if way.state == "free" and not (enabled and way.disabled):
            return ReachedElement(frame, way)
        if way.state == "gone":
            return refuse("stale_ref", f"{called} is no longer on the page. Observe the page again.")
        if way.state == "covered" and await _dismiss_overlay(session, over_frame, way, tried):
            began_s = time.monotonic()
            continue
        timeout_s = session.limits.action_s if way.busy else min(patience_s, session.limits.action_s)
        if time.monotonic() - began_s >= timeout_s:
            return refuse("blocked", f"{called} {_blocked_reason(way)}", target=session.target)
        await session.run_timed(asyncio.sleep(POLL_S))


def _description(found: ResolvedElement) -> str:
    return f'{found.now.role} "{(found.now.name or found.now.text)[:80]}"'


def _blocked_reason(way: HitTest) -> str:
    match way.state:
        case "covered":
            return f"cannot be reached: {way.over} is over it" + (", and it did not go away" if way.way else "")
        case "unseen":
            return "cannot be acted on: it is not visible"
        case "outside":
            return "cannot be reached: it stands outside of what the page can show"
        case _:
            return "is disabled"


async def _hit_test(session: PageSession, frame: Frame, snapshot_id: str, n: int) -> tuple[HitTest, Frame]:
    """Test the point within its own frame, then whether the frame is free at that point of the page."""
    timeout_s = session.limits.action_s
    way = await session.run_timed(engine.ask(frame, HitTest, timeout_s, "reach", snapshot_id, n, WAY))
    main = session.page.main_frame
    if way.state != "free" or frame is main:
        return way, frame
    left, top = await frame_origin(session, frame)
    over = await session.run_timed(
        engine.ask(main, HitTest, timeout_s, "over", round(left + way.x), round(top + way.y), WAY)
    )
    if over.state == "outside":
        await session.run_timed((await frame.frame_element()).scroll_into_view_if_needed(timeout=timeout_s * 1000))
        left, top = await frame_origin(session, frame)
        over = await session.run_timed(
            engine.ask(main, HitTest, timeout_s, "over", round(left + way.x), round(top + way.y), WAY)
        )
    return (way, frame) if over.state == "free" else (over, main)


async def _dismiss_overlay(session: PageSession, frame: Frame, way: HitTest, tried: list[str]) -> bool:
    """Close what covers the target in a way not tried yet. Return True once something was pressed."""
    step = f"{way.over}: pressed {way.way or 'Escape'}"
    if step in tried:
        # It is still there, so pressing did not close it.
        session.tabs.dismissed[:] = [one for one in session.tabs.dismissed if one != step]
        return False
    if not (way.way or way.escape) or len(tried) >= MAX_DISMISSED:
        return False
    tried.append(step)
    try:
        if way.way:
            await session.run_timed(engine.element(frame, WAY, 0).click(timeout=OVERLAY_TIMEOUT_S * 1000))
        else:
            await session.run_timed(session.page.keyboard.press("Escape"))
    except Error as error:
        session.tabs.raise_if_lost(error)
        return False
    session.tabs.dismissed.append(step)
    await session.settle()
    return True


# --- the mouse

_resting: WeakKeyDictionary[Page, tuple[float, float]] = WeakKeyDictionary()


async def travel(page: Page, x: float, y: float) -> None:
    """Move as a person does: the mouse moves slightly where it rests, and arrives by moving within its target.

    Lists that open under a resting mouse take its first move for a choice of the option below it.
    """
    at = _resting.get(page)
    if at is not None and at != (x, y):
        await page.mouse.move(at[0] + 1, at[1])
    await arrive(page, x, y)


async def arrive(page: Page, x: float, y: float) -> None:
    await page.mouse.move(x + 1, y)
    await page.mouse.move(x, y)
    _resting[page] = (x, y)
