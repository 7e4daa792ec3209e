"""Logins that people record on the pages: each a session of the browser pool that is held until it is over."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from services.console.login_recording import LoginRecorded, record_login
from services.console.web.pointing.page_looks import PageLook, look_again
from shared.aio import wait_for_first
from shared.contracts.actions import BrowserAction, Goto
from shared.contracts.browser_pool import PageObserved, ProfilePaused
from shared.errors import ExhibitError, PermanentError, RateLimited
from shared.host.connections import LEASE_TIMEOUT_S, LEASE_WAIT_S, ManualSession, ManualSessionTerms, SessionBus
from shared.hosts import browser_form
from shared.sessions import lease_session

MOST_OPEN, MOST_OF_ONE = 4, 2
"""Sessions that one server holds at a time, in all and of one person: a pool has few."""
IDLE_S = 600.0
"""After which a session that nobody uses is given back."""
ENDED = "this login is over: it was left alone for ten minutes, or its browser is gone"
OTHER_PAGE = "the page was another one by then: look at it as it is now, and fill it in again"
TAKEN = "one of this name is recorded: choose another name, or say that it is to be replaced"


@dataclass
class OpenLogin:
    """A login that is being recorded by ``person`` as ``name``. ``terms``: where it begins, and what its session may
    do; ``replaces``: one that is recorded under the name goes; ``look``: the page as it was after the last act;
    ``problem``: why the last act was not done."""

    login_id: str
    person: str
    name: str
    terms: ManualSessionTerms
    replaces: bool = False
    look: PageLook | None = None
    problem: str = ""
    _session: ManualSession | None = field(default=None, repr=False)
    _acting: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)
    _used: asyncio.Event = field(default_factory=asyncio.Event, repr=False)
    _over: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    async def hold(self, bus: SessionBus, opened: asyncio.Future[None], idle_s: float) -> None:
        """Hold a session until `leave`, or until nobody has used it for ``idle_s`` seconds. ``opened``: is done once it
        is there, with the error where it cannot be had."""
        why: ExhibitError = PermanentError(ENDED)
        try:
            async with lease_session(
                bus, self.terms.lease(), wait_bound_s=LEASE_WAIT_S, lease_timeout_s=LEASE_TIMEOUT_S
            ) as lease:
                if isinstance(lease, ProfilePaused):
                    raise PermanentError(lease.reason, code="login_required")
                self._session = ManualSession(bus, lease.session)
                if not opened.done():
                    opened.set_result(None)
                await self._wait_for_end(idle_s)
        except ExhibitError as exc:
            why = exc
        finally:
            self._session = None
            if not opened.done():
                opened.set_exception(why)

    async def _wait_for_end(self, idle_s: float) -> None:
        while not self._over.is_set():
            self._used.clear()
            await wait_for_first(self._over.wait(), self._used.wait(), timeout_s=idle_s)
            if not self._used.is_set() and not self._acting.locked():
                return

    @property
    def is_held(self) -> bool:
        return self._session is not None

    def leave(self) -> None:
        """Give the session back."""
        self._over.set()

    async def open(self, url: str) -> None:
        """Open an address, and look at its page."""
        await self.act(lambda _: [Goto(url=browser_form(url), reason="to sign in")])

    async def act(
        self, actions_on: Callable[[PageObserved | None], Iterable[BrowserAction]], of_page: str | None = None
    ) -> None:
        """Act one after the other, up to the first action that fails, and look at the page again.

        Args:
            actions_on: returns what is done on the page that was looked at last.
            of_page: the snapshot that was shown; on another one nothing is done, and `problem` says so.

        Raises PermanentError where the session is gone, and what ``actions_on`` raises.
        """
        async with self._acting:
            session, self.problem = self._held(), ""
            page = self.look.page if self.look is not None else None
            if of_page is not None and (page is None or page.snapshot_id != of_page):
                self.problem = OTHER_PAGE
                return
            for action in actions_on(page):
                done = await session.act(action)
                if not done.ok:
                    self.problem = done.message
                    break
            self.look = await look_again(session)
            self._used.set()

    async def record(self, is_taken: Callable[[], bool]) -> bool:
        """Record the login state, and give the session back; return whether that was done. Else `problem` says why not,
        and the session is held on.

        ``is_taken``: whether the name is, by a login state that is not to be replaced. Raises PermanentError where the
        session is gone.
        """
        async with self._acting:
            session, self.problem = self._held(), ""
            if is_taken():
                self.problem = TAKEN
                return False
            told = await record_login(session, self.name)
            if isinstance(told, LoginRecorded):
                self.leave()
                return True
            self.problem = told.why
            return False

    def _held(self) -> ManualSession:
        self._used.set()
        if self._session is None or self._over.is_set():
            raise PermanentError(ENDED)
        return self._session


@dataclass
class OpenLogins:
    """Those of a server."""

    idle_s: float = IDLE_S
    _logins: dict[str, OpenLogin] = field(default_factory=dict[str, OpenLogin])
    _holding: dict[str, asyncio.Task[None]] = field(default_factory=dict[str, asyncio.Task[None]])

    def get(self, login_id: str, person: str) -> OpenLogin | None:
        """Return one of this person."""
        found = self._logins.get(login_id)
        return found if found is not None and found.person == person else None

    def of(self, person: str) -> tuple[OpenLogin, ...]:
        """Return those of this person."""
        return tuple(one for one in self._logins.values() if one.person == person)

    async def begin(
        self, bus: SessionBus, person: str, name: str, terms: ManualSessionTerms, *, replaces: bool = False
    ) -> OpenLogin:
        """Open the address of the terms in a session that is held.

        Raises:
            RateLimited: as many are open as may be.
            PermanentError: one of this name is open.
            ExhibitError: the pool does not answer, or has no free session.
        """
        if len(self._logins) >= MOST_OPEN or len(self.of(person)) >= MOST_OF_ONE:
            raise RateLimited("as many logins are being recorded as may be: end one first")
        if any(one.name == name for one in self._logins.values()):
            raise PermanentError(f"a login is being recorded as {name} already: choose another name")
        login = OpenLogin(secrets.token_urlsafe(9), person, name, terms, replaces)
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._logins[login.login_id] = login
        task = self._holding[login.login_id] = asyncio.create_task(login.hold(bus, opened, self.idle_s))
        task.add_done_callback(lambda _: self._forget(login.login_id))
        try:
            await opened
            await login.open(terms.url)
        except BaseException:
            login.leave()
            raise
        return login

    async def end(self, login: OpenLogin) -> None:
        """Give its session back."""
        login.leave()
        if task := self._holding.get(login.login_id):
            await asyncio.wait({task})

    async def aclose(self) -> None:
        """Give all sessions back. One that is still being asked for expires in the pool."""
        for login_id, login in self._logins.items():
            login.leave()
            if not login.is_held:
                self._holding[login_id].cancel()
        if self._holding:
            await asyncio.wait([*self._holding.values()])

    def _forget(self, login_id: str) -> None:
        self._logins.pop(login_id, None)
        task = self._holding.pop(login_id, None)
        if task is not None and not task.cancelled():
            task.exception()  # its pool is gone: the next act says so
