"""One picture: the page is held still, secrets are covered in all frames, and the browser's protocol is asked.

Playwright's own screenshot gives the same pixels. The bare call, measured beside it: 33 ms against 51 for a view, 173
against 321 for 6,100 px, where a third more bytes buy the time.
"""

from __future__ import annotations

import asyncio
import base64
from contextlib import suppress
from typing import Any

from playwright.async_api import Error, Frame, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.guard.secrets import hidden_in
from services.browser_pool.adapters.observe.engine import CountReply, ask, worlds

FRAME_S = 3.0
PICTURE_S = 20.0
"""For one picture. A page that does not draw within it never will."""

Clip = tuple[float, float, float, float]
"""Left, top, width and height in CSS pixels of the document of the main frame."""


async def take_png(page: Page, clip: Clip | None = None) -> bytes:
    """PNG of ``clip``, else of what is in view. Raises Playwright's errors: TimeoutError where the page is not drawn
    in time."""
    await _hold_still(page)
    try:
        async with asyncio.timeout(PICTURE_S):
            reply = await (await worlds(page)).send_command("Page.captureScreenshot", **_capture_parameters(clip))
    except TimeoutError:
        raise PlaywrightTimeout(f"the page was not drawn within {PICTURE_S:g} s") from None
    finally:
        await asyncio.gather(*(_ask_frame(frame, "unpose") for frame in page.frames))
    return await asyncio.to_thread(base64.b64decode, reply["data"])


def _capture_parameters(clip: Clip | None) -> dict[str, Any]:
    if clip is None:
        return {"format": "png"}
    left, top, width, height = clip
    where = {"x": left, "y": top, "width": width, "height": height, "scale": 1}
    # Packing less tightly halves the time of a high picture for a third more bytes; of one view it saves nothing.
    return {"format": "png", "captureBeyondViewport": True, "optimizeForSpeed": True, "clip": where}


async def _hold_still(page: Page) -> None:
    frames, hidden = page.frames, hidden_in(page.context)
    held = await asyncio.gather(*(_ask_frame(frame, "pose", *hidden) for frame in frames))
    for frame, done in zip(frames, held, strict=True):
        if not done and not frame.is_detached():
            await _hide_frame(frame)


async def _ask_frame(frame: Frame, verb: str, *parameters: str) -> bool:
    try:
        async with asyncio.timeout(FRAME_S):
            await ask(frame, CountReply, FRAME_S, verb, *parameters)
    except (Error, TimeoutError):
        return False
    return True


async def _hide_frame(frame: Frame) -> None:
    """A frame that does not answer may show a secret, so it is not shown; the page itself has to answer."""
    if frame.parent_frame is None:
        raise PlaywrightTimeout(f"the page did not answer within {FRAME_S:g} s")
    with suppress(TimeoutError):
        async with asyncio.timeout(FRAME_S):
            holder = await frame.frame_element()
            await holder.evaluate("frame => { frame.style.setProperty('visibility', 'hidden', 'important') }")
