"""The handlers with a fake browser."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.browser_pool import handlers
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.deps import BrowserPoolDeps
from services.browser_pool.page.model import PageStats, RawPage, Seen
from services.browser_pool.ports import Capture, CaptureFailed, PageCapture
from services.browser_pool.sessions import Sessions
from shared.bus.ports import Source
from shared.contracts.actions import Screenshot, Scroll
from shared.contracts.browser.logins import CheckAccess, NothingToSave, ProfileSaved, SaveProfile
from shared.contracts.browser_pool import (
    ActOnPage,
    CapturePage,
    KeepSession,
    LeaseSession,
    NoSessionFree,
    ObservePage,
    ProfilePaused,
    ReleaseSession,
    SessionLeased,
)
from shared.contracts.results import ActionResult, Viewport
from shared.errors import PermanentError, Unavailable
from shared.evidence_format.files.sample import StoredObservation
from shared.secrets.store import SecretStore
from shared.streams import ARTIFACTS, Bucket
from shared.subjects import LEASE
from shared.testing.bus import MemoryBus
from shared.zstd import unpack_zstd
from tests.handlers.browser_pool.fake_browser import ITEM, FakeBrowser, FakeSession
from tests.raising import raises_code

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


@dataclass
class Room:
    deps: BrowserPoolDeps
    browser: FakeBrowser
    bus: MemoryBus
    now_s: list[float]
    enough: list[bool]
    logins: LoginFolder

    @property
    def listens(self) -> bool:
        return LEASE.pattern not in self.bus.closed_asks

    async def lease(self, **changes: Any) -> SessionLeased:
        reply = await handlers.lease(msgspec.structs.replace(ASKED, **changes), self.deps)
        assert isinstance(reply, SessionLeased)
        return reply

    async def release(self, leased: SessionLeased, login_wall: str = "") -> None:
        request = ReleaseSession(session_id=leased.session_id, instance_id="pool1", login_wall=login_wall)
        await handlers.release(request, self.deps)


ASKED = LeaseSession(run_id="run/../1", sample_id="s1", ttl_s=10)


@pytest.fixture
def room(tmp_path: Path) -> Room:
    bus, browser, now_s, enough = MemoryBus(), FakeBrowser(), [0.0], [True]
    ids = iter(f"id{n}" for n in range(100))
    new_id: Callable[[], str] = ids.__next__
    sessions = Sessions(2, browser, bus, lambda: now_s[0], lambda: enough[0])
    logins = LoginFolder(tmp_path / "auth", tmp_path / "evidence")
    deps = BrowserPoolDeps(sessions, bus, "pool1", new_id, lambda: NOON, bus, logins)
    return Room(deps, browser, bus, now_s, enough, logins)


def look_at(leased: SessionLeased) -> ObservePage:
    return ObservePage(session_id=leased.session_id, instance_id="pool1")


def scroll(leased: SessionLeased, reason: str = "") -> ActOnPage:
    return ActOnPage(session_id=leased.session_id, instance_id="pool1", action=Scroll(reason=reason))


async def at_work(room: Room, leased: SessionLeased) -> tuple[FakeSession, asyncio.Event, asyncio.Task[ActionResult]]:
    """The first session, in the midst of an action that ends when the gate is opened."""
    session = room.browser.sessions[0]
    gate = session.gate = asyncio.Event()

    async def act() -> ActionResult:
        return await handlers.act(scroll(leased), room.deps)

    working = asyncio.create_task(act())
    await session.started.wait()
    return session, gate, working


async def test_the_door_closes_when_full_and_opens_when_there_is_room(room: Room) -> None:
    first = await room.lease()
    assert room.listens
    await room.lease()
    assert not room.listens
    assert isinstance(await handlers.lease(ASKED, room.deps), NoSessionFree)
    await room.release(first)
    assert room.listens
    await room.release(first)
    await room.deps.sessions.drain()
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
    with raises_code(Unavailable, "session_lost"):
        await handlers.observe(ObservePage(session_id="never", instance_id="pool1"), room.deps)


async def test_a_lost_session_is_closed_and_makes_room(room: Room) -> None:
    leased, _ = await room.lease(), await room.lease()
    room.browser.sessions[0].lost = True
    with raises_code(Unavailable, "session_lost"):
        await handlers.act(scroll(leased), room.deps)
    await room.deps.sessions.drain()
    assert room.browser.sessions[0].closed == 1
    assert room.listens


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


# --- leases that end, that are kept, and that wait for memory


@pytest.mark.parametrize(("use", "request_type"), [(handlers.heartbeat, KeepSession), (handlers.observe, ObservePage)])
async def test_a_session_that_is_kept_or_used_does_not_expire_and_one_that_has_ended_cannot_be(
    room: Room, use: Any, request_type: Any
) -> None:
    kept, _ = await room.lease(), await room.lease()
    request = request_type(session_id=kept.session_id, instance_id="pool1")
    for now_s in (6, 12, 18):
        room.now_s[0] = now_s
        await use(request, room.deps)
        await room.deps.sessions.expire()
    await room.deps.sessions.drain()
    assert [one.closed for one in room.browser.sessions] == [0, 1]
    assert room.listens
    room.now_s[0] = 28
    await room.deps.sessions.expire()
    with raises_code(Unavailable, "session_lost"):
        await use(request, room.deps)


async def test_a_session_at_work_does_not_expire_and_is_not_held_past_its_deadline(room: Room) -> None:
    leased = await room.lease(max_s=60.0)
    session, gate, working = await at_work(room, leased)
    room.now_s[0] = 59
    await room.deps.sessions.expire()
    assert session.closed == 0
    room.now_s[0] = 60
    await room.deps.sessions.expire()
    await room.deps.sessions.drain()
    assert session.closed == 1
    gate.set()
    await working


async def test_while_memory_is_short_there_is_one_session_and_no_more(room: Room) -> None:
    room.enough[0] = False
    first = await room.lease()
    assert not room.listens
    assert isinstance(await handlers.lease(ASKED, room.deps), NoSessionFree)
    room.enough[0] = True
    await room.deps.sessions.expire()
    assert room.listens
    await room.lease()
    room.enough[0] = False
    await room.release(first)
    assert not room.listens


# --- login states


async def test_what_a_run_lacks_is_told_with_what_to_do(room: Room) -> None:
    room.deps.secrets = SecretStore(None, {"EXHIBIT_SECRET_A": "x"})
    request = CheckAccess(auth_profile="desk", secrets=("A", "B"))
    checked = await handlers.check_access(request, room.deps)
    assert [problem.where for problem in checked.problems] == ["auth_profile", "secrets"]
    assert "exhibit login desk URL" in checked.problems[0].message
    assert "'B'" in checked.problems[1].message
    await room.logins.save("desk", SIGNED_IN)
    assert (await handlers.check_access(CheckAccess(auth_profile="desk"), room.deps)).problems == ()


BOUND = {"EXHIBIT_SECRET_PIN": '{"value": "1234-5678", "hosts": ["desk.example", "*.bank.example"]}'}


@pytest.mark.parametrize(
    ("hosts", "fits"),
    [
        (("desk.example",), True),
        (("www.desk.example:8443",), True),
        (("other.example", "login.bank.example"), True),
        (("*.example",), True),
        ((), True),
        (("bank.example",), True),  # which is www.bank.example too
        (("other.example",), False),
        (("desk.example.evil.test", "my.desk.example"), False),
        (("notbank.example",), False),
    ],
)
async def test_a_secret_is_not_leased_to_a_session_of_other_hosts(
    room: Room, hosts: tuple[str, ...], fits: bool
) -> None:
    room.deps.secrets = SecretStore(None, BOUND)
    checked = await handlers.check_access(CheckAccess(secrets=("PIN",), hosts=hosts), room.deps)
    assert (checked.problems == ()) is fits
    asked = {"secrets": ("PIN", "unknown"), "allowed_hosts": hosts}
    if fits:
        await room.lease(**asked)
        return
    with raises_code(PermanentError, "policy_denied", match=r"for desk\.example") as refused:
        await room.lease(**asked)
    assert "1234" not in str(refused.value) + str(checked)
    assert room.browser.sessions == []


async def test_where_others_are_on_the_bus_a_secret_without_hosts_is_leased_to_nobody(room: Room) -> None:
    room.deps.secrets = SecretStore(None, {**BOUND, "EXHIBIT_SECRET_LOOSE": "hunter2"}, bound_only=True)
    checked = await handlers.check_access(CheckAccess(secrets=("LOOSE", "PIN")), room.deps)
    assert [problem.where for problem in checked.problems] == ["secrets"]
    assert '{"value": "...", "hosts": ["desk.example"]}' in checked.problems[0].message
    assert "EXHIBIT_SECRET_LOOSE" in checked.problems[0].message
    with pytest.raises(PermanentError, match="bound to no host"):
        await room.lease(secrets=("LOOSE",))
    await room.lease(secrets=("PIN",))


SIGNED_IN = {"cookies": [{"name": "session", "value": "s3cret"}], "origins": []}
OF_DESK = {
    "cookies": [{"name": "session", "value": "s3cret", "domain": "desk.example", "path": "/"}],
    "origins": [{"origin": "https://sso.example", "localStorage": [{"name": "a", "value": "s3cret"}]}],
}


@pytest.mark.parametrize("recorded", [OF_DESK, {**OF_DESK, "hosts": ["desk.example", "sso.example:443"]}])
async def test_a_login_state_is_not_leased_to_a_session_of_other_hosts(room: Room, recorded: dict[str, object]) -> None:
    """Also one that was recorded before there were hosts in its file."""
    await room.logins.save("desk", recorded)
    for hosts in (("desk.example",), ("*.example",), ("other.example", "sso.example")):
        await room.release(await room.lease(auth_profile="desk", allowed_hosts=hosts))
    with raises_code(PermanentError, "policy_denied", match=r"is for desk\.example, sso\.example:443"):
        await room.lease(auth_profile="desk", allowed_hosts=("evil.example",))
    foreign = CheckAccess(auth_profile="desk", hosts=("evil.example",))
    assert [one.where for one in (await handlers.check_access(foreign, room.deps)).problems] == ["auth_profile"]


async def test_a_recording_says_which_hosts_it_is_for(room: Room) -> None:
    leased = await room.lease(allowed_hosts=("https.example:8443", "*"))
    wide = {"name": "all", "value": "x", "domain": ".desk.example", "path": "/"}
    room.browser.sessions[0].state = {**OF_DESK, "cookies": [wide]}
    save = SaveProfile(session_id=leased.session_id, instance_id="pool1", auth_profile="desk")
    saved = await handlers.save_profile(save, room.deps)
    assert isinstance(saved, ProfileSaved)
    assert saved.hosts == ("desk.example", "*.desk.example", "sso.example:443", "https.example:8443")
    assert (await room.logins.find("desk")).hosts == saved.hosts


async def test_a_login_wall_pauses_the_login_state_until_it_is_recorded_again(room: Room) -> None:
    await room.logins.save("desk", SIGNED_IN)
    leased = await room.lease(auth_profile="desk")
    for _ in range(2):
        await room.release(leased, login_wall="/login asks for a password")
    refused = await handlers.lease(msgspec.structs.replace(ASKED, auth_profile="desk"), room.deps)
    assert isinstance(refused, ProfilePaused)
    assert "/login asks for a password" in refused.reason
    assert "exhibit login desk URL" in refused.reason
    assert "s3cret" not in refused.reason
    await room.lease()  # others are not held up
    await room.logins.save("desk", {**SIGNED_IN, "origins": [{"origin": "http://a.test", "localStorage": []}]})
    await room.lease(auth_profile="desk")


async def test_a_wall_met_with_an_older_recording_does_not_pause_a_newer_one(room: Room) -> None:
    await room.logins.save("desk", SIGNED_IN)
    leased = await room.lease(auth_profile="desk")
    await room.logins.save("desk", {**SIGNED_IN, "cookies": []})
    await room.release(leased, login_wall="no")
    await room.lease(auth_profile="desk")


async def test_a_login_is_recorded_for_its_owner_only_and_says_nothing_of_its_contents(room: Room) -> None:
    leased = await room.lease()
    save = SaveProfile(session_id=leased.session_id, instance_id="pool1", auth_profile="desk")
    assert await handlers.save_profile(save, room.deps) == NothingToSave(auth_profile="desk")
    room.browser.sessions[0].state = SIGNED_IN
    saved = await handlers.save_profile(save, room.deps)
    assert isinstance(saved, ProfileSaved)
    assert (saved.cookies, saved.origins) == (1, 0)
    path = Path(saved.path)
    assert json.loads(path.read_text()) == {**SIGNED_IN, "hosts": []}
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert (path.parent / ".gitignore").read_text() == "*\n"
    assert sorted(one.name for one in path.parent.iterdir()) == [".gitignore", "desk.json"]
    room.browser.sessions[0].state = {"cookies": [], "origins": []}
    assert isinstance(await handlers.save_profile(save, room.deps), NothingToSave)
    assert json.loads(path.read_text()) == {**SIGNED_IN, "hosts": []}


@pytest.mark.parametrize("name", ["../desk", "a/b", "", ".", "desk.json", "x" * 100])
async def test_a_name_that_is_no_name_reaches_no_file(room: Room, name: str) -> None:
    with raises_code(PermanentError, "no_auth_profile"):
        await room.logins.save(name, SIGNED_IN)


async def test_a_login_state_is_never_kept_in_the_evidence(tmp_path: Path) -> None:
    inside = LoginFolder(tmp_path / "evidence" / "auth", tmp_path / "evidence")
    with pytest.raises(PermanentError, match="outside"):
        await inside.save("desk", SIGNED_IN)
    assert not (tmp_path / "evidence").exists()


@pytest.mark.parametrize("written", ["", "[]", "{}", "not json"])
async def test_a_file_that_is_no_login_state_is_told(room: Room, tmp_path: Path, written: str) -> None:
    await room.logins.save("desk", SIGNED_IN)
    (tmp_path / "auth" / "desk.json").write_text(written)
    with pytest.raises(PermanentError, match="record it again"):
        await room.lease(auth_profile="desk")
    assert room.listens


async def test_a_file_leaves_the_disk_once_it_is_in_the_bucket(room: Room, tmp_path: Path) -> None:
    leased = await room.lease()
    file = tmp_path / "r.zip"
    file.write_bytes(b"zip" * 1_000_000)
    room.browser.sessions[0].captures = (Capture("download", "R", "application/zip", ".zip", file, "http://a.test/"),)
    artifact = (await handlers.act(scroll(leased), room.deps)).artifacts[0]
    assert artifact.size_bytes == 3_000_000
    assert artifact.sha256 == hashlib.sha256(b"zip" * 1_000_000).hexdigest()
    assert await room.bus.get(ARTIFACTS, artifact.blob) == b"zip" * 1_000_000
    assert not file.exists()


async def test_a_file_leaves_the_disk_where_it_cannot_be_stored(room: Room, tmp_path: Path) -> None:
    leased = await room.lease()
    file = tmp_path / "r.zip"
    file.write_bytes(b"zip")
    room.browser.sessions[0].captures = (Capture("download", "R", "application/zip", ".zip", file, "http://a.test/"),)
    room.deps.blobs = FullBucket()
    with pytest.raises(Unavailable, match="full"):
        await handlers.act(scroll(leased), room.deps)
    assert not file.exists()


class FullBucket(MemoryBus):
    async def put(self, bucket: Bucket, name: str, data: bytes | Source) -> None:
        raise Unavailable("the bucket is full")


# --- pages that are kept

FACTS_AT = datetime(2030, 1, 1, 11, 59, tzinfo=UTC)
RAW = RawPage(
    "http://a.test/?p=hunter2", "T", 200, ("text\x1f\x1fhello",), (Seen(1, ITEM, "main", 0, 0, True, None),),
    frozenset(), PageStats(1), 0, 0, True, 3.0,
)  # fmt: skip
KEPT = PageCapture(
    RAW, "f" * 64, (("server", "s"),), Viewport(width_px=800, height_px=600), FACTS_AT, b"MIME: page\r\n\r\n"
)


async def test_all_files_of_one_moment_bear_the_same_facts(room: Room) -> None:
    leased = await room.lease()
    session = room.browser.sessions[0]
    session.page, session.hidden = KEPT, frozenset({"hunter2"})
    pictures = [Capture("screenshot", "T", "image/png", ".png", b"png", "", part=n, parts=2) for n in (1, 2)]
    file = Capture("download", "report", "application/pdf", ".pdf", b"pdf", "")
    session.captures = (*pictures, file)
    request = ActOnPage(session_id=leased.session_id, instance_id="pool1", action=Screenshot(label="T"))
    artifacts = (await handlers.act(request, room.deps)).artifacts
    assert [one.kind for one in artifacts] == ["screenshot", "screenshot", "download", "page", "observation"]
    assert artifacts[2].capture is None
    others = [artifacts[n] for n in (0, 1, 3, 4)]
    facts = others[0].capture
    assert facts is not None
    assert {one.capture for one in others} == {facts}
    assert (facts.url, facts.http_status, facts.browser) == ("http://a.test/?p=(hidden)", 200, "fake 1")
    assert (facts.observation_sha256, facts.captured_at) == ("f" * 64, FACTS_AT)
    for one in artifacts:
        assert ".." not in one.blob
        data = await room.bus.get(ARTIFACTS, one.blob)
        assert (one.sha256, one.size_bytes) == (hashlib.sha256(data).hexdigest(), len(data))
    data = unpack_zstd(await room.bus.get(ARTIFACTS, artifacts[4].blob), 10**8)
    stored = msgspec.json.decode(data, type=StoredObservation)
    assert stored.capture == facts
    assert stored.headers == (("server", "s"),)
    assert [one.name for one in stored.elements] == ["hello"]


async def test_a_picture_of_a_page_that_cannot_be_kept_says_so(room: Room) -> None:
    leased = await room.lease()
    session = room.browser.sessions[0]
    session.page = CaptureFailed("the page did not answer in time")
    session.captures = (Capture("screenshot", "T", "image/png", ".png", b"png", ""),)
    request = ActOnPage(session_id=leased.session_id, instance_id="pool1", action=Screenshot(label="T"))
    result = await handlers.act(request, room.deps)
    assert result.ok
    assert [one.capture for one in result.artifacts] == [None]
    assert result.notes == ("the page did not answer in time",)


async def test_a_page_is_kept_once_and_elements_are_told_each_time(room: Room) -> None:
    leased = await room.lease()
    room.browser.sessions[0].page = KEPT
    asked = CapturePage(session_id=leased.session_id, instance_id="pool1", label="p", snapshot_id="s1", refs=(1, 2))
    first = await handlers.capture(asked, room.deps)
    assert [(one.kind, one.label) for one in first.artifacts] == [("page", "p"), ("observation", "p")]
    assert (first.observation_sha256, first.browser_ms) == ("f" * 64, 7.0)
    assert [(one.ref, one.element.name if one.element else None) for one in first.found] == [(1, "hello"), (2, None)]
    again = await handlers.capture(msgspec.structs.replace(asked, known=("f" * 64,)), room.deps)
    assert again.artifacts == ()
    assert again.found == first.found


async def test_a_page_that_cannot_be_kept_is_an_answer_and_a_lost_session_an_error(room: Room) -> None:
    leased = await room.lease()
    asked = CapturePage(session_id=leased.session_id, instance_id="pool1", label="p")
    answer = await handlers.capture(asked, room.deps)
    assert (answer.observation_sha256, answer.problems) == ("", ("nothing to keep",))
    room.browser.sessions[0].lost = True
    with raises_code(Unavailable, "session_lost"):
        await handlers.capture(asked, room.deps)
