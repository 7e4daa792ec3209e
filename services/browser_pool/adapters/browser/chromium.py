"""Which browser a session is opened on: contexts kept warm, browsers replaced in time, and after they have died."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Error, Request, Response

from services.browser_pool.adapters.actions.perform import perform
from services.browser_pool.adapters.archive.page_archive import keep_page
from services.browser_pool.adapters.archive.restore import restored
from services.browser_pool.adapters.browser.launch import Started, Warm, start
from services.browser_pool.adapters.gone import unless_gone
from services.browser_pool.adapters.guard.interception import guarded
from services.browser_pool.adapters.guard.pacing import Pacing, SessionPace
from services.browser_pool.adapters.guard.secrets import SecretStore, opened
from services.browser_pool.adapters.network import frame_of
from services.browser_pool.adapters.session import Limits, PageSession
from services.browser_pool.login_states import Logins, LoginState
from services.browser_pool.page.matching import first_line
from services.browser_pool.page.model import RawPage
from services.browser_pool.ports import NOTHING, NotKept, NotRestored, PageKept, Restoring, Terms, Wanted
from services.browser_pool.safety import politeness
from shared.aio import BackgroundTasks
from shared.contracts.browser_pool import Politeness
from shared.errors import PermanentError, Unavailable

log = logging.getLogger(__name__)

DEAD = ("has been closed", "Connection closed", "Target crashed")
TRIES = 3
"""A browser that dies while a session is opened on it costs no lease."""


@dataclass(frozen=True)
class Upkeep:
    """``spares``: contexts kept warm. A browser is replaced after ``max_leases`` sessions, or above ``memory_mb``."""

    spares: int = 1
    max_leases: int = 500
    memory_mb: float = float("inf")


class Chromium:
    """The browser for new sessions, and those before it that still have some. ``chromium`` is the one to use, where
    somebody said so; ``headed`` opens it with a window."""

    def __init__(
        self,
        *,
        chromium: Path | None,
        logins: Logins,
        limits: Limits,
        pacing: Pacing | None = None,
        polite: politeness.Limits | None = None,
        upkeep: Upkeep | None = None,
        headed: bool = False,
        secrets: SecretStore | None = None,
    ) -> None:
        self._secrets = secrets or SecretStore(None)
        self._chosen, self._headed = chromium, headed
        self._logins = logins
        self._limits = limits
        self._pacing = pacing or Pacing(None, time.time)
        self._polite = polite or politeness.Limits()
        self._upkeep = upkeep or Upkeep()
        self._current: Started | None = None
        self._retired: list[Started] = []
        self._opening = 0
        self._closed = False
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

    async def open_session(self, terms: Terms) -> PoolSession:
        login = None if terms.auth_profile is None else await self._logins.find(terms.auth_profile)
        self._opening += 1
        try:
            return await self._opened(terms, login)
        finally:
            self._opening -= 1
            self._refill()

    async def _opened(self, terms: Terms, login: LoginState | None) -> PoolSession:
        said = ""
        for _ in range(TRIES):
            started = await self._running()
            started.leases += 1
            started.live += 1
            try:
                warm = started.spare() or await started.fresh()
                if login is not None:
                    await log_in(warm.context, login)
                session = self._session(started, warm, terms)
                session.vault = await opened(warm.context, self._secrets, terms.secrets)
                session.guard = await guarded(started.browser, warm.context, warm.page, terms, session.pace)
                return session
            except (Error, Unavailable) as error:
                # What is said of a dead browser and of a dead driver is the same; another one answers for both. Should
                # sessions live on there all the same, they may.
                started.live -= 1
                said = first_line(str(error))
                self._drop(started)
            except BaseException:
                started.live -= 1
                raise
        raise Unavailable(f"no page could be opened: {said}", code="no_browser")

    def _drop(self, started: Started) -> None:
        if started is self._current:
            self._current = None
            self._retire(started)

    def _session(self, started: Started, warm: Warm, terms: Terms) -> PoolSession:
        pace = SessionPace(self._pacing, limits_of(terms.politeness, self._polite), uuid.uuid4().hex[:16])

        def ended() -> None:
            started.live -= 1

        return PoolSession(started, warm, self._limits, pace, ended)

    async def _running(self) -> Started:
        async with self._starting:
            if self._closed:
                raise Unavailable("this browser pool ends", code="no_browser")
            if self._current is not None and not self._current.dead:
                return self._current
            if self._current is not None:
                self._drop(self._current)
            self._current = await start(self._chosen, headed=self._headed)
            return self._current

    # --- spares

    def warm_up(self) -> None:
        """Starts browser and first contexts in the background; what goes wrong is told to the first lease."""
        self._refill()

    async def warmed(self) -> list[Warm]:
        """The contexts that are kept warm, once there are as many as there should be, or no more can be made."""
        if self._refilling is not None:
            await asyncio.shield(self._refilling)
        return [] if self._current is None else list(self._current.spares)

    def _refill(self) -> None:
        if self._refilling is None or self._refilling.done():
            self._refilling = self._background.start(self._refilled())

    async def _refilled(self) -> None:
        """One at a time, and not while a lease is being opened: whoever waits comes first."""
        try:
            while not self._opening:
                started = await self._running()
                if len(started.spares) >= self._upkeep.spares:
                    return
                started.spares.append(await started.fresh())
        except (Error, Unavailable) as error:
            # What failed here fails again, with its message, at the lease that asks for it.
            log.info("no context could be kept warm: %s", error)

    # --- replacing browsers

    async def tend(self) -> None:
        """Called now and then: closes browsers that are no longer needed, and replaces one that has served enough."""
        for started in tuple(self._retired):
            if started.dead or started.live <= 0:
                self._retired.remove(started)
                self._background.start(started.close())
        self._refill()
        current = self._current
        # Never more than two: a memory bound that cannot be kept must not fill the memory with browsers.
        if current is None or current.dead or self._retired or not (self._replacing is None or self._replacing.done()):
            return
        why = await self._worn(current)
        if why and current is self._current:
            log.info("the browser is replaced: %s", why)
            self._replacing = self._background.start(self._replaced(current))

    async def _worn(self, started: Started) -> str:
        if started.leases >= self._upkeep.max_leases:
            return f"it has served {started.leases} sessions"
        memory_mb = await started.memory_mb()
        # One that has served nobody yet would be followed by one just as large.
        if memory_mb > self._upkeep.memory_mb and started.leases:
            return f"it takes {memory_mb:.0f} MB"
        return ""

    async def _replaced(self, old: Started) -> None:
        """Leases go on on the old browser until the new one has contexts to give."""
        try:
            fresh = await start(self._chosen, headed=self._headed)
        except Unavailable as error:
            log.warning("the browser could not be replaced, and is used on: %s", error)
            return
        try:
            for _ in range(self._upkeep.spares):
                fresh.spares.append(await fresh.fresh())
        except (Error, Unavailable) as error:
            log.info("no context could be kept warm: %s", error)
        async with self._starting:
            if self._current is not old:  # it died meanwhile, and a lease has started another
                self._retire(fresh)
                return
            self._current = fresh
            self._retire(old)

    def _retire(self, started: Started) -> None:
        """No new session goes there; `tend` closes it when its last one has ended."""
        started.spares.clear()
        self._retired.append(started)

    # --- the end

    async def close(self) -> None:
        """Ends all browsers and drivers, whatever is still open on them."""
        self._closed = True
        for task in (self._refilling, self._replacing):
            if task is not None:
                task.cancel()
        await self._background.drain()
        every = [*self._retired, *([self._current] if self._current else [])]
        self._retired, self._current = [], None
        await asyncio.gather(*(started.close() for started in every))


class PoolSession(PageSession):
    """A session that tells its pace what its documents were answered, and the pool when it has ended."""

    def __init__(
        self, started: Started, warm: Warm, limits: Limits, pace: SessionPace, ended: Callable[[], None]
    ) -> None:
        super().__init__(started.browser, warm.context, warm.page, limits, perform, pace)
        self._ended: Callable[[], None] | None = ended
        self._nest = started.folder
        warm.context.on("response", self._answered)
        warm.context.on("requestfailed", self._failed)

    async def login_state(self) -> dict[str, Any]:
        """See BrowserSession."""
        try:
            return dict(await self.tabs.context.storage_state(indexed_db=True))
        except Error as error:
            self.tabs.raise_if_lost(error)
            raise Unavailable(f"the login state could not be read: {first_line(error.message)}") from error

    async def capture(self, known: Sequence[str] = (), wanted: Wanted = NOTHING) -> PageKept | NotKept:
        """See BrowserSession."""
        self._spent_s = 0.0
        self.tabs.follow()
        return await unless_gone(keep_page(self, known, wanted), self.tabs.gone)

    async def restore(self, asked: Restoring) -> RawPage | NotRestored:
        """See BrowserSession."""
        return await unless_gone(restored(self, self._nest, asked), self.tabs.gone)

    async def close(self) -> None:
        self.pace.end()
        try:
            await super().close()
        finally:
            if self._ended is not None:
                self._ended()
                self._ended = None

    def _answered(self, response: Response) -> None:
        if is_document(response.request):
            self.pace.answered(response.url, response.status, response.headers.get("retry-after"))

    def _failed(self, request: Request) -> None:
        if is_document(request):
            self.pace.answered(request.url, None)


def is_document(request: Request) -> bool:
    """Of a tab: what a page shows in its frames is asked for along with it."""
    if not request.is_navigation_request():
        return False
    frame = frame_of(request)
    return frame is None or frame.parent_frame is None


async def log_in(context: BrowserContext, login: LoginState) -> None:
    """Gives a context that nobody has used the cookies and the storage that were recorded."""
    state: Any = json.loads(await asyncio.to_thread(login.path.read_bytes))
    try:
        if set(state) <= {"cookies", "origins"} and not state.get("origins"):
            # To set a whole state takes a page of its own and tens of milliseconds; mostly there are only cookies.
            await context.add_cookies(state["cookies"])
        else:
            await context.set_storage_state(state)
    except Error as error:
        if any(words in error.message for words in DEAD):
            raise
        told = f"the login state {login.name!r} could not be loaded ({first_line(error.message)}); record it again"
        raise PermanentError(told, code="no_auth_profile") from error


def limits_of(asked: Politeness, ours: politeness.Limits) -> politeness.Limits:
    """What the lease asks for; what it leaves open, by our settings."""
    return politeness.Limits(
        ours.interval_s if asked.interval_s is None else asked.interval_s,
        ours.max_in_flight if asked.max_in_flight is None else asked.max_in_flight,
    )
