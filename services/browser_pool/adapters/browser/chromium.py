"""Opens sessions: keeps contexts warm, and replaces browsers that are worn or dead."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Error, Request, Response

from services.browser_pool.adapters.actions.perform import perform
from services.browser_pool.adapters.actions.step_picture import take_view
from services.browser_pool.adapters.api_response import fetch_response
from services.browser_pool.adapters.archive.page_archive import capture_page
from services.browser_pool.adapters.archive.restore import restore_page
from services.browser_pool.adapters.browser.launch import BrowserProcess, WarmContext, start
from services.browser_pool.adapters.guard.interception import guard_session
from services.browser_pool.adapters.guard.pacing import Pacing, SessionPace
from services.browser_pool.adapters.guard.secrets import open_vault
from services.browser_pool.adapters.network import frame_of
from services.browser_pool.adapters.screencast import Screencast
from services.browser_pool.adapters.session import PageSession, SessionLimits
from services.browser_pool.login_hosts import state_for
from services.browser_pool.login_states import LoginState, LoginStore
from services.browser_pool.page.matching import first_line
from services.browser_pool.ports import (
    NOTHING,
    ApiRequest,
    ApiResponse,
    Capture,
    CaptureFailed,
    FetchRefused,
    LiveFrame,
    PageCapture,
    PerformedAction,
    RestoredPage,
    RestoreRefused,
    RestoreRequest,
    SessionTerms,
    WantedRefs,
)
from services.browser_pool.safety import politeness
from shared.aio import BackgroundTasks
from shared.contracts.actions import BrowserAction, TypeSecret
from shared.contracts.browser_pool import Politeness
from shared.errors import PermanentError, Unavailable
from shared.secrets.store import SecretStore

log = logging.getLogger(__name__)

DEAD = ("has been closed", "Connection closed", "Target crashed")
REFILL_PAUSE_S = 0.15
"""A context takes the browser and the machine 60 ms: by then a new session waits for what it has asked the site for."""
TRIES = 3
"""A browser that dies while a session is opened costs no lease."""


@dataclass(frozen=True)
class BrowserUpkeep:
    """``spares``: number of warm contexts. A browser is replaced after ``max_leases`` sessions or
    above ``memory_mb``."""

    spares: int = 1
    max_leases: int = 500
    memory_mb: float = float("inf")


class Chromium:
    """The browser for new sessions, and retired ones that still have sessions.

    ``chromium``: path of the executable, if configured. ``headed``: open it with a window.
    """

    def __init__(
        self,
        *,
        chromium: Path | None,
        logins: LoginStore,
        limits: SessionLimits,
        pacing: Pacing | None = None,
        polite: politeness.PaceLimits | None = None,
        upkeep: BrowserUpkeep | None = None,
        headed: bool = False,
        secrets: SecretStore | None = None,
    ) -> None:
        self._secrets = secrets or SecretStore(None)
        self._chosen, self._headed = chromium, headed
        self._logins = logins
        self._limits = limits
        self._pacing = pacing or Pacing(None, time.time)
        self._polite = polite or politeness.PaceLimits()
        self._upkeep = upkeep or BrowserUpkeep()
        self._current: BrowserProcess | None = None
        self._retired: list[BrowserProcess] = []
        self._opening = 0
        self._closed = False
        self._polls: set[str] = set()
        """What sessions have learned of polls, for those after them."""
        self._refilling: asyncio.Task[None] | None = None
        self._replacing: asyncio.Task[None] | None = None
        self._background = BackgroundTasks()
        # Two leases at once must not start two browsers.
        self._starting = asyncio.Lock()

    @property
    def name(self) -> str:
        if self._current is None:
            return ""
        browser = self._current.browser
        return f"{browser.browser_type.name} {browser.version}"

    async def open_session(self, terms: SessionTerms) -> PoolSession:
        login = None if terms.auth_profile is None else await self._logins.find(terms.auth_profile)
        self._opening += 1
        try:
            return await self._open_on_live_browser(terms, login)
        finally:
            self._opening -= 1
            self._refill()

    async def _open_on_live_browser(self, terms: SessionTerms, login: LoginState | None) -> PoolSession:
        said = ""
        for _ in range(TRIES):
            started = await self._live_browser()
            started.leases += 1
            started.live += 1
            try:
                warm = started.take_spare() or await started.new_context()
                if login is not None:
                    await load_login_state(warm.context, login)
                session = self._session(started, warm, terms)
                session.vault = await open_vault(warm.context, self._secrets, terms.secrets)
                session.guard = await guard_session(
                    started.browser, warm.context, warm.page, warm.ids, terms, session.pace
                )
                session.guard.login = login
                started.watch.add(session.guard.context_id, session)
                return session
            except (Error, Unavailable) as error:
                # A dead browser and a dead driver give the same error; another browser solves both. Sessions that still
                # live there may go on.
                started.live -= 1
                said = first_line(str(error))
                self._drop(started)
            except BaseException:
                started.live -= 1
                raise
        raise Unavailable(f"no page could be opened: {said}", code="no_browser")

    def _drop(self, started: BrowserProcess) -> None:
        if started is self._current:
            self._current = None
            self._retire(started)

    def _session(self, started: BrowserProcess, warm: WarmContext, terms: SessionTerms) -> PoolSession:
        pace = SessionPace(self._pacing, pace_limits(terms.politeness, self._polite), uuid.uuid4().hex[:16])

        def on_closed() -> None:
            started.live -= 1

        return PoolSession(started, warm, self._limits, pace, on_closed, self._polls)

    async def _live_browser(self) -> BrowserProcess:
        async with self._starting:
            if self._closed:
                raise Unavailable("this browser pool ends", code="no_browser")
            if self._current is not None and not self._current.dead:
                return self._current
            if self._current is not None:
                self._drop(self._current)
            self._current = await start(self._chosen, headed=self._headed)
            return self._current

    async def try_page(self) -> None:
        """See BrowserPort. A browser that fails is left to the next lease, which replaces it: this may be the load."""
        started = await self._live_browser()
        try:
            warm = await started.new_context()
            try:
                answered = await warm.page.evaluate("6 * 7")
            finally:
                await warm.context.close()
        except (Error, Unavailable) as error:
            raise Unavailable(f"no page could be opened: {first_line(str(error))}", code="no_browser") from error
        if answered != 42:
            raise Unavailable("a page runs no script", code="no_browser")

    # --- spares

    def warm_up(self) -> None:
        """Start browser and first contexts in the background. The first lease reports what fails."""
        self._refill()

    async def wait_until_warm(self) -> list[WarmContext]:
        """Return the warm contexts, once there are enough or no more can be made."""
        if self._refilling is not None:
            await asyncio.shield(self._refilling)
        return [] if self._current is None else list(self._current.spares)

    def _refill(self) -> None:
        if self._refilling is None or self._refilling.done():
            self._refilling = self._background.start(self._fill_spares())

    async def _fill_spares(self) -> None:
        """Create contexts one at a time, and none while a lease is being opened, which comes first.

        While there is another one, the session that was just opened goes first as well.
        """
        if self._current is not None and self._current.spares:
            await asyncio.sleep(REFILL_PAUSE_S)
        try:
            while not self._opening:
                started = await self._live_browser()
                if len(started.spares) >= self._upkeep.spares:
                    return
                started.spares.append(await started.new_context())
        except (Error, Unavailable) as error:
            # The next lease fails again, with the message.
            log.info("no context could be kept warm: %s", error)

    # --- replacing browsers

    async def maintain(self) -> None:
        """Close retired browsers without sessions, and replace a worn one. Called periodically."""
        for started in tuple(self._retired):
            if started.dead or started.live <= 0:
                self._retired.remove(started)
                self._background.start(started.close())
        self._refill()
        current = self._current
        # Never more than two: a memory limit that cannot be met must not fill the memory with browsers.
        if current is None or current.dead or self._retired or not (self._replacing is None or self._replacing.done()):
            return
        why = await self._wear(current)
        if why and current is self._current:
            log.info("the browser is replaced: %s", why)
            self._replacing = self._background.start(self._replace(current))

    async def _wear(self, started: BrowserProcess) -> str:
        if started.leases >= self._upkeep.max_leases:
            return f"it has served {started.leases} sessions"
        memory_mb = await started.memory_mb()
        # A new one without sessions would be just as large.
        if memory_mb > self._upkeep.memory_mb and started.leases:
            return f"it takes {memory_mb:.0f} MB"
        return ""

    async def _replace(self, old: BrowserProcess) -> None:
        """Start the next browser; leases stay on the old one until the new one has contexts."""
        try:
            new_context = await start(self._chosen, headed=self._headed)
        except Unavailable as error:
            log.warning("the browser could not be replaced, and is used on: %s", error)
            return
        try:
            for _ in range(self._upkeep.spares):
                new_context.spares.append(await new_context.new_context())
        except (Error, Unavailable) as error:
            log.info("no context could be kept warm: %s", error)
        async with self._starting:
            if self._current is not old:  # it died meanwhile, and a lease has started another
                self._retire(new_context)
                return
            self._current = new_context
            self._retire(old)

    def _retire(self, started: BrowserProcess) -> None:
        """Give no new session to this browser; `maintain` closes it after its last one."""
        started.spares.clear()
        self._retired.append(started)

    # --- the end

    async def close(self) -> None:
        """End all browsers and drivers, whatever is open on them."""
        self._closed = True
        for task in (self._refilling, self._replacing):
            if task is not None:
                task.cancel()
        await self._background.drain()
        every = [*self._retired, *([self._current] if self._current else [])]
        self._retired, self._current = [], None
        await asyncio.gather(*(started.close() for started in every))


class PoolSession(PageSession):
    """A session that reports its documents' answers to its pace, and its end to the pool."""

    def __init__(
        self,
        started: BrowserProcess,
        warm: WarmContext,
        limits: SessionLimits,
        pace: SessionPace,
        on_closed: Callable[[], None],
        polls: set[str],
    ) -> None:
        super().__init__(started.browser, warm.context, warm.page, limits, perform, pace, polls)
        self._on_closed: Callable[[], None] | None = on_closed
        self._browser_folder, self._watch = started.folder, started.watch
        self._screencast = Screencast(self)
        warm.context.on("response", self._record_response)
        warm.context.on("requestfailed", self._record_failure)

    async def login_state(self) -> dict[str, Any]:
        """See BrowserSession."""
        try:
            return dict(await self.tabs.context.storage_state(indexed_db=True))
        except Error as error:
            self.tabs.raise_if_lost(error)
            raise Unavailable(f"the login state could not be read: {first_line(error.message)}") from error

    async def capture(self, known: Sequence[str] = (), wanted: WantedRefs = NOTHING) -> PageCapture | CaptureFailed:
        """See BrowserSession."""
        self._spent_s = 0.0
        self.tabs.follow()
        return await self.run_unless_lost(capture_page(self, known, wanted))

    async def act(self, action: BrowserAction, **how: Any) -> PerformedAction:
        """See BrowserSession."""
        with self._screencast.unseen() if isinstance(action, TypeSecret) else nullcontext():
            return await super().act(action, **how)

    async def watch(self, after: int, wait_s: float, gap_s: float) -> LiveFrame | str:
        """See BrowserSession."""
        return await self.run_unless_lost(self._screencast.next_frame(after, wait_s, gap_s))

    async def take_step_picture(self) -> Capture | None:
        """See BrowserSession."""
        return await self.run_unless_lost(take_view(self))

    async def fetch(self, request: ApiRequest) -> ApiResponse | FetchRefused:
        """See BrowserSession."""
        assert self.guard is not None
        assert self.vault is not None
        began_s = time.perf_counter()
        try:
            return await fetch_response(request, self.guard, self.vault)
        finally:
            self._spent_s = time.perf_counter() - began_s

    async def restore(self, asked: RestoreRequest) -> RestoredPage | RestoreRefused:
        """See BrowserSession."""
        return await self.run_unless_lost(restore_page(self, self._browser_folder, asked))

    async def close(self) -> None:
        self.pace.end()
        self._watch.remove(self)
        await self._screencast.close()
        try:
            await super().close()
        finally:
            if self._on_closed is not None:
                self._on_closed()
                self._on_closed = None

    def _record_response(self, response: Response) -> None:
        if is_document(response.request):
            self.pace.record_answer(response.url, response.status, response.headers.get("retry-after"))

    def _record_failure(self, request: Request) -> None:
        if is_document(request):
            self.pace.record_answer(request.url, None)


