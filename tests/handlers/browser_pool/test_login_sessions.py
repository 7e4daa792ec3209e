"""How many sessions use a login state at a time: counted over all pools, and freed by release, failure or expiry."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from services.browser_pool import handlers
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.deps import BrowserPoolDeps
from services.browser_pool.sessions import Sessions
from shared.contracts.browser_pool import KeepSession, LeaseSession, NoSessionFree, ReleaseSession, SessionLeased
from shared.errors import Unavailable
from shared.testing.bus import MemoryBus
from tests.handlers.browser_pool.fake_browser import FakeBrowser

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
ASKED = LeaseSession(run_id="run_1", sample_id="s1", ttl_s=30, auth_profile="desk", auth_concurrency=2)
IN_USE = NoSessionFree(retry_after_s=handlers.IN_USE_RETRY_S, auth_profile="desk")


class Pools:
    """Two pools on one bus, with one clock."""

    def __init__(self, logins: LoginFolder) -> None:
        self.bus, self.now = MemoryBus(), NOON
        self.browsers = FakeBrowser(), FakeBrowser()
        self.deps = [
            BrowserPoolDeps(
                Sessions(4, browser, self.bus, lambda: 0.0), self.bus, f"pool{n}",
                iter([f"p{n}s{at}" for at in range(50)]).__next__, lambda: self.now, self.bus, logins,
            )
            for n, browser in enumerate(self.browsers)
        ]  # fmt: skip

    async def lease(self, pool: int, request: LeaseSession = ASKED) -> str:
        """Return the id of the session; empty: the login state is in use."""
        reply = await handlers.lease(request, self.deps[pool])
        if isinstance(reply, SessionLeased):
            return reply.session_id
        assert reply == IN_USE
        return ""

    async def release(self, pool: int, session_id: str) -> None:
        await handlers.release(ReleaseSession(session_id=session_id, instance_id=f"pool{pool}"), self.deps[pool])


@pytest.fixture
async def pools(tmp_path: Path) -> Pools:
    logins = LoginFolder(tmp_path / "auth", tmp_path / "evidence")
    for name in ("desk", "other"):
        await logins.save(name, {"cookies": [{"name": "session", "value": "s3cret"}], "origins": []})
    return Pools(logins)


async def test_a_login_state_is_used_by_so_many_sessions_of_all_pools(pools: Pools) -> None:
    first, second = await pools.lease(0), await pools.lease(1)
    assert first
    assert second
    assert [await pools.lease(0), await pools.lease(1)] == ["", ""]
    other = LeaseSession(run_id="run_1", sample_id="s1", auth_profile="other", auth_concurrency=1)
    assert await pools.lease(0, other), "another login state has a limit of its own"
    assert await pools.lease(0, LeaseSession(run_id="run_1", sample_id="s1")), "no login state, no limit"
    await pools.release(1, second)
    await pools.release(1, second)
    assert await pools.lease(0)
    assert await pools.lease(1) == ""


async def test_a_session_that_is_kept_counts_and_that_of_a_dead_pool_expires(pools: Pools) -> None:
    first, second = await pools.lease(0), await pools.lease(1)
    pools.now += timedelta(seconds=20)
    await handlers.heartbeat(KeepSession(session_id=first, instance_id="pool0"), pools.deps[0])
    pools.now += timedelta(seconds=20)
    assert await pools.lease(0), "nobody renewed the session of the other pool"
    assert second
    assert await pools.lease(0) == ""


async def test_a_lease_that_fails_is_not_counted(pools: Pools) -> None:
    one = LeaseSession(run_id="run_1", sample_id="s1", auth_profile="desk", auth_concurrency=1)
    pools.browsers[0].broken = True
    with pytest.raises(Unavailable):
        await handlers.lease(one, pools.deps[0])
    assert await pools.lease(1, one)
