"""A leased session: waiting for it, its heartbeat, and its release in all cases."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

import pytest

from shared.bus.actor import Actor
from shared.contracts.browser_pool import (
    KeepSession,
    LeaseReply,
    LeaseSession,
    NoSessionFree,
    ProfilePaused,
    ReleaseSession,
    SessionKept,
    SessionLeased,
    SessionReleased,
)
from shared.errors import DeadlineExceeded, ExhibitError, PermanentError, TransientError, Unavailable
from shared.sessions import SESSION_TTL_S, ActiveLease, lease_session
from shared.subjects import HEARTBEAT, LEASE, RELEASE
from shared.testing.bus import MemoryBus
from tests.raising import raises_code

REQUEST = LeaseSession(run_id="run_1", sample_id="TCK-1")
LEASED = SessionLeased(session_id="s1", instance_id="memory", browser="chromium 1")


@dataclass
class Pool:
    """``replies``: what leases are answered, in order; an error is raised."""

    replies: list[LeaseReply | ExhibitError]
    requests: list[LeaseSession] = field(default_factory=list)
    release_fails: bool = False
    keep_fails: bool = False
    released: list[ReleaseSession] = field(default_factory=list)
    beats: int = 0
    beaten: asyncio.Event = field(default_factory=asyncio.Event)
    pauses: list[float] = field(default_factory=list)

    async def sleep(self, pause_s: float) -> None:
        self.pauses.append(pause_s)


pool: Actor[Pool] = Actor("pool")


@pool.answers(LEASE)
async def lease(request: LeaseSession, deps: Pool) -> LeaseReply:
    deps.requests.append(request)
    reply = deps.replies.pop(0)
    if isinstance(reply, ExhibitError):
        raise reply
    return reply


@pool.answers(HEARTBEAT)
async def heartbeat(request: KeepSession, deps: Pool) -> SessionKept:
    deps.beats += 1
    if deps.beats > 2:
        deps.beaten.set()
    if deps.keep_fails:
        raise Unavailable("gone", code="session_lost")
    return SessionKept(session_id=request.session_id)


@pool.answers(RELEASE)
async def release(request: ReleaseSession, deps: Pool) -> SessionReleased:
    deps.released.append(request)
    if deps.release_fails:
        raise Unavailable("gone", code="session_lost")
    return SessionReleased(session_id=request.session_id)


def bus_of(deps: Pool) -> MemoryBus:
    bus = MemoryBus()
    bus.host(pool, deps)
    return bus


def leased(deps: Pool) -> AbstractAsyncContextManager[ActiveLease | ProfilePaused]:
    return lease_session(bus_of(deps), REQUEST, wait_bound_s=10.0, sleep=deps.sleep)


async def test_a_session_is_leased_and_released_with_what_was_said_of_its_login() -> None:
    deps = Pool([LEASED])
    async with leased(deps) as lease:
        assert isinstance(lease, ActiveLease)
        assert lease.session == LEASED
        lease.login_wall = "/login asks for a password"
    assert deps.released == [
        ReleaseSession(session_id="s1", instance_id="memory", login_wall="/login asks for a password")
    ]


async def test_pauses_grow_while_none_is_free_and_follow_the_pool_where_it_names_one() -> None:
    deps = Pool([*(NoSessionFree(retry_after_s=wait_s) for wait_s in (0.0, 0.0, 0.0, 0.5, 60.0)), LEASED])
    async with leased(deps):
        pass
    assert deps.pauses == [0.02, 0.04, 0.08, 0.5, 1.0]


async def test_a_pool_that_does_not_listen_is_waited_for_within_the_bound() -> None:
    deps = Pool([])
    bus = bus_of(deps)
    await bus.set_open(LEASE, False)
    with pytest.raises(Unavailable, match=r"no browser session became free within 10 s; is a browser pool running\?"):
        async with lease_session(bus, REQUEST, wait_bound_s=10.0, sleep=deps.sleep):
            pass
    assert 10.0 <= sum(deps.pauses) < 11.0


async def test_a_pool_that_does_not_answer_is_asked_again_within_the_bound() -> None:
    late = DeadlineExceeded("no answer")
    deps = Pool([late, LEASED])
    async with lease_session(bus_of(deps), REQUEST, wait_bound_s=20.0, sleep=deps.sleep) as lease:
        assert isinstance(lease, ActiveLease)
    deps = Pool([late, late, late])
    with raises_code(Unavailable, "no_session"):
        async with lease_session(bus_of(deps), REQUEST, wait_bound_s=20.0, lease_timeout_s=15.0, sleep=deps.sleep):
            pass
    assert len(deps.replies) == 1, "two timeouts are longer than the bound"


@pytest.mark.parametrize(
    "error", [PermanentError("no", code="no_auth_profile"), TransientError("no", code="no_browser")]
)
async def test_any_other_failure_is_raised_as_it_is(error: ExhibitError) -> None:
    deps = Pool([error])
    with pytest.raises(ExhibitError) as caught:
        async with leased(deps):
            pass
    assert (caught.value.code, deps.pauses, deps.released) == (error.code, [], [])


async def test_a_paused_login_state_holds_no_session() -> None:
    paused = ProfilePaused(auth_profile="desk", reason="record it again")
    deps = Pool([paused])
    async with leased(deps) as lease:
        assert lease == paused
    assert deps.released == []


async def test_heartbeats_go_on_for_as_long_as_the_block_runs_even_when_they_fail() -> None:
    deps = Pool([LEASED], keep_fails=True)
    async with lease_session(bus_of(deps), REQUEST, wait_bound_s=1.0, heartbeat_every_s=0.0):
        await asyncio.wait_for(deps.beaten.wait(), 60)
    beats = deps.beats
    for _ in range(20):
        await asyncio.sleep(0)
    assert deps.beats == beats


@pytest.mark.parametrize("release_fails", [False, True])
async def test_the_error_of_the_block_is_raised_and_the_session_released(release_fails: bool) -> None:
    deps = Pool([LEASED], release_fails=release_fails)
    with pytest.raises(KeyError):
        async with leased(deps):
            raise KeyError("mine")
    assert len(deps.released) == 1


async def test_a_session_with_a_heartbeat_is_leased_for_the_time_that_fits_it() -> None:
    deps = Pool([LEASED])
    async with leased(deps):
        pass
    (request,) = deps.requests
    assert request.ttl_s == SESSION_TTL_S != REQUEST.ttl_s


async def test_the_wait_for_other_sessions_of_a_login_state_has_no_bound():
    busy = NoSessionFree(retry_after_s=1.0, auth_profile="desk")
    deps = Pool([*[busy] * 300, LEASED])
    async with lease_session(bus_of(deps), REQUEST, wait_bound_s=5.0, sleep=deps.sleep) as lease:
        assert isinstance(lease, ActiveLease)
    assert len(deps.pauses) == 300
    full = Pool([*[busy] * 3, *[NoSessionFree(retry_after_s=1.0)] * 9])
    with pytest.raises(Unavailable):
        async with lease_session(bus_of(full), REQUEST, wait_bound_s=5.0, sleep=full.sleep):
            pass
