"""One browser process with its driver: start, new contexts, end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from playwright.async_api import Browser, BrowserContext, Error, Page, Playwright, async_playwright

from services.browser_pool.adapters.browser.executable import find_browser
from services.browser_pool.adapters.browser.memory import tree_mb
from services.browser_pool.adapters.browser.process_dir import ProcessDir
from services.browser_pool.adapters.guard.interception import interceptor_of
from services.browser_pool.adapters.observe import engine
from services.browser_pool.adapters.observe.engine import worlds
from services.browser_pool.adapters.protocol import run_unless_gone
from services.browser_pool.page.matching import first_line
from shared.errors import Unavailable

log = logging.getLogger(__name__)

VIEWPORT_WIDTH_PX = 1280
VIEWPORT_HEIGHT_PX = 900
LAUNCH_BOUND_S = 30.0
CLOSE_BOUND_S = 3.0
ARGUMENTS = ("--disable-background-networking", "--no-default-browser-check")


@dataclass(frozen=True)
class WarmContext:
    """An unused context with its first page open."""

    context: BrowserContext
    page: Page
    crashed: asyncio.Event = field(default_factory=asyncio.Event)


class BrowserProcess:
    """A browser with a driver of its own, which grows with the contexts and ends with it.

    ``leases`` counts all sessions it ever had, ``live`` the present ones.
    """

    def __init__(self, playwright: Playwright, nest: ProcessDir, browser: Browser, pid: int) -> None:
        self.browser = browser
        self.leases = self.live = 0
        self.spares: list[WarmContext] = []
        self._playwright, self._nest, self._pid = playwright, nest, pid
        self._gone = asyncio.Event()
        browser.on("disconnected", lambda _: self._gone.set())

    @property
    def dead(self) -> bool:
        return self._gone.is_set() or not self.browser.is_connected()

    @property
    def folder(self) -> Path:
        """Folder for files that this browser reads. It is removed with the browser."""
        return self._nest.folder

    async def new_context(self) -> WarmContext:
        """Return a new context. Raises Unavailable (``session_lost``) or Playwright's error when the browser dies
        meanwhile."""
        return await run_unless_gone(self._new_context(), self._gone)

    async def _new_context(self) -> WarmContext:
        context = await self.browser.new_context(
            viewport={"width": VIEWPORT_WIDTH_PX, "height": VIEWPORT_HEIGHT_PX},
            color_scheme="light",
            accept_downloads=True,
            # Requests of a service worker would bypass the guard.
            service_workers="block",
        )
        try:
            await interceptor_of(self.browser)
            warm = WarmContext(context, await context.new_page())
            await worlds(warm.page)
        except BaseException:
            if not self.dead:
                await close_quietly(context.close())
            raise
        warm.page.on("crash", lambda _: warm.crashed.set())
        return warm

    def take_spare(self) -> WarmContext | None:
        """Return a warm context, if there is one."""
        while self.spares:
            warm = self.spares.pop(0)
            if not warm.crashed.is_set() and not warm.page.is_closed():
                return warm
        return None

    async def memory_mb(self) -> float:
        """Return the memory of the browser and its pages."""
        return await asyncio.to_thread(tree_mb, self._pid)

    async def close(self) -> None:
        """End browser and driver, killing what does not end by itself. Idempotent."""
        if not self.dead:
            await close_quietly(self.browser.close())
        self._gone.set()
        await close_quietly(self._playwright.stop())
        await self._nest.clear()


async def start(chosen: Path | None, *, headed: bool = False) -> BrowserProcess:
    """Start a browser. Raises Unavailable (``no_browser``), with what to do, when none can be started."""
    try:
        return await _start(chosen, headed)
    except (Error, OSError) as error:
        raise Unavailable(f"no browser could be started: {first_line(str(error))}", code="no_browser") from error


async def _start(chosen: Path | None, headed: bool) -> BrowserProcess:
    nest = await ProcessDir.build()
    try:
        async with nest.home():
            playwright = await async_playwright().start()
    except BaseException:
        await nest.clear()
        raise
    try:
        await engine.register(playwright)
        own = Path(playwright.chromium.executable_path)
        executable = await asyncio.to_thread(find_browser, chosen, own, shutil.which, headed=headed)
        browser = await _launch(playwright, executable, headed)
        return BrowserProcess(playwright, nest, browser, await _pid_of(browser))
    except BaseException:
        await close_quietly(playwright.stop())
        await nest.clear()
        raise


async def _launch(playwright: Playwright, executable: Path, headed: bool) -> Browser:
    try:
        browser = await playwright.chromium.launch(
            executable_path=executable,
            headless=not headed,
            # Chromium's sandbox does not work as root.
            chromium_sandbox=os.geteuid() != 0,
            args=ARGUMENTS,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
            timeout=LAUNCH_BOUND_S * 1000,
        )
    except Error as error:
        raise Unavailable(f"{executable} did not start: {first_line(error.message)}", code="no_browser") from error
    log.info("started %s %s", executable, browser.version)
    return browser


async def _pid_of(browser: Browser) -> int:
    cdp = await browser.new_browser_cdp_session()
    answer = cast("Any", await cdp.send("SystemInfo.getProcessInfo"))  # pyright: ignore[reportUnknownMemberType]
    await cdp.detach()
    return next(process["id"] for process in answer["processInfo"] if process["type"] == "browser")


async def close_quietly(closing: Awaitable[object]) -> None:
    """Await a closing call within its time limit, ignoring errors of what is dead already."""
    with contextlib.suppress(Error, TimeoutError):
        async with asyncio.timeout(CLOSE_BOUND_S):
            await closing
