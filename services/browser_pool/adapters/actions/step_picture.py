"""The picture of a page at one step, for the playback of a sample: small, and with the element of the step in sight.

It is taken before an element is acted on, and when a page is stored. No action fails because of it.
"""

from __future__ import annotations

import asyncio

from playwright.async_api import Error

from services.browser_pool.adapters.observe.engine import DocumentState, ask
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.pictures import take_small_picture
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.ports import Capture
from shared.contracts.actions import BrowserAction, Extract, ScreenshotElement, Scroll
from shared.contracts.results import Box

STEP_PICTURE_S = 5.0
SCROLL_S = 1.0


def acts_on_element(action: BrowserAction) -> bool:
    """Return whether an element is acted on. What leads elsewhere is told by the picture of the next step."""
    return not isinstance(action, Extract | ScreenshotElement | Scroll)


async def take_before(session: PageSession, found: ResolvedElement) -> ResolvedElement:
    """Take the picture with the element in sight, as the action would bring it there. Return it as it stands then."""
    try:
        async with asyncio.timeout(STEP_PICTURE_S):
            view = await _view(session, found)
            if not _is_in(found, view):
                await session.run_timed(found.locator.scroll_into_view_if_needed(timeout=SCROLL_S * 1000))
                found = await found.renewed(session.limits.action_s)
                view = await _view(session, found)
            session.step_picture = await _take(session, view)
    except (Error, TimeoutError) as error:
        if isinstance(error, Error):
            session.tabs.raise_if_lost(error)
    return found


async def take_view(session: PageSession) -> Capture | None:
    """Return a picture of the view; None where the page is not drawn in time."""
    if session.tabs.waiting is not None:  # a page with an open dialog draws nothing
        return None
    try:
        async with asyncio.timeout(STEP_PICTURE_S):
            return await _take(session, await _view(session, None))
    except (Error, TimeoutError) as error:
        if isinstance(error, Error):
            session.tabs.raise_if_lost(error)
        return None


async def _view(session: PageSession, found: ResolvedElement | None) -> Box:
    """Return the visible part of the document, in CSS px."""
    main = session.page.main_frame
    state = found.now if found is not None and found.frame is main else None
    if state is None:
        state = await session.run_timed(ask(main, DocumentState, STEP_PICTURE_S, "state"))
    return Box(x=state.scroll_x, y=state.scroll_y, width=state.view_width, height=state.view_height)


def _is_in(found: ResolvedElement, view: Box) -> bool:
    box = found.to_target_found().box
    if box is None or not box.width or not box.height:  # what takes up no room cannot be brought into sight
        return True
    across = view.x <= box.x and box.x + min(box.width, view.width) <= view.x + view.width
    return across and view.y <= box.y and box.y + min(box.height, view.height) <= view.y + view.height


async def _take(session: PageSession, view: Box) -> Capture:
    data = await session.run_timed(take_small_picture(session.page, view))
    return Capture("step", "step", "image/jpeg", ".jpg", data, session.page.url[:2000], area=view)
