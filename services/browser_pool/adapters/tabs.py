"""The pages of one context, the one that is looked at, and what happens to them unasked."""

from __future__ import annotations

import asyncio

from playwright.async_api import Browser, BrowserContext, Dialog, Download, Error, Page

from services.browser_pool.matching import first_line
from shared.errors import Unavailable

_CLOSED = ("has been closed", "Target crashed", "Page crashed", "Connection closed", "has been disconnected")


class Tabs:
    """Follows tabs, crashes, dialogs and downloads. Playwright calls its listeners synchronously."""

    def __init__(self, browser: Browser, context: BrowserContext, page: Page) -> None:
        self.browser = browser
        self.context = context
        self.page = page
        self.opened: list[Page] = []
        self.dialogs: list[str] = []
        self.downloads: list[Download] = []
        self.download_started = asyncio.Event()
        self.gone = asyncio.Event()
        """Set once the browser or the page that is looked at is dead."""
        self._answering: set[asyncio.Task[None]] = set()
        browser.on("disconnected", self._disconnected)
        if not browser.is_connected():
            self.gone.set()
        context.on("page", self._page_opened)
        self._attach(page)

    @property
    def lost(self) -> bool:
        return self.gone.is_set() or not self.browser.is_connected() or not self.open_pages()

    def open_pages(self) -> list[Page]:
        return [page for page in self.context.pages if not page.is_closed()]

    def begin_action(self) -> None:
        self.opened.clear()
        self.dialogs.clear()
        self.downloads.clear()
        self.download_started.clear()

    def follow(self) -> bool:
        """Looks at the tab that was opened last, or, if ours is gone, at the last that is left."""
        fresh = [page for page in self.opened if not page.is_closed()]
        pages = fresh or (self.open_pages() if self.page.is_closed() else [])
        if pages and pages[-1] is not self.page:
            self.page = pages[-1]
            return True
        return False

    def raise_if_lost(self, error: Error) -> None:
        """Turns what Playwright says of a dead browser or page into `session_lost`."""
        dead = any(words in error.message for words in _CLOSED)
        if self.lost or (dead and not (self.page.is_closed() and self.open_pages())):
            self.gone.set()
            raise Unavailable(
                f"the browser or its page is gone ({first_line(error.message)}); lease a new session",
                code="session_lost",
            ) from error

    def _page_opened(self, page: Page) -> None:
        self.opened.append(page)
        self._attach(page)

    def _attach(self, page: Page) -> None:
        page.on("crash", self._crashed)
        page.on("dialog", self._dialog_opened)
        page.on("download", self._download_started)

    def _crashed(self, page: Page) -> None:
        if page is self.page:
            self.gone.set()

    def _disconnected(self, _: Browser) -> None:
        self.gone.set()

    def detach(self) -> None:
        """The browser outlives the session and must not hold on to it."""
        self.browser.remove_listener("disconnected", self._disconnected)

    def _dialog_opened(self, dialog: Dialog) -> None:
        self.dialogs.append(f"{dialog.type}: {dialog.message}"[:500])
        task = asyncio.ensure_future(_dismiss(dialog))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    def _download_started(self, download: Download) -> None:
        self.downloads.append(download)
        self.download_started.set()


async def _dismiss(dialog: Dialog) -> None:
    try:
        # "Leave this page?" has to be answered with yes, or no sample could ever move on.
        await (dialog.accept() if dialog.type == "beforeunload" else dialog.dismiss())
    except Error:
        return  # its page is gone, and the dialog with it
