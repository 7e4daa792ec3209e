"""Asking for a document when its turn has come, and once more where the site named a time to come back."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.async_api import Response

from services.browser_pool.adapters.outcome import Outcome, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.politeness import TOO_BUSY

LONGEST_COME_BACK_S = 45.0
"""Of one action, which must end within its own deadline."""


@dataclass(frozen=True)
class Visited:
    """``remark``: what a person should know of how it was opened; empty where there is nothing."""

    response: Response | None
    remark: str = ""


async def visit(session: PageSession, url: str) -> Visited | Outcome:
    """Opens ``url`` when its domain may be asked. Playwright's errors pass through."""
    first = await _once(session, url)
    if isinstance(first, Outcome) or first.response is None or first.response.status not in TOO_BUSY:
        return first
    pause_s = session.pace.pause_s(url)
    if "retry-after" not in first.response.headers or not 0 < pause_s <= LONGEST_COME_BACK_S:
        return first
    again = await _once(session, url)
    if isinstance(again, Outcome):
        return first
    told = f" (HTTP {first.response.status} at first; it was asked again {pause_s:.0f} s later, as it wished)"
    return Visited(again.response, told)


async def _once(session: PageSession, url: str) -> Visited | Outcome:
    admission = await session.timed(session.pace.admit(url, ahead=True))
    if not admission.ok:
        return refuse("timeout", f"{url} was not opened: {admission.reason}")
    timeout_ms = session.limits.navigation_s * 1000
    return Visited(await session.timed(session.page.goto(url, wait_until="domcontentloaded", timeout=timeout_ms)))
