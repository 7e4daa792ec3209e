"""The handlers with a browser that is not there."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from services.browser_pool import handlers
from services.browser_pool.adapters.logins import LoginFolder
from services.browser_pool.deps import Deps
from services.browser_pool.page import RawItem, RawPage, Seen, Stats
from services.browser_pool.ports import Acted, Capture, Terms
from services.browser_pool.sessions import Sessions
from shared.contracts.actions import ActionResult, BrowserAction, Captured, Change, Screenshot, Scroll
from shared.contracts.browser_pool import (
    ActOnPage,
    LeaseSession,
    NoSessionFree,
    ObservePage,
    ReleaseSession,
    SessionLeased,
)
from shared.errors import Unavailable
from shared.streams import ARTIFACTS
from shared.subjects import LEASE
from shared.testing.bus import MemoryBus

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
RESULT = ActionResult(ok=True, code="ok", message="", change=Change(url_before="a", url_after="a"), effect=Captured())
ITEM = RawItem(0, "text", "hello", None, (), None, "p", None, None, None, (0, 0, 1, 1), True, False)


@dataclass
class FakeSession:
    lost: bool = False
    closed: int = 0
    done: list[str] = field(default_factory=list)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    gate: asyncio.Event | None = None
    capture: Capture | None = None
    state: dict[str, Any] = field(default_factory=lambda: {"cookies": [], "origins": []})

    async def observe(self, snapshot_id: str, **how: object) -> RawPage:
        self._check()
        seen = (Seen(1, ITEM, "main", 0, 0, True, None),)
        return RawPage("http://a.test/", "T", 200, ("text\x1f\x1fhello",), seen, frozenset(), Stats(1), 0, 0, True, 3.0)

    async def act(self, action: BrowserAction) -> Acted:
        self._check()
        self.done.append(f"start {action.reason}")
        self.started.set()
        if self.gate is not None:
            await self.gate.wait()
        self.done.append(f"end {action.reason}")
        return Acted(RESULT, (self.capture,) if self.capture else ())

    def _check(self) -> None:
        if self.lost:
            raise Unavailable("gone", code="session_lost")

    async def login_state(self) -> dict[str, Any]:
        self._check()
        return self.state

    async def close(self) -> None:
        self.closed += 1


@dataclass
class FakeBrowser:
    sessions: list[FakeSession] = field(default_factory=list)
    broken: bool = False
    name: str = "fake 1"

    async def open_session(self, terms: Terms) -> FakeSession:
        await asyncio.sleep(0)
        if self.broken:
            raise Unavailable("no browser", code="no_browser")
        self.sessions.append(FakeSession())
        return self.sessions[-1]

    async def close(self) -> None: ...


@dataclass
class Room:
    deps: Deps
    browser: FakeBrowser
    bus: MemoryBus
    now_s: list[float]
    enough: list[bool]
    logins: LoginFolder

    @property
    def listens(self) -> bool:
        return LEASE.pattern not in self.bus.closed_asks

    async def lease(self) -> SessionLeased:
        reply = await handlers.lease(ASKED, self.deps)
        assert isinstance(reply, SessionLeased)
        return reply


ASKED = LeaseSession(run_id="run/../1", sample_id="s1", ttl_s=10)


@pytest.fixture
def room(tmp_path: Path) -> Room:
    bus, browser, now_s, enough = MemoryBus(), FakeBrowser(), [0.0], [True]
    ids = iter(f"id{n}" for n in range(100))
    new_id: Callable[[], str] = ids.__next__
    sessions = Sessions(2, browser, bus, lambda: now_s[0], lambda: enough[0])
    logins = LoginFolder(tmp_path / "auth", tmp_path / "evidence")
    deps = Deps(sessions, bus, "pool1", new_id, lambda: NOON, bus, logins)
    return Room(deps, browser, bus, now_s, enough, logins)


def look_at(leased: SessionLeased) -> ObservePage:
    return ObservePage(session_id=leased.session_id, instance_id="pool1")


def scroll(leased: SessionLeased, reason: str = "") -> ActOnPage:
    return ActOnPage(session_id=leased.session_id, instance_id="pool1", action=Scroll(reason=reason))


async def test_the_door_closes_when_full_and_opens_when_there_is_room(room: Room) -> None:
    first = await room.lease()
    assert room.listens
    await room.lease()
    assert not room.listens
    assert isinstance(await handlers.lease(ASKED, room.deps), NoSessionFree)
    await handlers.release(ReleaseSession(session_id=first.session_id, instance_id="pool1"), room.deps)
    assert room.listens
    await room.deps.sessions.drained()
    assert room.browser.sessions[0].closed == 1
    await room.lease()


async def test_many_at_once_get_no_more_than_there_is(room: Room) -> None:
    replies = await asyncio.gather(*(handlers.lease(ASKED, room.deps) for _ in range(5)))
    assert [type(one) for one in replies].count(SessionLeased) == 2
    assert len(room.browser.sessions) == 2


async def test_a_browser_that_does_not_start_takes_no_room(room: Room) -> None:
    room.browser.broken = True
    for _ in range(3):
        with pytest.raises(Unavailable, match="no browser"):
            await handlers.lease(ASKED, room.deps)
    room.browser.broken = False
    await room.lease()
    await room.lease()


async def test_an_unknown_session_has_ended(room: Room) -> None:
    with pytest.raises(Unavailable) as error:
        await handlers.observe(ObservePage(session_id="never", instance_id="pool1"), room.deps)
    assert error.value.code == "session_lost"


async def test_releasing_twice_is_no_error(room: Room) -> None:
    leased = await room.lease()
    request = ReleaseSession(session_id=leased.session_id, instance_id="pool1")
    assert await handlers.release(request, room.deps) == await handlers.release(request, room.deps)
    await room.deps.sessions.drained()
    assert room.browser.sessions[0].closed == 1


async def test_a_lost_session_is_closed_and_makes_room(room: Room) -> None:
    leased, _ = await room.lease(), await room.lease()
    room.browser.sessions[0].lost = True
    with pytest.raises(Unavailable) as error:
        await handlers.act(scroll(leased), room.deps)
    assert error.value.code == "session_lost"
    await room.deps.sessions.drained()
    assert room.browser.sessions[0].closed == 1
    assert room.listens


async def test_unused_sessions_expire_and_used_ones_do_not(room: Room) -> None:
    used, _ = await room.lease(), await room.lease()
    room.now_s[0] = 6
    await handlers.observe(look_at(used), room.deps)
    room.now_s[0] = 12
    await room.deps.sessions.expire()
    await room.deps.sessions.drained()
    assert [one.closed for one in room.browser.sessions] == [0, 1]
    assert room.listens
    room.now_s[0] = 16
    await room.deps.sessions.expire()
    with pytest.raises(Unavailable) as error:
        await handlers.observe(look_at(used), room.deps)
    assert error.value.code == "session_lost"


async def test_a_session_at_work_does_not_expire(room: Room) -> None:
    leased = await room.lease()
    session = room.browser.sessions[0]
    session.gate = asyncio.Event()
    working = asyncio.create_task(handlers.act(scroll(leased), room.deps))
    await session.started.wait()
    room.now_s[0] = 99
    await room.deps.sessions.expire()
    assert session.closed == 0
    session.gate.set()
    await working


async def test_actions_on_one_session_take_turns(room: Room) -> None:
    leased = await room.lease()
    session = room.browser.sessions[0]
    session.gate = asyncio.Event()
    both = asyncio.gather(*(handlers.act(scroll(leased, name), room.deps) for name in "ab"))
    await session.started.wait()
    for _ in range(10):
        await asyncio.sleep(0)
    assert session.done == ["start a"]
    session.gate.set()
    await both
    assert session.done == ["start a", "end a", "start b", "end b"]


async def test_an_observation_is_named_and_rendered(room: Room) -> None:
    seen = await handlers.observe(look_at(await room.lease()), room.deps)
    assert seen.text == '[1] [text] "hello"'
    assert (seen.url, seen.http_status, seen.browser_ms) == ("http://a.test/", 200, 3.0)


async def test_bytes_are_hashed_here_and_left_in_the_bucket(room: Room) -> None:
    leased = await room.lease()
    room.browser.sessions[0].capture = Capture("screenshot", "Ticket", "image/png", ".png", b"png", "http://a.test/")
    request = ActOnPage(session_id=leased.session_id, instance_id="pool1", action=Screenshot(label="Ticket"))
    artifact = (await handlers.act(request, room.deps)).artifacts[0]
    assert artifact is not None
    assert (artifact.label, artifact.size_bytes, artifact.captured_at) == ("Ticket", 3, NOON)
    assert artifact.sha256 == hashlib.sha256(b"png").hexdigest()
    assert await room.bus.get(ARTIFACTS, artifact.blob) == b"png"
    assert ".." not in artifact.blob
