"""A request of a page that is held on its way: what the page does meanwhile can be looked at without a race."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from playwright.async_api import Page, Request, Route


@asynccontextmanager
async def held_request(
    page: Page, pattern: str, is_meant: Callable[[Request], bool] = lambda _: True
) -> AsyncGenerator[asyncio.Event]:
    """Hold requests of this address that are meant; the event is set once the first is held. They go on at the end."""
    held, go_on = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        if is_meant(route.request):
            held.set()
            await go_on.wait()
        await route.continue_()

    await page.route(pattern, hold)
    try:
        yield held
    finally:
        go_on.set()
