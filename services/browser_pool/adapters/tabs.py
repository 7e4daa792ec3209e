"""The tabs of one context: which one is active, and the events that they raise."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from playwright.async_api import Browser, BrowserContext, Dialog, Download, Error, Page

from services.browser_pool.page.matching import first_line
from shared.aio import BackgroundTasks
from shared.contracts.browser_pool import Tab
from shared.contracts.results import ClosingButton, DialogOpened
from shared.errors import PermanentError, Unavailable

TITLE_BOUND_S = 0.5
_CLOSED = ("has been closed", "Target crashed", "Page crashed", "Connection closed", "has been disconnected")
MAX_DIALOGS_TOLD = 20
NO_LIMIT = 10**9


class Tabs:
    """Follows tabs, crashes, dialogs and downloads. Playwright calls its listeners synchronously."""

    def __init__(self, browser: Browser, context: BrowserContext, page: Page, most: int = NO_LIMIT) -> None:
        """Follow the tabs of a context. ``most``: how many may be open; others are closed as they open."""
        self.most = most
        self.refused = 0
        """Tabs that were closed because there were as many as may be."""
        self._told = 0
        self.dialogs_opened = 0
        """Dialogs of the action, those that are not told too."""
        self.over_limits = ""
        """What the pages have taken more of than they may; empty while they have not."""
        self.why_crashed: Callable[[], str] = str
        """Tells why pages crash, where that is known; else empty."""
        self.browser = browser
        self.context = context
        self.page = page
        self.opened: list[Page] = []
        self.follows = True
        """Whether a tab that opens is looked at. One that opens by itself, as a page is loaded, is not."""
        self.shown_before: list[Page] = []
        """Tabs that were active before, the latest last."""
        self.dialogs: list[str] = []
        self.dismissed: dict[str, ClosingButton | None] = {}
        """Overlays that were closed because they covered the target, with what was pressed; None: a key, or what has no
        name."""
        self.dialog_waits = asyncio.Event()
        self._dialog: Dialog | None = None
        self._numbers: dict[Page, int] = {}
        self.downloads: list[Download] = []
        self.download_started = asyncio.Event()
        self.gone = asyncio.Event()
        """Set when the browser or the active page is dead."""
        self._answering = BackgroundTasks()
        browser.on("disconnected", self._on_disconnected)
        if not browser.is_connected():
            self.gone.set()
        context.on("page", self._on_page_opened)
        self._attach(page)

    @property
    def lost(self) -> bool:
        return self.gone.is_set() or not self.browser.is_connected() or not self.open_pages()

    @property
    def waiting(self) -> DialogOpened | None:
        """The dialog that waits for an answer, during which its page stands still."""
        dialog = self.open_dialog
        if dialog is None:
            return None
        return DialogOpened(kind="prompt" if dialog.type == "prompt" else "confirm", message=dialog.message[:2000])

    @property
    def open_dialog(self) -> Dialog | None:
        if self._dialog is not None and self._dialog.page is not None and self._dialog.page.is_closed():
            self.forget_dialog()
        return self._dialog

    def forget_dialog(self) -> None:
        self._dialog = None
        self.dialog_waits.clear()

    def number(self, page: Page) -> int:
        """Return the tab's number, counted from 1 in order of opening and never reused."""
        return self._numbers[page]

    def show(self, page: Page) -> None:
        if page is not self.page:
            self.shown_before.append(self.page)
            self.page = page

    def open_pages(self) -> list[Page]:
        return [page for page in self.context.pages if not page.is_closed()]

    def begin_action(self) -> None:
        self.opened.clear()
        self.dialogs.clear()
        self.dialogs_opened = 0
        self.dismissed.clear()
        self.downloads.clear()
        self.download_started.clear()

    def follow(self) -> bool:
        """Switch to the tab opened last, or to the last one left when the active tab is closed. Return whether it
        switched."""
        fresh = [page for page in self.opened if not page.is_closed()] if self.follows else []
        pages = fresh or (self.open_pages() if self.page.is_closed() else [])
        if pages and pages[-1] is not self.page:
            self.show(pages[-1])
            return True
        return False

    async def read_tabs(self) -> tuple[Tab, ...]:
        """Return all tabs; empty when there is only one."""
        pages = self.open_pages()
        if len(pages) < 2:
            return ()
        titles = await asyncio.gather(*(_title(page) for page in pages))
        return tuple(
            Tab(number=self._numbers[page], title=title[:200], url=page.url[:2000], active=page is self.page)
            for page, title in zip(pages, titles, strict=True)
        )

    def raise_if_lost(self, error: Error) -> None:
        """Raise Unavailable (``session_lost``) when the error means that the browser or page is dead, and
        PermanentError (``page_over_limits``) when it is dead for what it took."""
        dead = any(words in error.message for words in _CLOSED)
        if self.lost or (dead and not (self.page.is_closed() and self.open_pages())):
            self.gone.set()
            self.raise_if_over_limits()
            raise Unavailable(
                f"the browser or its page is gone ({first_line(error.message)}); lease a new session",
                code="session_lost",
            ) from error

    def take_refused(self) -> bool:
        """Return whether tabs were closed since it was asked last, because there were as many as may be."""
        fresh, self._told = self.refused > self._told, self.refused
        return fresh

    def raise_if_over_limits(self) -> None:
        if self.over_limits:
            told = f"the browser session was ended: {self.over_limits}"
            raise PermanentError(told, code="page_over_limits")

    def end(self, over_limits: str) -> None:
        """End the session, whose pages have taken more than they may. The first reason is kept."""
        self.over_limits = self.over_limits or over_limits
        self.gone.set()

    def _on_page_opened(self, page: Page) -> None:
        self._attach(page)
        if len(self.open_pages()) > self.most:
            self.refused += 1
            self._answering.start(_close(page))
            return
        self.opened.append(page)

    def _attach(self, page: Page) -> None:
        self._numbers[page] = len(self._numbers) + 1
        page.on("crash", self._on_crash)
        page.on("dialog", self._on_dialog)
        page.on("download", self._on_download)

    def _on_crash(self, page: Page) -> None:
        if page is self.page:
            self.over_limits = self.over_limits or self.why_crashed()
            self.gone.set()

    def _on_disconnected(self, _: Browser) -> None:
        self.gone.set()

    def detach(self) -> None:
        """Remove the listener on the browser, which outlives the session and must not keep it in memory."""
        self.browser.remove_listener("disconnected", self._on_disconnected)

    def _on_dialog(self, dialog: Dialog) -> None:
        self.dialogs_opened += 1
        if len(self.dialogs) < MAX_DIALOGS_TOLD:
            self.dialogs.append(f"{dialog.type}: {dialog.message}"[:500])
        if dialog.type in ("confirm", "prompt") and self.open_dialog is None:
            self._dialog = dialog
            self.dialog_waits.set()
            return
        self._answering.start(_answer(dialog))

    def _on_download(self, download: Download) -> None:
        self.downloads.append(download)
        self.download_started.set()


async def _title(page: Page) -> str:
    """Return the title; empty when the page does not answer at once."""
    try:
        async with asyncio.timeout(TITLE_BOUND_S):
            return await page.title()
    except (Error, TimeoutError):
        return ""


async def _close(page: Page) -> None:
    try:
        await page.close()
    except Error:
        return  # it is closed already


async def _answer(dialog: Dialog) -> None:
    """Accept alerts and "Leave this page?"; dismiss a question of another tab while one is open."""
    try:
        await (dialog.dismiss() if dialog.type in ("confirm", "prompt") else dialog.accept())
    except Error:
        return  # its page is gone
