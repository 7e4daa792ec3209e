"""Asking for a document when its turn has come, and again where the site asks to be asked later."""

from __future__ import annotations

from dataclasses import dataclass, replace

from playwright.async_api import Response

from services.browser_pool.adapters.outcome import Outcome, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.safety.politeness import TOO_BUSY

MOST_COME_BACKS = 3
LONGEST_COME_BACK_S = 45.0
"""Altogether, of one action, which must end within its own deadline."""


@dataclass(frozen=True)
class Visited:
    """``remark``: what a person should know of how it was opened; empty where there is nothing."""

    response: Response | None
    remark: str = ""


async def visit(session: PageSession, url: str) -> Visited | Outcome:
    """Opens ``url`` when its domain may be asked. Playwright's errors pass through."""
    visited = await _once(session, url)
    said, waited_s = "", 0.0
    for _ in range(MOST_COME_BACKS):
        if isinstance(visited, Outcome) or visited.response is None or not asks_to_come_back(visited.response):
            break
        pause_s = session.pace.pause_s(url)
        if not 0 < pause_s <= LONGEST_COME_BACK_S - waited_s:
            break
        said, waited_s = f"HTTP {visited.response.status}", waited_s + pause_s
        again = await _once(session, url)
        if isinstance(again, Outcome):
            break
        visited = again
    if isinstance(visited, Visited) and waited_s:
        return replace(visited, remark=f" ({said} before; it was asked again after {waited_s:.0f} s)")
    return visited


def asks_to_come_back(response: Response) -> bool:
    """503 alone may be one page that is broken; whoever decides may try that again."""
    return response.status == 429 or (response.status in TOO_BUSY and "retry-after" in response.headers)


async def _once(session: PageSession, url: str) -> Visited | Outcome:
    admission = await session.timed(session.pace.admit(url, ahead=True))
    if not admission.ok:
        return refuse("timeout", f"{url} was not opened: {admission.reason}")
    timeout_ms = session.limits.navigation_s * 1000
    return Visited(await session.timed(session.page.goto(url, wait_until="domcontentloaded", timeout=timeout_ms)))
