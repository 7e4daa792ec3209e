"""One browser for the tests of a module, and a page of its own for each test."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.practice_sites.site_browser import a_browser, a_page


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncGenerator[Browser]:
    async with a_browser() as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser) -> AsyncGenerator[Page]:
    async with a_page(browser) as page:
        yield page
