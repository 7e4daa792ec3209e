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

from services.browser_pool.adapters.actions.effects import leave_field
from services.browser_pool.adapters.observe import engine
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, refuse
from services.browser_pool.adapters.session import PageSession
from shared.contracts.results import ClosingButton

WAY = "action-way"
"""Id under which the page engine stores the closing button; with ``x`` appended, the element under the mouse."""
MAX_DISMISSED = 4
PRESSED_ROLES = ("button", "link")
OVERLAY_TIMEOUT_S = 1.0
"""Time for something that covers an element briefly (a fading overlay, a toast)."""
CLOSING_TIMEOUT_S = 3.0
"""Time for what was closed to go, such as a dialog that fades out."""
POLL_S = 0.05
PRESS_REPLY_TIMEOUT_S = 1.0
MAX_PRESSES = 3


PressedPart = Literal["own", "whole", "opener"]
"""What of an element is pressed: ``own``: what belongs to none of its items and controls; ``whole``: any of its parts;
``opener``: what opens its list or calendar, itself where nothing in it does."""


class HitTest(msgspec.Struct, frozen=True):
    """``x``, ``y``: where the mouse hits the element, from the corner of its frame. ``over`` is what covers it, ``way``
    the button that closes that, with its role and its name.

    State ``parts``: it consists of items and controls that are pressed for themselves; ``over`` names them.
    """

    state: Literal["free", "covered", "unseen", "outside", "gone", "parts"]
    disabled: bool = False
    x: float = 0.0
    y: float = 0.0
    over: str = ""
    way: str = ""
    role: str = ""
    name: str = ""
    escape: bool = False
    busy: bool = False


class AimReply(msgspec.Struct, frozen=True):
    state: Literal["ready", "moved", "covered", "outside", "gone"]
    x: float = 0.0
    y: float = 0.0


class PressReply(msgspec.Struct, frozen=True):
    """``landed``: how many presses hit the element."""

    missed: bool
    landed: int


@dataclass(frozen=True)
class ReachedElement:
    """The element that the mouse goes to, or its label, and the point on it. ``stored``: the id under which the page
    engine stores it."""

    frame: Frame
    way: HitTest
    part: PressedPart = "own"
    stored: str = WAY + "x"

    async def press(self, session: PageSession, *, look: bool = False) -> bool:
        """Move the mouse there, check what is under it, and press.

        Return False when another element is under it: then the page has received no press. ``look``: what is shown
        is noted before, for `shows_change`.
        """
        return await self._press(session, 1, look=look) > 0

    async def press_twice(self, session: PageSession) -> int:
        """Do a double click. Return how many of its presses hit the element: after the first, another may be there."""
        return await self._press(session, 2, look=True)

    async def _press(self, session: PageSession, times: int, *, look: bool) -> int:
        left, top = await frame_origin(session, self.frame)
        x, y = self.way.x, self.way.y
        timeout_s = session.limits.action_s
        until_s = time.monotonic() + timeout_s
        how = f"{self.part},look" if look else self.part
        while True:
            await await_input(session, travel(session.page, left + x, top + y))
            work = engine.ask(self.frame, AimReply, timeout_s, "press", self.stored, str(x), str(y), how)
            aim = await session.run_timed(work)
            if aim.state == "ready":
                break
            if aim.state != "moved" or time.monotonic() >= until_s:
                return 0
            x, y = aim.x, aim.y
        await await_input(session, session.page.mouse.click(left + x, top + y, click_count=times))
        return await self._landed(session, times)

    async def _landed(self, session: PageSession, times: int) -> int:
        """Return how many presses hit the element. A document that has navigated received them."""
        try:
            work = engine.ask(self.frame, PressReply, PRESS_REPLY_TIMEOUT_S, "pressed")
            reply = await session.run_timed(work)
        except (Error, PlaywrightTimeout):
            return times
        return reply.landed if reply.missed else times

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
    session: PageSession,
    found: ResolvedElement,
    *,
    enabled: bool = True,
    patience_s: float = OVERLAY_TIMEOUT_S,
    part: PressedPart = "own",
) -> ReachedElement | PerformOutcome:
    """Return the reachable element, closing what covers it where possible; else a ``blocked`` outcome."""
    called = _description(found)
    return await reach_part(
        session, found.frame, found.snapshot_id, found.n, called, enabled=enabled, patience_s=patience_s, part=part
    )


