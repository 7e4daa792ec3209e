"""Leasing a browser session: waits while none is free, and gives it back whatever happens."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from services.planner.deps import Deps
from shared.bus.session_heartbeat import kept
from shared.contracts.browser_pool import (
    LeaseReply,
    LeaseSession,
    NoSessionFree,
    ProfilePaused,
    ReleaseSession,
    SessionLeased,
)
from shared.errors import ExhibitError, TransientError, Unavailable
from shared.subjects import LEASE, RELEASE

log = logging.getLogger(__name__)

MIN_PAUSE_S, MAX_PAUSE_S = 0.02, 1.0
"""The first pause is short, for a session often becomes free at just this moment; each next one is twice as long."""
RETRY_AFTER_S = 5.0
LEASE_TIMEOUT_S = 15.0


@dataclass
class Hold:
    """``login_wall``: what the page said, where the session's login state no longer opened the door."""

    session: SessionLeased
    login_wall: str = ""


@asynccontextmanager
async def leased(request: LeaseSession, deps: Deps) -> AsyncGenerator[Hold | ProfilePaused]:
    """A session for as long as the block runs, or why there is none to be had with its login state. Raises Unavailable
    where none becomes free within the bound."""
    reply = await _lease(request, deps)
    if isinstance(reply, ProfilePaused):
        yield reply
        return
    hold = Hold(reply)
    try:
        async with kept(deps.asks, reply, deps.keep_every_s):
            yield hold
    finally:
        await _release(hold, deps)


async def _lease(request: LeaseSession, deps: Deps) -> SessionLeased | ProfilePaused:
    waited_s, least_s = 0.0, MIN_PAUSE_S
    while True:
        reply = await _ask(request, deps)
        if not isinstance(reply, NoSessionFree):
            return reply
        if waited_s >= deps.lease_bound_s:
            raise Unavailable(
                f"no browser session became free within {deps.lease_bound_s:g} s; is a browser pool running?",
                code="no_session",
                retry_after_s=RETRY_AFTER_S,
            )
        pause_s = min(max(reply.retry_after_s, least_s), MAX_PAUSE_S)
        least_s = min(2 * least_s, MAX_PAUSE_S)
        await deps.wait(pause_s)
        waited_s += pause_s


async def _ask(request: LeaseSession, deps: Deps) -> LeaseReply:
    try:
        return await deps.asks.ask(LEASE, request, timeout_s=LEASE_TIMEOUT_S)
    except TransientError as exc:
        if exc.code not in ("no_responders", "deadline_exceeded"):
            raise
        # Pools that are full do not listen: that nobody answers is the same as that nothing is free. A pool that
        # died with our question in its hands never answers; a lease it may have given ends by itself.
        return NoSessionFree(retry_after_s=0.0)


async def _release(hold: Hold, deps: Deps) -> None:
    """A session that cannot be given back (its pool is gone) is no reason to do the sample again; it times out."""
    try:
        give_back = ReleaseSession(
            session_id=hold.session.session_id, instance_id=hold.session.instance_id, login_wall=hold.login_wall
        )
        await deps.asks.ask(RELEASE, give_back, timeout_s=15.0)
    except ExhibitError as exc:
        log.info("session %s was not released: %s: %s", hold.session.session_id, exc.code, exc)
