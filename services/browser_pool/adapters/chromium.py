"""The browser: found, started, kept warm, started again when it dies."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import time
import uuid
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import (
    Browser,
    BrowserContext,
    Error,
    Page,
    Playwright,
    Request,
    Response,
    async_playwright,
)

from services.browser_pool import politeness
from services.browser_pool.adapters import engine
from services.browser_pool.adapters.finding import find_browser
from services.browser_pool.adapters.gone import unless_gone
from services.browser_pool.adapters.hands.perform import perform
from services.browser_pool.adapters.pacing import Pacing, SessionPace
from services.browser_pool.adapters.session import Limits, PageSession, Perform
from services.browser_pool.matching import first_line
from services.browser_pool.ports import Terms
from shared.contracts.browser_pool import Politeness
from shared.errors import PermanentError, Unavailable
from shared.names import safe_id

log = logging.getLogger(__name__)

VIEWPORT_WIDTH_PX = 1280
VIEWPORT_HEIGHT_PX = 900
LAUNCH_BOUND_S = 30.0
CLOSE_BOUND_S = 3.0


@dataclass(frozen=True)
class Warm:
    """A context nobody has used, with its first page open."""

    browser: Browser
    context: BrowserContext
    page: Page


class Chromium:
    """One browser process for all sessions of this pool. ``chromium`` is the one to use, where somebody said so."""

    def __init__(
        self,
        *,
        chromium: Path | None,
        auth_dir: Path,
        limits: Limits,
        pacing: Pacing | None = None,
        polite: politeness.Limits | None = None,
    ) -> None:
        self._chromium = chromium
        self._auth_dir = auth_dir
        self._limits = limits
        self._pacing = pacing or Pacing(None, time.time)
        self._polite = polite or politeness.Limits()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._spare: asyncio.Task[Warm] | None = None
        self._stopping: set[asyncio.Task[None]] = set()
        # Two leases at once must not start two browsers.
        self._starting = asyncio.Lock()

    @property
    def name(self) -> str:
        if self._browser is None:
            return ""
        return f"{self._browser.browser_type.name} {self._browser.version}"

    async def open_session(self, terms: Terms) -> PageSession:
        profile = terms.auth_profile
        storage = None if profile is None else await asyncio.to_thread(auth_file, self._auth_dir, profile)
        driver = self._playwright
        try:
            warm = await self._take_spare() if storage is None else None
            warm = warm or await self._warm(storage)
        except Error as error:
            self._drop_dead_driver(driver, error)
            raise Unavailable(f"no page could be opened: {first_line(error.message)}", code="no_browser") from error
        self._make_spare()
        pace = SessionPace(self._pacing, limits_of(terms.politeness, self._polite), uuid.uuid4().hex[:16])
        return PoolSession(warm.browser, warm.context, warm.page, self._limits, perform, pace)

    def _drop_dead_driver(self, driver: Playwright | None, error: Error) -> None:
        """A browser or driver that has died is not asked again: the next lease starts others."""
        if "has been closed" not in error.message and "Connection closed" not in error.message:
            return
        if driver is None or driver is not self._playwright:  # another lease has replaced it already
            return
        self._playwright = self._browser = None
        stopping = asyncio.create_task(_quietly(driver.stop()))
        self._stopping.add(stopping)
        stopping.add_done_callback(self._stopping.discard)

    def warm_up(self) -> None:
        """Starts browser and first page in the background; what goes wrong is told to the first lease."""
        self._make_spare()

    async def close(self) -> None:
        """Ends browser and driver; a browser that does not go by itself is ended with its driver."""
        if self._spare is not None:
            self._spare.cancel()
            await asyncio.gather(self._spare, return_exceptions=True)
            self._spare = None
        if self._browser is not None:
            await _quietly(self._browser.close())
        if self._playwright is not None:
            await _quietly(self._playwright.stop())
        await asyncio.gather(*self._stopping)
        self._browser = self._playwright = None

    def _make_spare(self) -> None:
        if self._spare is None:
            self._spare = asyncio.create_task(self._warm(None))
            # What failed here fails again, with its message, at the lease that asks for it.
            self._spare.add_done_callback(lambda task: task.cancelled() or task.exception())

    async def _take_spare(self) -> Warm | None:
        task, self._spare = self._spare, None
        if task is None:
            return None
        try:
            warm = await task
        except (Error, Unavailable):
            return None
        if warm.browser.is_connected() and not warm.page.is_closed():
            return warm
        return None

    async def _warm(self, storage: Path | None) -> Warm:
        browser = await self._running()
        gone = asyncio.Event()

        def disconnected(_: Browser) -> None:
            gone.set()

        browser.on("disconnected", disconnected)
        try:
            return await unless_gone(_fresh(browser, storage), gone)
        finally:
            browser.remove_listener("disconnected", disconnected)

    async def _running(self) -> Browser:
        async with self._starting:
            if self._browser is not None and self._browser.is_connected():
                return self._browser
            if self._playwright is None:
                self._playwright = await async_playwright().start()
                await engine.register(self._playwright)
            self._browser = await self._launch(self._playwright)
            return self._browser

    async def _launch(self, playwright: Playwright) -> Browser:
        executable = await asyncio.to_thread(
            find_browser, self._chromium, Path(playwright.chromium.executable_path), shutil.which
        )
        try:
            browser = await playwright.chromium.launch(
                executable_path=executable,
                headless=True,
                # Chromium's sandbox does not work as root; for everyone else it stays on.
                chromium_sandbox=os.geteuid() != 0,
                args=["--disable-background-networking", "--no-default-browser-check"],
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
                timeout=LAUNCH_BOUND_S * 1000,
            )
        except Error as error:
            raise Unavailable(f"{executable} did not start: {first_line(error.message)}", code="no_browser") from error
        log.info("started %s %s", executable, browser.version)
        return browser


class PoolSession(PageSession):
    """A session that tells its pace what its documents were answered."""

    def __init__(
        self,
        browser: Browser,
        context: BrowserContext,
        page: Page,
        limits: Limits,
        perform: Perform,
        pace: SessionPace,
    ) -> None:
        super().__init__(browser, context, page, limits, perform, pace)
        context.on("response", self._answered)
        context.on("requestfailed", self._failed)

    def _answered(self, response: Response) -> None:
        if response.request.is_navigation_request():
            self.pace.answered(response.url, response.status, response.headers.get("retry-after"))

    def _failed(self, request: Request) -> None:
        if request.is_navigation_request():
            self.pace.answered(request.url, None)

    async def close(self) -> None:
        self.pace.end()
        await super().close()


def limits_of(asked: Politeness, ours: politeness.Limits) -> politeness.Limits:
    """What the lease asks for; what it leaves open, by our settings."""
    return politeness.Limits(
        ours.interval_s if asked.interval_s is None else asked.interval_s,
        ours.max_in_flight if asked.max_in_flight is None else asked.max_in_flight,
    )


async def _fresh(browser: Browser, storage: Path | None) -> Warm:
    context = await browser.new_context(
        viewport={"width": VIEWPORT_WIDTH_PX, "height": VIEWPORT_HEIGHT_PX},
        color_scheme="light",
        accept_downloads=True,
        storage_state=storage,
    )
    try:
        return Warm(browser, context, await context.new_page())
    except BaseException:
        if browser.is_connected():
            await _quietly(context.close())
        raise


def auth_file(folder: Path, profile: str) -> Path:
    """The stored login state of that name; PermanentError when there is none."""
    if safe_id(profile) != profile:
        raise PermanentError(f"{profile!r} is not a name of a login state", code="no_auth_profile")
    path = folder / f"{profile}.json"
    if not path.is_file():
        raise PermanentError(
            f"the login state {profile!r} does not exist: expected the file {path}", code="no_auth_profile"
        )
    return path


async def _quietly(closing: Awaitable[object]) -> None:
    """Awaits a closing call within its bound; what is dead already needs no closing."""
    with contextlib.suppress(Error, TimeoutError):
        async with asyncio.timeout(CLOSE_BOUND_S):
            await closing
