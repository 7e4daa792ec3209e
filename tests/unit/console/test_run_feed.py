"""The feed of a run: its log is read once for all pages, and each page is told all of it, from the index it names."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from services.console.web.following import run_feed
from services.console.web.following.run_feed import RunFeeds
from shared.contracts.evidence import RunUnknown
from shared.contracts.sessions.events import EventsLoaded, EventsReply, LoggedEvent
from shared.errors import Unavailable

RUN, BOUND_S = "run_1", 30.0


@dataclass
class Log:
    """The log of one run. ``asked``: the index that each ask was about."""

    entries: list[LoggedEvent] = field(default_factory=list[LoggedEvent])
    asked: list[int] = field(default_factory=list[int])
    away: bool = False
    unanswered: int = 0
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    heard: set[asyncio.Event] = field(default_factory=set[asyncio.Event])

    def __post_init__(self) -> None:
        self.reached.set()

    @property
    def connected(self) -> bool:
        return self.reached.is_set()

    def add(self, *indexes: int) -> None:
        at = datetime(2026, 1, 1, tzinfo=UTC)
        self.entries += [LoggedEvent(index=one, event="RunContent", at=at) for one in indexes]
        for one in self.heard:
            one.set()

    async def events(self, run_id: str, since: int = 0, limit: int = 100) -> EventsReply:
        self.asked.append(since)
        await self.reached.wait()
        if self.unanswered:
            self.unanswered -= 1
            await asyncio.Event().wait()
        if self.away:
            raise Unavailable("nobody answers", code="no_responders")
        if run_id != RUN:
            return RunUnknown(run_id=run_id, message="there is no such run")
        found = [one for one in self.entries if one.index >= since]
        page = tuple(found[:limit])
        after = page[-1].index + 1 if page else since
        return EventsLoaded(run_id=run_id, events=page, next_index=after, more=len(found) > limit)

    @asynccontextmanager
    async def hear(self, run_id: str) -> AsyncGenerator[asyncio.Event]:
        heard = asyncio.Event()
        self.heard.add(heard)
        yield heard
        self.heard.discard(heard)


async def facts_of(run_id: str) -> Mapping[str, str]:
    return {"state": f"of {run_id}"}


@dataclass
class OnePage:
    told: AsyncGenerator[str]
    text: str = ""

    @property
    def indexes(self) -> list[int]:
        return [int(one) for one in re.findall(r"^id: (\d+)$", self.text, re.M)]

    async def read_until(self, wanted: str) -> None:
        async with asyncio.timeout(BOUND_S):
            while wanted not in self.text:
                self.text += await anext(self.told)


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def feeds(log: Log) -> RunFeeds:
    return RunFeeds(log, facts_of, asyncio.Event())


async def test_a_log_is_read_once_for_all_its_pages(log: Log, feeds: RunFeeds):
    log.add(2, 3, 7)
    pages = [OnePage(feeds.told(RUN, since)) for since in (0, 0, 4)]
    for one in pages:
        await one.read_until("id: 7\n")
    log.add(9)
    for one in pages:
        await one.read_until("id: 9\n")
    assert [one.indexes for one in pages] == [[2, 3, 7, 9], [2, 3, 7, 9], [7, 9]]
    # Once for each time that there was something, and not for each page.
    assert sorted(set(log.asked)) == [0, 8]
    for one in pages:
        await one.told.aclose()
    await asyncio.sleep(0)
    asked = len(log.asked)
    log.add(11)
    again = OnePage(feeds.told(RUN, 10))
    await again.read_until("id: 11\n")
    assert log.asked[asked:] == [9]  # nobody has looked meanwhile, so nothing was read
    await again.told.aclose()


async def test_what_is_not_kept_any_more_is_read_for_whoever_wants_it(
    log: Log, feeds: RunFeeds, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(run_feed, "MOST_LINES", 4)
    log.add(*range(1, 21))
    first = OnePage(feeds.told(RUN, 0))
    await first.read_until("id: 20\n")
    late = OnePage(feeds.told(RUN, 3))
    await late.read_until("id: 20\n")
    assert (first.indexes, late.indexes) == (list(range(1, 21)), list(range(3, 21)))
    for one in (first, late):
        await one.told.aclose()


async def test_a_page_is_told_when_nobody_answers_and_when_somebody_does_and_loses_nothing(log: Log, feeds: RunFeeds):
    log.add(1)
    page = OnePage(feeds.told(RUN, 0))
    await page.read_until("id: 1\n")
    log.away = True
    log.add(2)
    await page.read_until("event: away\n")
    log.away = False
    await page.read_until("id: 2\n")
    await page.read_until("event: back\n")
    assert page.indexes == [1, 2]
    await page.told.aclose()


async def test_a_page_is_told_that_the_bus_is_away_while_an_ask_waits_for_it(log: Log, feeds: RunFeeds):
    log.reached.clear()
    log.add(1)
    page = OnePage(feeds.told(RUN, 0))
    await page.read_until("event: away\n")
    log.reached.set()
    await page.read_until("id: 1\n")
    await page.read_until("event: back\n")
    assert log.asked[:1] == [0]
    await page.told.aclose()


async def test_an_ask_that_a_service_took_before_it_died_is_asked_anew(
    log: Log, feeds: RunFeeds, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(run_feed, "ANSWER_S", 0.0)
    monkeypatch.setattr(run_feed, "AWAY_S", 0.01)
    log.unanswered = 1
    log.add(1)
    page = OnePage(feeds.told(RUN, 0))
    await page.read_until("event: away\n")
    await page.read_until("id: 1\n")
    assert log.asked[:2] == [0, 0]
    await page.told.aclose()


async def test_facts_that_change_come_with_the_events_and_to_who_comes_late(log: Log, feeds: RunFeeds):
    log.add(1)
    first = OnePage(feeds.told(RUN, 0))
    await first.read_until('event: facts\ndata: {"state":"of run_1"}\n')
    late = OnePage(feeds.told(RUN, 2))
    await late.read_until("event: facts\n")
    for one in (first, late):
        await one.told.aclose()


async def test_a_run_that_there_is_not_ends_the_page(feeds: RunFeeds):
    async with asyncio.timeout(BOUND_S):
        assert [text async for text in feeds.told("run_2", 0)] == []


async def test_a_page_that_begins_after_the_end_of_the_log_keeps_nothing_from_the_others(log: Log, feeds: RunFeeds):
    log.add(0, 1)
    ahead, page = OnePage(feeds.told(RUN, 10**12)), OnePage(feeds.told(RUN, 0))
    looking = asyncio.ensure_future(anext(ahead.told))
    await page.read_until("id: 1\n")
    log.add(2)
    await page.read_until("id: 2\n")
    await page.read_until("state")
    assert page.indexes == [0, 1, 2]
    looking.cancel()
    await asyncio.wait([looking])
    await page.told.aclose()