def is_document(request: Request) -> bool:
    """Return whether the request is for the document of a tab; frames are loaded along with it."""
    if not request.is_navigation_request():
        return False
    frame = frame_of(request)
    return frame is None or frame.parent_frame is None


async def load_login_state(context: BrowserContext, login: LoginState) -> None:
    """Set recorded cookies and storage in an unused context: those for the hosts of the login state only."""
    state: Any = state_for(json.loads(await asyncio.to_thread(login.path.read_bytes)), login.hosts)
    try:
        if not state["origins"]:
            # Setting a whole state takes a page and tens of milliseconds; most states have only cookies.
            await context.add_cookies(state["cookies"])
        else:
            await context.set_storage_state(state)
    except Error as error:
        if any(words in error.message for words in DEAD):
            raise
        told = f"the login state {login.name!r} could not be loaded ({first_line(error.message)}); record it again"
        raise PermanentError(told, code="no_auth_profile") from error


def pace_limits(asked: Politeness, ours: politeness.PaceLimits) -> politeness.PaceLimits:
    """Return the limits of the lease, completed by those of the settings."""
    return politeness.PaceLimits(
        ours.interval_s if asked.interval_s is None else asked.interval_s,
        ours.max_in_flight if asked.max_in_flight is None else asked.max_in_flight,
    )
