"""The start of the guard of a browser that is closed meanwhile."""

from __future__ import annotations

import asyncio
import gc
import logging
from typing import cast

import pytest
from playwright.async_api import Browser, Error

from services.browser_pool.adapters.guard.interception import interceptor_of


class ClosedWhileAsked:
    """A browser that ends before it answers."""

    def __init__(self) -> None:
        self.starts = 0
        self.asked = asyncio.Event()
        self.ended = asyncio.Event()

    async def new_browser_cdp_session(self) -> None:
        self.starts += 1
        self.asked.set()
        await self.ended.wait()
        raise Error("the browser has been closed")


async def test_whoever_waits_is_told_that_the_browser_is_closed():
    browser = ClosedWhileAsked()
    browser.ended.set()
    for start in (1, 2):  # a start that failed is forgotten
        with pytest.raises(Error, match="closed"):
            await interceptor_of(cast("Browser", browser))
        assert browser.starts == start


async def test_a_start_that_nobody_waits_for_any_more_ends_without_a_traceback(caplog: pytest.LogCaptureFixture):
    browser = ClosedWhileAsked()
    waiting = asyncio.create_task(interceptor_of(cast("Browser", browser)))
    await browser.asked.wait()
    [start] = asyncio.all_tasks() - {waiting, asyncio.current_task()}
    waiting.cancel()
    browser.ended.set()
    with caplog.at_level(logging.ERROR, "asyncio"):
        await asyncio.wait([waiting, start])
        del browser, waiting, start
        gc.collect()
    assert caplog.text == ""
