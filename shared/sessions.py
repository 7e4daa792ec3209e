"""Leasing a browser session: waiting while none is free, the heartbeat while it is held, and its release."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import msgspec

from shared.aio import run_alongside
from shared.bus.ports import Asks
from shared.contracts.browser_pool import (
    KeepSession,
    LeaseReply,
    LeaseSession,
    NoSessionFree,
    ProfilePaused,
    ReleaseSession,
    SessionLeased,
)
from shared.errors import ExhibitError, TransientError, Unavailable
from shared.subjects import HEARTBEAT, LEASE, RELEASE

log = logging.getLogger(__name__)

SESSION_TTL_S = 30.0
"""What `lease_session` asks for: two heartbeats may be lost. The default of `LeaseSession.ttl_s` is for callers without
a heartbeat."""
HEARTBEAT_EVERY_S = 10.0
HEARTBEAT_TIMEOUT_S = 5.0
LEASE_TIMEOUT_S = 15.0
RELEASE_TIMEOUT_S = 15.0
MIN_PAUSE_S, MAX_PAUSE_S = 0.02, 1.0
"""Between two requests. The first pause is short, for a session is often free a moment later; each is twice as long."""
RETRY_AFTER_S = 5.0


@dataclass
class ActiveLease:
    """A session that is held. Set ``login_wall`` to the page's words where the login state was not accepted."""

    session: SessionLeased
    login_wall: str = ""


@asynccontextmanager
async def lease_session(
    asks: Asks,
    request: LeaseSession,
    *,
    wait_bound_s: float,
    heartbeat_every_s: float = HEARTBEAT_EVERY_S,
    lease_timeout_s: float = LEASE_TIMEOUT_S,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> AsyncGenerator[ActiveLease | ProfilePaused]:
    """Hold a session within the block, or say why its login state opens none.

    While the block runs the session does not expire, however long it is not used. It is released whatever happens.

    Args:
        request: what the session may do; its ``ttl_s`` is replaced by :data:`SESSION_TTL_S`.
        wait_bound_s: the longest wait for a session to become free. The wait for other sessions of the same login
            state does not count: they are at work, and those of a dead pool expire.
        lease_timeout_s: the longest wait for the answer to one request; it may have to start a browser.

    Raises:
        Unavailable: no session became free in time (code ``no_session``).
    """
    request = msgspec.structs.replace(request, ttl_s=SESSION_TTL_S)
    reply = await _lease(asks, request, wait_bound_s, lease_timeout_s, sleep)
    if isinstance(reply, ProfilePaused):
        yield reply
        return
    lease = ActiveLease(reply)
    try:
        async with run_alongside(_send_heartbeats(asks, reply, heartbeat_every_s)):
            yield lease
    finally:
        await _release(asks, lease)


async def _lease(
    asks: Asks,
    request: LeaseSession,
    wait_bound_s: float,
    lease_timeout_s: float,
    sleep: Callable[[float], Awaitable[object]],
) -> SessionLeased | ProfilePaused:
    waited_s, least_s = 0.0, MIN_PAUSE_S
    while True:
        reply, took_s = await _request_lease(asks, request, lease_timeout_s)
        if not isinstance(reply, NoSessionFree):
            return reply
        in_use = bool(reply.auth_profile)
        waited_s += took_s
        if not in_use and waited_s >= wait_bound_s:
            raise Unavailable(
                f"no browser session became free within {wait_bound_s:g} s; is a browser pool running?",
                code="no_session",
                retry_after_s=RETRY_AFTER_S,
            )
        pause_s = min(max(reply.retry_after_s, least_s), MAX_PAUSE_S)
        least_s = min(2 * least_s, MAX_PAUSE_S)
        await sleep(pause_s)
        waited_s += 0.0 if in_use else pause_s


async def _request_lease(asks: Asks, request: LeaseSession, timeout_s: float) -> tuple[LeaseReply, float]:
    """Return the reply, and the seconds that were lost on a pool that did not answer."""
    try:
        return await asks.ask(LEASE, request, timeout_s=timeout_s), 0.0
    except TransientError as exc:
        if exc.code == "deadline_exceeded":
            # The pool has died with the request, or is stuck; a lease that it may have given expires.
            return NoSessionFree(retry_after_s=0.0), timeout_s
        if exc.code in ("no_responders", "bus_lost"):
            # A full pool does not listen, so the first means that no session is free; a lost lease expires too.
            return NoSessionFree(retry_after_s=0.0), 0.0
        raise


async def _send_heartbeats(asks: Asks, session: SessionLeased, every_s: float) -> None:
    request = KeepSession(session_id=session.session_id, instance_id=session.instance_id)
    while True:
        await asyncio.sleep(every_s)
        try:
            await asks.ask(HEARTBEAT, request, timeout_s=HEARTBEAT_TIMEOUT_S)
        except ExhibitError as exc:
            # The next request to the session fails in the same way, and its caller decides what to do.
            log.info("session %s could not be kept: %s: %s", session.session_id, exc.code, exc)


async def _release(asks: Asks, lease: ActiveLease) -> None:
    """Release the session. A failure is only logged: its pool is gone, or the session expires there."""
    session_id = lease.session.session_id
    request = ReleaseSession(session_id=session_id, instance_id=lease.session.instance_id, login_wall=lease.login_wall)
    try:
        await asks.ask(RELEASE, request, timeout_s=RELEASE_TIMEOUT_S)
    except ExhibitError as exc:
        log.info("session %s was not released: %s: %s", session_id, exc.code, exc)
