"""Shared helpers of the tests of actions."""

from __future__ import annotations

from collections.abc import Iterable

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import BrowserAction, ByCss, ByText
from shared.contracts.results import ActionResult

OVER_ALL = "position:fixed;inset:0;background:#0008"
OVER_MIDDLE = "position:fixed;left:200px;top:100px;width:400px;height:300px;background:#fff"
HIDDEN = (
    "border:0;clip:rect(0 0 0 0);clip-path:inset(50%);height:1px;margin:-1px;overflow:hidden;padding:0;"
    "position:absolute;width:1px;white-space:nowrap"
)
"""For screen readers and the keyboard only: of one pixel, cut away."""
POPUP = "position:absolute;background:#fff;border:1px solid"


def at(target: str) -> ByText | ByCss:
    """Return the target for ``css=#save`` or for a text."""
    return ByCss(css=target.removeprefix("css=")) if target.startswith("css=") else ByText(text=target)


async def do(session: PageSession, action: BrowserAction) -> ActionResult:
    return (await session.act(action)).result


async def shown(session: PageSession, css: str) -> str:
    return await session.page.inner_text(css)


def listed(told: Iterable[str | tuple[str, ...]]) -> str:
    """Return all that is told, such as roles and names, in one text."""
    return "; ".join(one if isinstance(one, str) else " ".join(one).strip() for one in told)
