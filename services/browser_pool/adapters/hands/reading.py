"""Scrolling, waiting and reading: what leaves the page as it is."""

from __future__ import annotations

import asyncio
import time

from services.browser_pool.adapters.engine import ScrolledTo, ask
from services.browser_pool.adapters.outcome import Outcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.adapters.targets import Found
from shared.contracts.actions import Appeared, Extract, Scroll, Scrolled, TextRead, Wait

MAX_WAIT_S = 60.0


async def scroll(session: PageSession, action: Scroll) -> Outcome:
    amount_px = abs(action.amount_px) * (1 if action.direction == "down" else -1)
    where = await session.timed(ask(session.page.main_frame, ScrolledTo, session.limits.action_s, "scroll", amount_px))
    await session.settle()
    effect = Scrolled(y_px=where.y, max_y_px=where.max)
    place = f"at {where.y:.0f} of {where.max:.0f} px"
    if abs(where.moved) < 1:
        edge = "bottom" if amount_px > 0 else "top"
        return done(f"already at the {edge}: {place}", effect=effect)
    return done(f"scrolled {action.direction}: {place}", effect=effect)


async def wait(session: PageSession, action: Wait) -> Outcome:
    timeout_s = min(max(action.timeout_s, 0.0), MAX_WAIT_S)
    if action.target is None:
        rest = await session.settle(bound_s=timeout_s)
        if rest.settled:
            return done("the page is quiet", effect=Appeared())
        return refuse("timeout", f"the page was still changing after {timeout_s:g} s")
    until_s = time.monotonic() + timeout_s
    while True:
        found = await session.find(action.target, "read")
        if isinstance(found, Found):
            return done(f'"{found.now.name}" is there', effect=Appeared(), target=found.told())
        if found.code == "stale_ref":
            return found
        if time.monotonic() >= until_s:
            return refuse("timeout", f"not there after {timeout_s:g} s: {found.message}")
        await session.timed(asyncio.sleep(0.05))


async def extract(session: PageSession, action: Extract) -> Outcome:
    found = await session.find(action.target, "read")
    if isinstance(found, Outcome):
        return found
    text = found.now.text
    return done("read" if text else "the element is empty", effect=TextRead(text=text), target=found.told())
