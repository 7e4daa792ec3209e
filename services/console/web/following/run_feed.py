"""The event log of a run as the pages of one server follow it: read once, however many look, and told to each.

That there are events is heard on the bus, so nothing is asked while nothing happens; they are looked for every few
seconds besides. What is told is the log, from the index that a page names.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from shared.aio import BackgroundTasks, cancel_and_wait, run_alongside, wait_for_first
from shared.contracts.evidence import RunUnknown
from shared.contracts.sessions.events import EventsLoaded, EventsReply, LoggedEvent
from shared.errors import DeadlineExceeded, ExhibitError

AT_ONCE = 500
LEAST_GAP_S, MOST_GAP_S, GAP_SHARE, PAGE_GAP_S = 0.06, 0.3, 3.0, 0.005
"""Between two asks. It grows with what an ask takes, so that a machine at its limit is asked less, and with each page,
for to write to many of them costs more than to ask."""
STORED_S = 0.02
"""An event is heard before it is stored."""
LOOK_S, MOST_LOOK_S = 0.25, 2.0
"""How soon events are looked for of which nothing was heard; each time in vain doubles it."""
ANSWER_S, AWAY_S, QUIET_S, FACTS_S = 10.0, 1.0, 15.0, 2.0
"""How long an answer is waited for; how soon it is asked again where nobody answers; after how long a page hears that
all is well; and how often facts that change are asked for, at most."""
MOST_LINES = 4000
"""Entries that are kept. A page that wants earlier ones reads them itself."""

Facts = Callable[[str], Awaitable[Mapping[str, str]]]


class EventSource(Protocol):
    """The part of a client that a feed needs."""

    @property
    def connected(self) -> bool: ...

    async def events(self, run_id: str, since: int = 0, limit: int = 100) -> EventsReply: ...

    def hear(self, run_id: str) -> AbstractAsyncContextManager[asyncio.Event]: ...


@dataclass
class RunFeed:
    """The log of one run while somebody looks. ``begin``: index of the earliest entry that is kept."""

    source: EventSource
    run_id: str
    facts_of: Facts
    closing: asyncio.Event
    begin: int
    pages: int = 0
    over: bool = False
    away: bool = False
    _next: int = 0
    _indexes: list[int] = field(default_factory=list[int])
    _lines: list[str] = field(default_factory=list[str])
    _last_told: tuple[tuple[int, int], str] = ((-1, -1), "")
    _facts: tuple[int, str] = (0, "")
    _changed: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def follow(self) -> None:
        """Read the log until this is cancelled or the server ends; at once over for a run that there is not."""
        self._next = max(self.begin - 1, 0)  # the last entry that the first page has, if there is one
        try:
            async with self.source.hear(self.run_id) as heard, run_alongside(self._follow_facts()):
                await self._follow(heard)
        finally:
            self.over = True
            self._tell()

    async def _follow(self, heard: asyncio.Event) -> None:
        look_s = LOOK_S
        while not self.closing.is_set():
            heard.clear()
            asked_s = time.monotonic()
            try:
                got = await self._ask()
            except ExhibitError:
                self._say_away(True)
                await wait_for_first(self.closing.wait(), timeout_s=AWAY_S)
                continue
            self._say_away(False)
            if isinstance(got, RunUnknown):
                return
            if not got.events and self._next < self.begin:
                self.begin = self._next = 0  # it was said to begin after the end of the log
                continue
            self._add(got)
            if got.more:
                continue
            took_s = time.monotonic() - asked_s
            await asyncio.sleep(min(max(LEAST_GAP_S, GAP_SHARE * took_s, PAGE_GAP_S * self.pages), MOST_GAP_S))
            look_s = LOOK_S if got.events else min(2 * look_s, MOST_LOOK_S)
            await wait_for_first(heard.wait(), self.closing.wait(), timeout_s=look_s)
            if heard.is_set():
                await asyncio.sleep(STORED_S)

    async def _ask(self) -> EventsReply:
        """Return what is logged from the last entry on. Where the bus is away the ask waits for it, which is told. One
        that was taken by a service that has died gets no answer: it is asked anew."""
        asked = asyncio.ensure_future(self.source.events(self.run_id, self._next, AT_ONCE))
        until_s = time.monotonic() + ANSWER_S
        try:
            while not asked.done():
                await asyncio.wait({asked}, timeout=AWAY_S)
                if asked.done():
                    break
                if not self.source.connected:
                    self._say_away(True)
                elif time.monotonic() >= until_s:
                    raise DeadlineExceeded("the log was not read in time")
            return asked.result()
        finally:
            await cancel_and_wait(asked)

    async def _follow_facts(self) -> None:
        """Tell what else changes while events come."""
        while True:
            await asyncio.sleep(FACTS_S)
            if not self._changed:
                continue
            self._changed = False
            try:
                told = msgspec.json.encode(await self.facts_of(self.run_id)).decode()
            except ExhibitError:
                self._changed = True  # they are asked for again
                continue
            self._facts = (self._facts[0] + 1, f"event: facts\ndata: {told}\n\n")
            self._tell()

    def _add(self, got: EventsLoaded) -> None:
        self._next = max(self._next, got.next_index)
        new = [one for one in got.events if one.index >= self.begin]
        if not new:
            return
        self._changed = True
        self._indexes += [one.index for one in new]
        self._lines += [line_of(one) for one in new]
        if len(self._lines) >= 2 * MOST_LINES:
            del self._indexes[:-MOST_LINES], self._lines[:-MOST_LINES]
            self.begin = self._indexes[0]
        self._tell()

    def _say_away(self, away: bool) -> None:
        if away != self.away:
            self.away = away
            self._changed = self._changed or not away  # what was missed meanwhile may be no event
            self._tell()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    def _after(self, since: int) -> tuple[str, int]:
        if not self._indexes or since > self._indexes[-1]:
            return "", since
        if self._last_told[0] != (since, self._indexes[-1]):  # pages go on from the same entry: it is written once
            at = bisect_left(self._indexes, since)
            self._last_told = ((since, self._indexes[-1]), "".join(self._lines[at:]))
        return self._last_told[1], self._indexes[-1] + 1

    async def told(self, since: int) -> AsyncGenerator[str]:
        """Yield to one page what it is sent: entries from the index ``since`` on, each with its index as id; ``facts``
        that have changed; ``away`` once the services do not answer, and ``back`` once they do."""
        facts, away = 0, False
        while not (self.closing.is_set() or self.over):
            news, text = self._news, ""
            if since < self.begin and not self.away:
                text, since = await self._earlier(since)
            elif since >= self.begin:
                text, since = self._after(since)
            if self._facts[0] != facts:
                facts, text = self._facts[0], text + self._facts[1]
            if self.away != away:
                away = self.away
                text += f"event: {'away' if away else 'back'}\ndata: {{}}\n\n"
            if text:
                yield text
                continue
            try:  # a feed that ends tells it, so that nothing else is waited for
                async with asyncio.timeout(AWAY_S if since < self.begin else QUIET_S):
                    await news.wait()
            except TimeoutError:
                yield ": all is well\n\n"

    async def _earlier(self, since: int) -> tuple[str, int]:
        """Return entries that are not kept any more; none where nobody answers."""
        try:
            got = await self.source.events(self.run_id, since, AT_ONCE)
        except ExhibitError:
            return "", since
        if isinstance(got, RunUnknown):
            return "", self.begin
        return "".join(line_of(one) for one in got.events), got.next_index if got.events else self.begin


@dataclass
class _Open:
    """A feed that pages look at."""

    feed: RunFeed
    following: asyncio.Task[None]


@dataclass
class RunFeeds:
    """The feeds of one server: each run has one for as long as a page looks."""

    source: EventSource
    facts_of: Facts
    closing: asyncio.Event
    _open: dict[str, _Open] = field(default_factory=dict[str, "_Open"])
    _running: BackgroundTasks = field(default_factory=BackgroundTasks)

    async def told(self, run_id: str, since: int) -> AsyncGenerator[str]:
        """Yield to one page what it is sent, as `RunFeed.told` does."""
        with self._joined(run_id, since) as feed:
            async for text in feed.told(since):
                yield text

    @contextmanager
    def _joined(self, run_id: str, since: int) -> Generator[RunFeed]:
        opened = self._open.get(run_id)
        if opened is None or opened.feed.over:
            feed = RunFeed(self.source, run_id, self.facts_of, self.closing, since)
            opened = self._open[run_id] = _Open(feed, self._running.start(feed.follow()))
        opened.feed.pages += 1
        try:
            yield opened.feed
        finally:
            opened.feed.pages -= 1
            if not opened.feed.pages:
                opened.following.cancel()
                if self._open.get(run_id) is opened:
                    del self._open[run_id]


def line_of(event: LoggedEvent) -> str:
    """Return an entry as a page is sent it."""
    told = {
        "event": event.event, "sample": event.sample_id, "status": event.status, "tool": event.tool, "text": event.text,
    }  # fmt: skip
    return f"id: {event.index}\ndata: {msgspec.json.encode(told).decode()}\n\n"
