"""One leased context: observes its page and performs actions on it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from msgspec import UNSET
from playwright.async_api import Browser, BrowserContext, Error, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.downloads.collector import collect_files
from services.browser_pool.adapters.downloads.tracker import DownloadTracker
from services.browser_pool.adapters.guard.pacing import SessionPace
from services.browser_pool.adapters.guard.session_guard import SessionGuard
from services.browser_pool.adapters.kept_pictures import KeptPictures
from services.browser_pool.adapters.network import Network, own_addresses
from services.browser_pool.adapters.observe import engine, pending
from services.browser_pool.adapters.observe.frames import PageWalk, WalkedPage
from services.browser_pool.adapters.observe.targets import KEPT_SNAPSHOTS, Intent, ResolvedElement, Targets
from services.browser_pool.adapters.outcome import PerformOutcome, refuse
from services.browser_pool.adapters.protocol import run_unless_gone
from services.browser_pool.adapters.rest import QUIET_MS, RestState, document_state, wait_for_rest, wanted_quiet_ms
from services.browser_pool.adapters.tabs import Tabs
from services.browser_pool.page import matching
from services.browser_pool.page.model import PageStats, RawPage, Seen
from services.browser_pool.page.snapshot import CHARS_PER_TOKEN, choose
from services.browser_pool.ports import Capture, PerformedAction
from services.browser_pool.safety.limits import UseLimits
from shared.aio import BackgroundTasks
from shared.contracts.actions import BrowserAction, Goto, Screenshot, Target
from shared.contracts.results import ActionResult, Change, DialogOpened, TargetFound
from shared.errors import DeadlineExceeded, Unavailable
from shared.secrets.redaction import redacted_text
from shared.secrets.store import Vault

ReplyT = TypeVar("ReplyT")
Perform = Callable[["PageSession", BrowserAction], Awaitable[PerformOutcome]]
Found = Callable[["PageSession", ResolvedElement], Awaitable[ResolvedElement]]
Refuses = Callable[["PageSession", ResolvedElement], Awaitable[PerformOutcome | None]]
Names = tuple[str, ...] | None
BEGINS_S = 1.0
"""Time for a download to be announced after its document was aborted."""


@dataclass(frozen=True)
class SessionLimits:
    """Time limits in seconds, the maximum size of downloads, and what pages may take."""

    action_s: float
    navigation_s: float
    rest_s: float
    download_bytes: int
    upload_dir: Path | None = None
    """The folder with the files that actions may upload."""
    use: UseLimits = field(default_factory=UseLimits)
    patience: float = 1.0
    """Factor of the waits for what a page may still do: change, show a choice late, take it back."""


class PageSession:
    """A session on one context. Callers use it one at a time; the pool holds its lock."""

    def __init__(
        self,
        browser: Browser,
        context: BrowserContext,
        page: Page,
        limits: SessionLimits,
        perform: Perform,
        pace: SessionPace,
        polls: set[str] | None = None,
    ) -> None:
        """``polls``: what other sessions know of polls (see :mod:`services.browser_pool.page.polls`); added to."""
        self.limits = limits
        self.tabs = Tabs(browser, context, page, limits.use.tabs)
        self._ending = BackgroundTasks()
        known_polls = set[str]() if polls is None else polls
        self.network = Network(context, time.monotonic, limits.navigation_s, known_polls)
        self.targets = Targets()
        self.files = DownloadTracker(limits.download_bytes, self.network.media_type)
        self.pictures = KeptPictures()
        self.pace = pace
        self._perform = perform
        self._spent_s = 0.0
        self._read_s = 0.0
        """When the page was last read, by the clock of requests."""
        self._contents_by_snapshot: dict[str, tuple[str, ...]] = {}
        self.rest = RestState(True, None)
        self.guard: SessionGuard | None = None
        """Restricts where the session may go; every session of a pool has one."""
        self.vault: Vault | None = None
        """The secrets it may type, and the texts that must not leave the pool."""
        self.target: TargetFound | None = None
        """The target of the running action, for results of interrupted actions."""
        self.wants_step_picture = False
        self.step_picture: Capture | None = None
        """The picture of the running action, if one was asked for and is taken."""
        self.before_acting: Found | None = None
        """What is done once, when the element that the running action acts on is found."""
        self.named: Names = None
        """What the task calls what it presses. None: nothing is withheld in this session."""
        self.once = False  # whether the running action presses what cannot be undone
        self.before_pressing: Refuses | None = None
        """What may refuse, once, to press the element of the running action."""

    @property
    def lost(self) -> bool:
        return self.tabs.lost

    @property
    def hidden(self) -> frozenset[str]:
        """See BrowserSession."""
        return frozenset(self.vault.hidden) if self.vault is not None else frozenset()

    @property
    def page(self) -> Page:
        return self.tabs.page

    @property
    def spent_ms(self) -> float:
        """Time that was spent waiting for the browser since the call began."""
        return self._spent_s * 1000

    async def run_timed(self, work: Awaitable[ReplyT]) -> ReplyT:
        """Await a Playwright call and add its time to the browser's time."""
        began_s = time.perf_counter()
        try:
            return await work
        finally:
            self._spent_s += time.perf_counter() - began_s

    async def run_unless_lost(self, work: Coroutine[Any, Any, ReplyT]) -> ReplyT:
        """Return the result of ``work``. Raises as `Tabs.raise_if_lost` does when the session is lost before."""
        try:
            return await run_unless_gone(work, self.tabs.gone)
        except Unavailable:
            self.tabs.raise_if_over_limits()
            raise

    def end_over_limits(self, why: str) -> None:
        """End the session at once: its pages have taken more than they may, and must take no more."""
        self.tabs.end(why)
        self._ending.start(self._close_context())

    async def wait_for_rest(self, *, acted: bool = True, bound_s: float | None = None) -> RestState:
        self.rest = await self.run_timed(
            wait_for_rest(
                self.tabs,
                self.network,
                bound_s=self.limits.rest_s if bound_s is None else bound_s,
                navigation_s=self.limits.navigation_s,
                acted=acted,
                patience=self.limits.patience,
            )
        )
        return self.rest

    def patient_s(self, usual_s: float) -> float:
        """Return the time for which this session waits for what may not come."""
        return usual_s * self.limits.patience

    async def find(self, target: Target, intent: Intent) -> ResolvedElement | PerformOutcome:
        found = await self.run_timed(self.targets.resolve(self.page, target, intent, self.limits.action_s))
        if self.target is None and isinstance(found, ResolvedElement):
            before_acting, self.before_acting = self.before_acting, None
            if before_acting is not None:
                found = await before_acting(self, found)
            self.target = found.to_target_found()
            before_pressing, self.before_pressing = self.before_pressing, None
            return found if before_pressing is None else await before_pressing(self, found) or found
        return found

    async def observe(
        self,
        snapshot_id: str,
        *,
        keywords: Sequence[str] = (),
        max_tokens: int = 6000,
        locators: bool = False,
        since: str | None = None,
    ) -> RawPage:
        """Return what is on the page. Raises DeadlineExceeded when the page does not answer in time."""
        self._spent_s = 0.0
        if self.tabs.waiting is not None:
            return await self._dialog_page(self.tabs.waiting)
        try:
            looking = self._walk_and_choose(snapshot_id, keywords, max_tokens, locators)
            whole, seen, kept = await self.run_unless_lost(looking)
        except PlaywrightTimeout as error:
            raise DeadlineExceeded(
                f"the page {redacted_text(self.page.url, self.hidden)} did not answer within"
                f" {self.limits.action_s:g} s; its script may never end"
            ) from error
        except Error as error:
            self.tabs.raise_if_lost(error)
            raise DeadlineExceeded(f"the page could not be read: {matching.first_line(error.message)}") from error
        self.targets.remember(snapshot_id, whole.refs)
        raw = whole.raw_page(self.page.url, self.network.status(self.page), seen, kept, settled=self.rest.settled)
        before = self._contents_by_snapshot.get(since) if since else None
        self._contents_by_snapshot[snapshot_id] = raw.contents
        while len(self._contents_by_snapshot) > KEPT_SNAPSHOTS:
            del self._contents_by_snapshot[next(iter(self._contents_by_snapshot))]
        awaited, failed = self._unanswered(whole)
        idle, awaits_data = await self.run_timed(self._read_pending(whole))
        tabs = await self.tabs.read_tabs()
        read = replace(raw, idle=idle and not awaited, awaits_data=awaits_data, awaited=awaited, failed=failed)
        return replace(read, browser_ms=self.spent_ms, before=before, tabs=tabs)

    def _drawing_ms(self, whole: WalkedPage) -> float:
        """Return how long what came before may still be drawn. A page without scripts is drawn by its documents alone;
        scripts draw a little after what they were sent."""
        scripted = self.network.data_asked or any(document.scripts for _, document, _ in whole.parts)
        return QUIET_MS * self.limits.patience if scripted else 0.0

    def _unanswered(self, whole: WalkedPage) -> tuple[tuple[str, ...], ...]:
        """Return what the page's own requests ask for that may bring other values than those that were just read, and
        what has failed."""
        is_own = own_addresses(self.page.url, () if self.guard is None else self.guard.bounds.allowed)
        since_s = self._read_s - self._drawing_ms(whole) / 1000
        found = (self.network.awaited(self.page, is_own, since_s), self.network.failed(self.page, is_own))
        return tuple(tuple(redacted_text(one, self.hidden) for one in some) for some in found)

    async def _read_pending(self, whole: WalkedPage) -> tuple[bool, bool]:
        """Return whether the page is idle, and whether it awaits data (see PageObserved)."""
        answered = self.network.document(self.page)
        documents = [document for _, document, _ in whole.parts]
        quiet_ms, drawing_ms = QUIET_MS * self.limits.patience, self._drawing_ms(whole)
        if self.network.awaits_data(self._read_s - drawing_ms / 1000):
            return False, True
        work = pending.work_beside(whole.beside, whole.main.read_at_ms) or await self._pending_work()
        changing = bool(whole.unread) or any(_is_changing(document, quiet_ms) for document in documents)
        refreshes = answered is not None and any(name.lower() == "refresh" for name, _ in answered.headers)
        quiet = self.network.is_idle_for(drawing_ms) and not changing and not refreshes
        return quiet and work == "none", work in ("due", "late")

    async def _pending_work(self) -> pending.PendingWork:
        """Return what is pending. It is asked once more where the answer took longer than a drawing may."""
        worlds = await engine.worlds(self.page)
        asked_s = self.network.now_s()
        work = await pending.read_pending_work(worlds, (asked_s - self._read_s) * 1000, self.limits.action_s)
        took_ms = (self.network.now_s() - asked_s) * 1000
        if work != "none" or took_ms <= pending.DRAWN_MS:
            return work
        return await pending.read_pending_work(
            worlds, (self.network.now_s() - self._read_s) * 1000, self.limits.action_s
        )

    async def _dialog_page(self, waiting: DialogOpened) -> RawPage:
        """Return an empty page with the open dialog: its page answers nothing until the dialog is answered."""
        return RawPage(
            url=self.page.url,
            title="",
            http_status=self.network.status(self.page),
            contents=(),
            seen=(),
            hidden=frozenset(),
            stats=PageStats(),
            scroll_y_px=0.0,
            scroll_max_y_px=0.0,
            settled=True,
            browser_ms=0.0,
            dialog=f"{waiting.kind}: {waiting.message}",
        )

    async def _walk_and_choose(
        self, snapshot_id: str, keywords: Sequence[str], max_tokens: int, locators: bool
    ) -> tuple[WalkedPage, tuple[Seen, ...], list[int]]:
        """Return the walked page, the elements to show, and the refs that were chosen."""
        document_state, whole = await self._walk(snapshot_id, locators, max_tokens * CHARS_PER_TOKEN)
        chosen = choose(whole.contents, whole.ranks, keywords, max_tokens)
        seen = await self.run_timed(document_state.read_elements(whole, chosen))
        return whole, seen, [index + 1 for index in chosen]

    async def _walk(self, snapshot_id: str, locators: bool, max_chars: int) -> tuple[PageWalk, WalkedPage]:
        """Walk the page, at once when it is known to be at rest, else after it had time to come to rest."""
        self.tabs.follow()
        worlds = await self.run_timed(engine.worlds(self.page))
        document_state = PageWalk(
            worlds, snapshot_id, self.limits.action_s, locators=locators, max_chars=max_chars, beside=pending.BESIDE
        )
        waited = self.rest.needs_quiet(self.network, self.limits.patience)
        if waited:  # a survey would only find that out
            await self.wait_for_rest(acted=False)
        scripts = self.rest.state is not None and self.rest.state.scripts
        self._read_s = self.network.now_s()
        whole = await self.run_timed(document_state.survey(scripts=scripts))
        if waited or self._is_at_rest(whole.main):
            return document_state, whole
        await self.wait_for_rest(acted=False)
        self._read_s = self.network.now_s()
        return document_state, await self.run_timed(document_state.survey(scripts=whole.main.scripts))

    def _is_at_rest(self, walked: engine.DocumentState) -> bool:
        before = self.rest.state
        if (
            not self.rest.settled
        ):  # it was waited for once; waiting again would cost the whole time limit at every observation
            return True
        same = before is not None and before.doc == walked.doc
        wanted_ms = wanted_quiet_ms(walked, self.network.data_asked, False, self.limits.patience)
        quiet = not walked.scripts or walked.since_ms >= wanted_ms
        return same and quiet and not self.network.has_pending()

    async def act(
        self, action: BrowserAction, *, step_picture: bool = False, named: Names = None, once: bool = False
    ) -> PerformedAction:
        """Perform one action. What the page does is part of the result; only a lost session raises."""
        self._spent_s = 0.0
        self.named, self.once, self.before_pressing = named, once, None
        self.wants_step_picture, self.step_picture, self.before_acting = step_picture, None, None
        self.tabs.begin_action()
        self.network.begin_action()
        if self.guard is not None:
            self.guard.begin_action()
        self.target = None
        url_before = self.page.url
        outcome, change = await self.run_unless_lost(self._act_and_collect(action, url_before))
        result = ActionResult(
            ok=outcome.ok,
            code=outcome.code,
            message=outcome.message,
            change=change,
            effect=outcome.effect,
            target=outcome.target,
            browser_ms=self._spent_s * 1000,
        )
        pictures = () if self.step_picture is None else (self.step_picture,)
        return PerformedAction(result, (*outcome.captures, *pictures), outcome.page)

    async def _act_and_collect(self, action: BrowserAction, url_before: str) -> tuple[PerformOutcome, Change]:
        outcome = await self._perform_safely(action)
        if self.network.became_no_page and not outcome.captures:
            await self.run_timed(self.files.beginning(BEGINS_S))
        outcome = await self.run_timed(collect_files(outcome, self.files, self.tabs, self.limits.navigation_s))
        if self.guard is not None:
            self.guard.deny_tabs(self.tabs.take_refused(), self.limits.use.tabs)
            outcome = await self.guard.apply_denials(outcome)
        return outcome, await self._change(action, url_before)

    async def _perform_safely(self, action: BrowserAction) -> PerformOutcome:
        try:
            if self.guard is not None:
                await self.files.open(self.tabs.browser, self.page, self.guard.context_id)
            return await self._perform(self, action)
        except PlaywrightTimeout as error:
            why = matching.blocker(error.message) or matching.first_line(error.message)
            return refuse("timeout", f"not done in time: {why}")
        except Error as error:
            self.tabs.raise_if_lost(error)
            return refuse("failed", matching.first_line(error.message))

    async def _change(self, action: BrowserAction, url_before: str) -> Change:
        self.tabs.follow()
        state, allowed = self.rest.state, () if self.guard is None else self.guard.bounds.allowed
        # A page with an open dialog answers nothing.
        if self.tabs.waiting is None and (state is None or not isinstance(action, Goto | Screenshot)):
            # Ends the action that was announced to the page engine.
            state = await self.run_timed(document_state(self.tabs, 1.0, "idle"))
        return Change(
            url_before=url_before,
            url_after=self.page.url,
            http_status=self.network.fresh_status,
            title=state.title if state else "",
            appeared=state.appeared if state else (),
            new_tabs=sum(not page.is_closed() for page in self.tabs.opened),
            dialogs=tuple(self.tabs.dialogs),
            dismissed=tuple(self.tabs.dismissed),
            closed_by=tuple(one for one in self.tabs.dismissed.values() if one is not None),
            denied=self.guard.denials() if self.guard is not None else (),
            not_taken=self.network.not_taken(url_before, allowed),
            taken=self.network.taken(url_before, allowed) or UNSET,
        )

    async def close(self) -> None:
        await self.files.close()
        try:
            if self.tabs.over_limits:
                await self._close_context()
            else:
                await run_unless_gone(self.tabs.context.close(), self.tabs.gone)
        except (Error, Unavailable):
            return  # it is closed already
        finally:
            self.tabs.detach()
            if self.guard is not None:
                self.guard.close()

    async def _close_context(self) -> None:
        try:
            await self.tabs.context.close()
        except Error:
            return  # the browser is gone, and the context with it


def _is_changing(document: engine.DocumentState, quiet_ms: float) -> bool:
    """Return whether a document is not complete yet, or was changed by its scripts just now."""
    stirred = document.scripts and document.since_ms < quiet_ms
    return stirred or document.loading or document.unfinished or document.pictures > 0
