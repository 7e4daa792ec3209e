"""Where the mouse is, and how it comes to another place."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from playwright.async_api import Page

_resting: WeakKeyDictionary[Page, tuple[float, float]] = WeakKeyDictionary()


async def travel(page: Page, x: float, y: float) -> None:
    """A person's mouse stirs where it rests before it leaves, and arrives by moving within its target. Lists that came
    up under a resting mouse take their first move for a wish to stay on what lies there."""
    at = _resting.get(page)
    if at is not None and at != (x, y):
        await page.mouse.move(at[0] + 1, at[1])
    await arrive(page, x, y)


async def arrive(page: Page, x: float, y: float) -> None:
    await page.mouse.move(x + 1, y)
    await page.mouse.move(x, y)
    _resting[page] = (x, y)
