"""One leased context: looking at its page and acting on it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from playwright.async_api import Browser, BrowserContext, Error, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool import matching
from services.browser_pool.adapters.engine import State
from services.browser_pool.adapters.frames import Whole, walk_all
from services.browser_pool.adapters.gone import unless_gone
from services.browser_pool.adapters.network import Network
from services.browser_pool.adapters.outcome import Outcome, refuse
from services.browser_pool.adapters.pacing import SessionPace
from services.browser_pool.adapters.settle import Rest, look, quiet_ms, settle
from services.browser_pool.adapters.tabs import Tabs
from services.browser_pool.adapters.targets import Found, Intent, Targets
from services.browser_pool.page import RawPage
from services.browser_pool.ports import Acted
from shared.contracts.actions import ActionResult, BrowserAction, Change, Goto, Screenshot, Target
from shared.errors import DeadlineExceeded, Unavailable

ReplyT = TypeVar("ReplyT")
Perform = Callable[["PageSession", BrowserAction], Awaitable[Outcome]]


@dataclass(frozen=True)
class Limits:
    """Bounds in seconds, and how large a file may come down."""

    action_s: float
    navigation_s: float
    settle_s: float
    download_bytes: int


class PageSession:
    """Used by one caller at a time; the pool holds a lock around it."""

    def __init__(
        self, browser: Browser, context: BrowserContext, page: Page, limits: Limits, perform: Perform, pace: SessionPace
    ) -> None:
        self.limits = limits
        self.tabs = Tabs(browser, context, page)
        self.network = Network(context, time.monotonic, limits.navigation_s)
        self.targets = Targets()
        self.pace = pace
        self._perform = perform
        self._spent_s = 0.0
        self.rest = Rest(True, None)

    @property
    def lost(self) -> bool:
        return self.tabs.lost

    @property
    def page(self) -> Page:
        return self.tabs.page

    async def timed(self, work: Awaitable[ReplyT]) -> ReplyT:
        """Awaits Playwright and adds the time to what is reported as the browser's."""
        began_s = time.perf_counter()
        try:
            return await work
        finally:
            self._spent_s += time.perf_counter() - began_s

    async def settle(self, *, acted: bool = True, bound_s: float | None = None) -> Rest:
        self.rest = await self.timed(
            settle(
                self.tabs,
                self.network,
                bound_s=self.limits.settle_s if bound_s is None else bound_s,
                navigation_s=self.limits.navigation_s,
                acted=acted,
            )
        )
        return self.rest

    async def find(self, target: Target, intent: Intent) -> Found | Outcome:
        return await self.timed(self.targets.resolve(self.page.main_frame, target, intent, self.limits.action_s))

    async def observe(self, snapshot_id: str) -> RawPage:
        """Everything on the page. A page that does not answer in time raises DeadlineExceeded."""
        self._spent_s = 0.0
        try:
            whole = await unless_gone(self._walk(snapshot_id), self.tabs.gone)
        except PlaywrightTimeout as error:
            raise DeadlineExceeded(
                f"the page {self.page.url} did not answer within {self.limits.action_s:g} s; its script may never end"
            ) from error
        except Error as error:
            self.tabs.raise_if_lost(error)
            raise DeadlineExceeded(f"the page could not be read: {matching.first_line(error.message)}") from error
        self.targets.remember(snapshot_id, whole.parts)
        return RawPage(
            url=self.page.url,
            title=whole.main.title,
            http_status=self.network.status(self.page),
            seen=whole.seen,
            stats=whole.stats,
            scroll_y_px=whole.main.scroll_y,
            scroll_max_y_px=whole.main.scroll_max,
            settled=self.rest.settled,
            browser_ms=self._spent_s * 1000,
            unread=whole.unread,
        )

    async def _walk(self, snapshot_id: str) -> Whole:
        """At once where the page is known to be at rest; else it is given the chance to come to rest first."""
        self.tabs.follow()
        whole = await self.timed(walk_all(self.page.main_frame, snapshot_id, self.limits.action_s))
        if self._still(whole.main):
            return whole
        await self.settle(acted=False)
        return await self.timed(walk_all(self.page.main_frame, snapshot_id, self.limits.action_s))

    def _still(self, walked: State) -> bool:
        before = self.rest.state
        if not self.rest.settled:  # it was waited for once; to wait again would cost the bound at every look
            return True
        same = before is not None and before.doc == walked.doc
        quiet = not walked.scripts or walked.since_ms >= quiet_ms(walked, self.network, False)
        return same and quiet and not self.network.holding()

    async def act(self, action: BrowserAction) -> Acted:
        """Does one thing. Whatever the page does is told in the result; only a lost session is raised."""
        self._spent_s = 0.0
        self.tabs.begin_action()
        self.network.begin_action()
        url_before = self.page.url
        outcome, change = await unless_gone(self._done(action, url_before), self.tabs.gone)
        result = ActionResult(
            ok=outcome.ok,
            code=outcome.code,
            message=outcome.message,
            change=change,
            effect=outcome.effect,
            target=outcome.target,
            browser_ms=self._spent_s * 1000,
        )
        return Acted(result, outcome.captures)

    async def _done(self, action: BrowserAction, url_before: str) -> tuple[Outcome, Change]:
        outcome = await self._outcome(action)
        return outcome, await self._change(action, url_before)

    async def _outcome(self, action: BrowserAction) -> Outcome:
        try:
            return await self._perform(self, action)
        except PlaywrightTimeout as error:
            why = matching.blocker(error.message) or matching.first_line(error.message)
            return refuse("timeout", f"not done in time: {why}")
        except Error as error:
            self.tabs.raise_if_lost(error)
            return refuse("failed", matching.first_line(error.message))

    async def _change(self, action: BrowserAction, url_before: str) -> Change:
        self.tabs.follow()
        state = self.rest.state
        if state is None or not isinstance(action, Goto | Screenshot):
            # The page was told that something is done to an element; it is told that this is over.
            state = await self.timed(look(self.tabs, 1.0, "idle"))
        return Change(
            url_before=url_before,
            url_after=self.page.url,
            http_status=self.network.fresh_status,
            title=state.title if state else "",
            new_tabs=len(self.tabs.opened),
            dialogs=tuple(self.tabs.dialogs),
        )

    async def close(self) -> None:
        try:
            await unless_gone(self.tabs.context.close(), self.tabs.gone)
        except (Error, Unavailable):
            return  # it died before us
        finally:
            self.tabs.detach()