async def press_element(session: PageSession, found: ResolvedElement, *, twice: bool = False) -> PerformOutcome | None:
    """Press an element, looking for it again when something came between. Return an outcome only when it fails."""
    for _ in range(MAX_PRESSES):
        reached = await reach(session, found)
        if isinstance(reached, PerformOutcome):
            return reached
        landed = await (reached.press_twice(session) if twice else reached.press(session, look=True))
        if twice and landed == 1:
            why = "only the first of the two clicks hit it; then something else was under the mouse"
            return refuse("blocked", f"{_description(found)} was not double-clicked: {why}", target=session.target)
        if landed:
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
    part: PressedPart = "own",
) -> ReachedElement | PerformOutcome:
    """Return the reachable ``n``-th element stored under ``snapshot_id``; see `reach`."""
    began_s = time.monotonic()
    tried: list[str] = []
    left = False
    while True:
        way, over_frame = await _hit_test(session, frame, snapshot_id, n, part)
        if way.state == "free" and not (enabled and way.disabled):
            return ReachedElement(frame, way, part)
        if way.state == "gone":
            return refuse("stale_ref", f"{called} is no longer on the page. Observe the page again.")
        if way.state == "covered" and await _dismiss_overlay(session, over_frame, way, tried):
            began_s = time.monotonic()
            continue
        if enabled and way.disabled and not left:
            # Some buttons are enabled once the field that was filled in last has lost the focus.
            left = True
            await leave_field(session, frame)
            continue
        waited_s = session.patient_s(max(patience_s, CLOSING_TIMEOUT_S) if tried else patience_s)
        timeout_s = session.limits.action_s if way.busy else min(waited_s, session.limits.action_s)
        if time.monotonic() - began_s >= timeout_s:
            return refuse("blocked", f"{called} {_blocked_reason(way)}", target=session.target)
        await session.run_timed(asyncio.sleep(POLL_S))


def _description(found: ResolvedElement) -> str:
    return f'{found.now.role} "{(found.now.name or found.now.text)[:80]}"'


def _blocked_reason(way: HitTest) -> str:
    # What is disabled often lets the mouse through to what it stands on.
    if way.disabled and way.state == "covered":
        return "is disabled"
    match way.state:
        case "covered":
            return f"cannot be reached: {way.over} is over it" + (", and it did not go away" if way.way else "")
        case "unseen":
            return "cannot be acted on: it is not visible"
        case "outside":
            return "cannot be reached: it stands outside of what the page can show"
        case "parts":
            return f"has no place of its own to press: name the part that is meant, such as {way.over}"
        case _:
            return "is disabled"


async def _hit_test(
    session: PageSession, frame: Frame, snapshot_id: str, n: int, part: PressedPart, way_id: str = WAY
) -> tuple[HitTest, Frame]:
    """Test the point within its own frame, then whether the frame is free at that point of the page."""
    timeout_s, agreed = session.limits.action_s, "\n".join(session.named or ())
    way = await session.run_timed(engine.ask(frame, HitTest, timeout_s, "reach", snapshot_id, n, way_id, part, agreed))
    main = session.page.main_frame
    if way.state != "free" or frame is main:
        return way, frame
    left, top = await frame_origin(session, frame)
    over = await session.run_timed(
        engine.ask(main, HitTest, timeout_s, "over", round(left + way.x), round(top + way.y), way_id, agreed)
    )
    if over.state == "outside":
        # Of a frame that is higher than the window, the part with the element is shown, not the frame.
        inside = engine.element(frame, f"{way_id}x", 0)
        await session.run_timed(inside.scroll_into_view_if_needed(timeout=timeout_s * 1000))
        way = await session.run_timed(
            engine.ask(frame, HitTest, timeout_s, "reach", snapshot_id, n, way_id, "own", agreed)
        )
        left, top = await frame_origin(session, frame)
        over = await session.run_timed(
            engine.ask(main, HitTest, timeout_s, "over", round(left + way.x), round(top + way.y), way_id, agreed)
        )
    return (way, frame) if over.state == "free" else (over, main)


async def _dismiss_overlay(
    session: PageSession, frame: Frame, way: HitTest, tried: list[str], way_id: str = WAY
) -> bool:
    """Close what covers the target in a way not tried yet. Return True once something was pressed.

    A press that another element would have received was not made, and may be tried again."""
    step = f"{way.over}: pressed {way.way or 'Escape'}"
    if step in tried:
        # It is still there, so pressing did not close it.
        session.tabs.dismissed.pop(step, None)
        return False
    if not (way.way or way.escape) or len(tried) >= MAX_DISMISSED:
        return False
    try:
        if way.way:
            pressed = await _press_way(session, frame, tried, way_id)
            if pressed != "way":
                return pressed == "another"
        else:
            await session.run_timed(session.page.keyboard.press("Escape"))
    except Error as error:
        session.tabs.raise_if_lost(error)
        return False
    tried.append(step)
    named = bool(way.way and way.name) and way.role in PRESSED_ROLES
    session.tabs.dismissed[step] = ClosingButton(role=way.role, name=way.name) if named else None
    await session.wait_for_rest()
    return True


async def _press_way(
    session: PageSession, frame: Frame, tried: list[str], way_id: str
) -> Literal["way", "another", "nothing"]:
    """Press the closing button that is stored under ``way_id``, or first ``another`` one: of what lies over it."""
    own_id = f"{way_id}w"
    hit, over_frame = await _hit_test(session, frame, way_id, 0, "whole", own_id)
    if hit.state == "covered" and len(own_id) <= len(WAY) + MAX_DISMISSED:
        return "another" if await _dismiss_overlay(session, over_frame, hit, tried, own_id) else "nothing"
    if hit.state != "free":
        return "nothing"
    reached = ReachedElement(frame, hit, "whole", f"{own_id}x")
    return "way" if await reached.press(session) else "nothing"


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
