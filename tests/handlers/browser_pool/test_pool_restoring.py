"""A stored page is opened only if its bytes are the recorded ones."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from services.browser_pool import handlers
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.deps import BrowserPoolDeps
from services.browser_pool.page.model import PageStats, RawPage
from services.browser_pool.ports import RestoredPage, RestoreRefused, RestoreRequest, SessionTerms
from services.browser_pool.sessions import Sessions
from shared.contracts.browser.stored_pages import ElementInk, PageNotRestored, PageRestored, RestorePage, Sought
from shared.contracts.browser_pool import LeaseSession, SessionLeased
from shared.contracts.results import Ink
from shared.errors import PermanentError
from shared.streams import ANSWERS
from shared.testing.bus import MemoryBus
from tests.handlers.browser_pool.fake_browser import FakeSession
from tests.raising import raises_code

STORED = b"packed page"
SHA256 = hashlib.sha256(STORED).hexdigest()
SHOWN = RestoredPage(
    RawPage("http://a.test/1", "T", None, (), (), frozenset(), PageStats(), 0, 0, True, 0.0),
    {3: Ink(state="absent")},
)


@dataclass
class Restores(FakeSession):
    """A browser whose sessions do nothing but restore."""

    shows: RestoredPage | RestoreRefused = SHOWN
    asked: list[RestoreRequest] = field(default_factory=list)
    name: str = "fake 1"

    async def open_session(self, terms: SessionTerms) -> Restores:
        return self

    async def restore(self, asked: RestoreRequest) -> RestoredPage | RestoreRefused:
        self.asked.append(asked)
        return self.shows

    async def try_page(self) -> None: ...

    async def close(self) -> None: ...


async def restored(tmp_path: Path, browser: Restores, **said: object) -> PageRestored | PageNotRestored:
    bus = MemoryBus()
    await bus.put(ANSWERS, "lent/1", STORED)
    ids = iter(f"id{n}" for n in range(10))
    sessions = Sessions(1, browser, bus, asyncio.get_running_loop().time)
    logins = LoginFolder(tmp_path / "auth")
    deps = BrowserPoolDeps(sessions, bus, "pool1", ids.__next__, lambda: datetime(2030, 1, 1, tzinfo=UTC), bus, logins)
    leased = await handlers.lease(LeaseSession(run_id="r", sample_id="s"), deps)
    assert isinstance(leased, SessionLeased)
    request: dict[str, Any] = {"blob": "lent/1", "sha256": SHA256, "size_bytes": len(STORED), **said}
    return await handlers.restore(RestorePage(session_id=leased.session_id, instance_id="pool1", **request), deps)


async def test_what_is_asked_for_goes_into_the_session_and_the_page_comes_back(tmp_path: Path):
    browser = Restores()
    sought = (Sought(fingerprint="f"),)
    reply = await restored(tmp_path, browser, keywords=("status",), max_tokens=7, sought=sought)
    assert isinstance(reply, PageRestored)
    assert (reply.page.url, reply.page.snapshot_id) == ("http://a.test/1", "id1")
    assert reply.ink == (ElementInk(ref=3, ink=Ink(state="absent")),)
    assert browser.asked == [RestoreRequest(STORED, "id1", ("status",), 7, sought)]


@pytest.mark.parametrize(
    ("said", "code", "words"),
    [
        ({"sha256": "0" * 64}, "altered", SHA256),
        ({"size_bytes": 12}, "altered", "11 bytes, 12 were recorded"),
        ({"size_bytes": 65_000_000}, "too_large", "65000000"),
    ],
)
async def test_another_page_than_was_recorded_is_not_opened(tmp_path: Path, said: dict, code: str, words: str):
    browser = Restores()
    reply = await restored(tmp_path, browser, **said)
    assert isinstance(reply, PageNotRestored)
    assert reply.code == code
    assert words in reply.message
    assert browser.asked == []


async def test_why_a_page_could_not_be_shown_is_passed_on(tmp_path: Path):
    reply = await restored(tmp_path, Restores(shows=RestoreRefused("not_a_page", "no page")))
    assert reply == PageNotRestored(code="not_a_page", message="no page")


async def test_a_page_that_nobody_has_lent_is_an_error(tmp_path: Path):
    with raises_code(PermanentError, "no_blob"):
        await restored(tmp_path, Restores(), blob="lent/2")
