"""The live sessions of this process: their leases, their locks, and the gate for new leases."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from services.browser_pool import leases
from services.browser_pool.leases import Leases
from services.browser_pool.login_states import LoginState
from services.browser_pool.ports import BrowserPort, BrowserSession, Gate, SessionTerms
from shared.aio import BackgroundTasks
from shared.contracts.browser_pool import LeaseSession
from shared.errors import Unavailable
from shared.subjects import LEASE, WATCH_SAMPLE
from shared.telemetry.metrics import record_sessions

log = logging.getLogger(__name__)

CLOSE_BOUND_S = 5.0


@dataclass
class HeldSession:
    """A leased session. ``login`` is its login state. The lock serialises actions, whose effects could not be told
    apart otherwise."""

    session: BrowserSession
    run_id: str
    sample_id: str
    login: LoginState | None = None
    ttl_s: float = 0.0
    """As asked for: how long it stays without use or heartbeat."""
    limited: bool = False
    """Whether it counts among the sessions of its login state."""
    allowed_hosts: tuple[str, ...] = ()
    """As asked for."""
    guarded: bool = False
    """Whether presses are withheld that may change the site and that the task does not name."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Sessions:
    """Leases sessions and closes expired ones. ``now_s`` is a monotonic clock, ``has_memory`` tells whether another
    session fits."""

    def __init__(
        self,
        capacity: int,
        browser: BrowserPort,
        gate: Gate,
        now_s: Callable[[], float],
        has_memory: Callable[[], bool] = lambda: True,
    ) -> None:
        self.leases = Leases(capacity)
        self.held: dict[str, HeldSession] = {}
        self.browser = browser
        self._gate = gate
        self._now_s, self._has_memory = now_s, has_memory
        self._door = asyncio.Lock()
        self._open = True
        self._closing = BackgroundTasks()

    async def lease(
        self, session_id: str, request: LeaseSession, login: LoginState | None = None
    ) -> HeldSession | None:
        """Return a session on a fresh context, or None when there is no room."""
        self._check_memory()
        # Reserved before the first await: two requests cannot both get the last place.
        reserved = leases.take(self.leases, session_id, ttl_s=request.ttl_s, max_s=request.max_s, now_s=self._now_s())
        if reserved is None:
            await self._update_gate()
            return None
        self.leases = reserved
        try:
            await self._update_gate()
            session = await self.browser.open_session(terms_of(request))
        except BaseException:
            await self._forget(session_id)
            raise
        held = self.held[session_id] = HeldSession(
            session,
            request.run_id,
            request.sample_id,
            login,
            request.ttl_s,
            request.auth_concurrency > 0,
            request.allowed_hosts,
            request.guarded,
        )
        self.leases = leases.touch(self.leases, session_id, now_s=self._now_s())
        self._gate.take_seat(WATCH_SAMPLE, held.run_id, held.sample_id)
        return held

    def of_sample(self, run_id: str, sample_id: str) -> tuple[str, HeldSession]:
        """Return the latest session of a sample, with its id. Raises as `using` does."""
        for session_id, held in reversed(self.held.items()):
            if (held.run_id, held.sample_id) == (run_id, sample_id):
                return session_id, held
        raise Unavailable("the browser session of this sample has ended", code="session_lost")

    def renew(self, session_id: str) -> HeldSession:
        """Renew the lease. Raises as `using` does."""
        held = self._known(session_id)
        self.leases = leases.touch(self.leases, session_id, now_s=self._now_s())
        return held

    @asynccontextmanager
    async def using(self, session_id: str) -> AsyncGenerator[HeldSession]:
        """Yield the session with its lock held. Raises Unavailable (``session_lost``) when it is unknown, expired or
        dead."""
        held = self._known(session_id)
        async with held.lock:
            self._known(session_id)  # it may have ended while this caller waited for the lock
            self.leases = leases.touch(self.leases, session_id, now_s=self._now_s())
            try:
                yield held
            finally:
                self.leases = leases.touch(self.leases, session_id, now_s=self._now_s())
                if held.session.lost:
                    await self.end(session_id)

    def _known(self, session_id: str) -> HeldSession:
        held = self.held.get(session_id)
        if held is None:
            raise Unavailable("this browser session has ended; lease a new one", code="session_lost")
        return held

    async def end(self, session_id: str) -> HeldSession | None:
        """Free the lease at once and close the context in the background, which takes tens of milliseconds. Return the
        session, or None when it is unknown."""
        held = self.held.pop(session_id, None)
        if held is not None:
            self._gate.leave_seat(WATCH_SAMPLE, held.run_id, held.sample_id)
            self._closing.start(_close(held.session))
        await self._forget(session_id)
        return held

    async def expire(self) -> None:
        """End the sessions whose time is over, and update the memory check."""
        busy = frozenset(key for key, held in self.held.items() if held.lock.locked())
        opening = frozenset(self.leases.held) - frozenset(self.held)
        now_s = self._now_s()
        for session_id in leases.expired(self.leases, now_s=now_s, busy=busy | opening):
            log.warning("session %s was neither used nor kept for its whole lease and is closed", session_id)
            await self.end(session_id)
        for session_id in leases.overdue(self.leases, now_s=now_s, opening=opening):
            log.warning("session %s was held for as long as any may be and is closed", session_id)
            await self.end(session_id)
        await self._update_gate()

    def _check_memory(self) -> None:
        short = not self._has_memory()
        if short != self.leases.short_of_memory:
            log.warning("too little memory for more sessions" if short else "there is memory for more sessions again")
            self.leases = replace(self.leases, short_of_memory=short)

    async def close(self) -> None:
        """End all sessions and wait until they are closed."""
        await asyncio.gather(*(self.end(session_id) for session_id in tuple(self.held)), return_exceptions=True)
        await self.drain()

    async def drain(self) -> None:
        """Wait until every ended session is closed."""
        await self._closing.drain()

    async def _forget(self, session_id: str) -> None:
        self.leases = leases.release(self.leases, session_id)
        await self._update_gate()

    async def _update_gate(self) -> None:
        self._check_memory()
        taken = len(self.leases.held)
        self._gate.tell_use("sessions", taken, self.leases.capacity)
        record_sessions(taken, self.leases.capacity - taken, full=leases.is_full(self.leases))
        # The lock keeps the updates in order: a slow "close" must not follow a later "open".
        async with self._door:
            wanted = not leases.is_full(self.leases)
            if wanted != self._open:
                await self._gate.set_open(LEASE, wanted)
                self._open = wanted


def terms_of(request: LeaseSession) -> SessionTerms:
    return SessionTerms(
        auth_profile=request.auth_profile,
        allowed_hosts=request.allowed_hosts,
        private_hosts=request.private_hosts,
        secrets=request.secrets,
        politeness=request.politeness,
    )


async def _close(session: BrowserSession) -> None:
    try:
        async with asyncio.timeout(CLOSE_BOUND_S):
            await session.close()
    except TimeoutError:
        log.warning("a browser context did not close within %g s; it ends with its browser", CLOSE_BOUND_S)
