"""The pages of one context, the one that is looked at, and what happens to them unasked."""

from __future__ import annotations

import asyncio

from playwright.async_api import Browser, BrowserContext, Dialog, Download, Error, Page

from services.browser_pool.page.matching import first_line
from shared.aio import BackgroundTasks
from shared.contracts.browser_pool import Tab
from shared.contracts.results import DialogOpened
from shared.errors import Unavailable

TITLE_BOUND_S = 0.5
_CLOSED = ("has been closed", "Target crashed", "Page crashed", "Connection closed", "has been disconnected")
MAX_DIALOGS_TOLD = 20


class Tabs:
    """Follows tabs, crashes, dialogs and downloads. Playwright calls its listeners synchronously."""

    def __init__(self, browser: Browser, context: BrowserContext, page: Page) -> None:
        self.browser = browser
        self.context = context
        self.page = page
        self.opened: list[Page] = []
        self.shown_before: list[Page] = []
        """The tabs that were looked at, the last one last."""
        self.dialogs: list[str] = []
        self.dismissed: list[str] = []
        """What was in the way of the action and was closed."""
        self.dialog_waits = asyncio.Event()
        self._dialog: Dialog | None = None
        self._numbers: dict[Page, int] = {}
        self.downloads: list[Download] = []
        self.download_started = asyncio.Event()
        self.gone = asyncio.Event()
        """Set once the browser or the page that is looked at is dead."""
        self._answering = BackgroundTasks()
        browser.on("disconnected", self._disconnected)
        if not browser.is_connected():
            self.gone.set()
        context.on("page", self._page_opened)
        self._attach(page)

    @property
    def lost(self) -> bool:
        return self.gone.is_set() or not self.browser.is_connected() or not self.open_pages()

    @property
    def waiting(self) -> DialogOpened | None:
        """The dialog that waits for an answer. Its page is at a standstill until then."""
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
        """Counted from 1 as tabs are opened; the number of a tab that was closed is not given again."""
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
        self.dismissed.clear()
        self.downloads.clear()
        self.download_started.clear()

    def follow(self) -> bool:
        """Looks at the tab that was opened last, or, if ours is gone, at the last that is left."""
        fresh = [page for page in self.opened if not page.is_closed()]
        pages = fresh or (self.open_pages() if self.page.is_closed() else [])
        if pages and pages[-1] is not self.page:
            self.show(pages[-1])
            return True
        return False

    async def listed(self) -> tuple[Tab, ...]:
        """All tabs, where there are several."""
        pages = self.open_pages()
        if len(pages) < 2:
            return ()
        titles = await asyncio.gather(*(_title(page) for page in pages))
        return tuple(
            Tab(number=self._numbers[page], title=title[:200], url=page.url[:2000], active=page is self.page)
            for page, title in zip(pages, titles, strict=True)
        )

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
        self._numbers[page] = len(self._numbers) + 1
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
        if len(self.dialogs) < MAX_DIALOGS_TOLD:
            self.dialogs.append(f"{dialog.type}: {dialog.message}"[:500])
        if dialog.type in ("confirm", "prompt") and self.open_dialog is None:
            self._dialog = dialog
            self.dialog_waits.set()
            return
        self._answering.start(_answer(dialog))

    def _download_started(self, download: Download) -> None:
        self.downloads.append(download)
        self.download_started.set()


async def _title(page: Page) -> str:
    """Empty where the page does not say it at once."""
    try:
        async with asyncio.timeout(TITLE_BOUND_S):
            return await page.title()
    except (Error, TimeoutError):
        return ""


async def _answer(dialog: Dialog) -> None:
    """What has only one answer: an alert was read, and "Leave this page?" is yes, or no sample could ever move on.
    A question of another tab while one waits already is answered with no."""
    try:
        await (dialog.dismiss() if dialog.type in ("confirm", "prompt") else dialog.accept())
    except Error:
        return  # its page is gone, and the dialog with it
