"""Pictures of the page."""

from __future__ import annotations

import asyncio

from playwright.async_api import FloatRect, Locator

from services.browser_pool.adapters.engine import State, ask, selector
from services.browser_pool.adapters.outcome import Outcome, done
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.adapters.settle import Rest
from services.browser_pool.ports import Capture
from shared.contracts.actions import Captured, Screenshot

MAX_HEIGHT_PX = 16_000
MAX_WIDTH_PX = 4_000
PICTURES_BOUND_S = 2.0


async def screenshot(session: PageSession, action: Screenshot) -> Outcome:
    """PNG, with animations stopped, the caret hidden and password fields covered."""
    state = await _with_pictures(session)
    masks = _masks(session) if state.secrets or len(session.page.frames) > 1 else []
    full, clip = _extent(session, state, action.full_page)
    data = await session.timed(
        session.page.screenshot(
            type="png",
            full_page=full,
            clip=clip,
            animations="disabled",
            caret="hide",
            mask=masks,
            timeout=session.limits.action_s * 1000,
        )
    )
    cut = f"; the page is {state.height:.0f} px high and is cut at {MAX_HEIGHT_PX}" if clip else ""
    capture = Capture("screenshot", action.label, "image/png", ".png", data, session.page.url)
    return done(f"took a picture{cut}", effect=Captured(), captures=(capture,))


async def _with_pictures(session: PageSession) -> State:
    """Images that are still loading get a moment, so that the picture is not taken without them."""
    waited_s = 0.0
    while True:
        state = await session.timed(ask(session.page.main_frame, State, session.limits.action_s, "state"))
        if not state.pictures or waited_s >= PICTURES_BOUND_S:
            session.rest = Rest(session.rest.settled, state)
            return state
        await session.timed(asyncio.sleep(0.05))
        waited_s += 0.05


def _masks(session: PageSession) -> list[Locator]:
    return [frame.locator(selector("secrets")) for frame in session.page.frames]


def _extent(session: PageSession, state: State, full_page: bool) -> tuple[bool, FloatRect | None]:
    view = session.page.viewport_size
    # A page that fits its window needs no resizing of it, which costs about as much as the picture.
    if not full_page or (view and state.height <= view["height"] and state.width <= view["width"]):
        return False, None
    if state.height <= MAX_HEIGHT_PX and state.width <= MAX_WIDTH_PX:
        return True, None
    width, height = min(state.width, MAX_WIDTH_PX), min(state.height, MAX_HEIGHT_PX)
    return True, {"x": 0, "y": 0, "width": width, "height": height}
