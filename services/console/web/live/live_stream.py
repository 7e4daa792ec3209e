"""A sample at work as a stream of events: the pictures of its page, and what is done at it. Nothing of it is kept."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from services.console.web.desk import Desk
from shared.aio import run_alongside
from shared.contracts.browser.live import ACTING_GAP_S, LOOKING_GAP_S, PageShown, WatchReply, WatchSample
from shared.contracts.sessions.taking_over import FollowSample
from shared.errors import ExhibitError, PermanentError
from shared.subjects import FOLLOW_SAMPLE, WATCH_SAMPLE

WAIT_S, ANSWER_S = 8.0, 20.0
"""How long a picture is waited for before it is said that all is well, and how long the pool is."""
PAUSE_S = 1.0
FRAMES_RETRY_MS = 2000
"""After which a page asks for pictures again that come no more."""
MOST_STREAMS = 6
"""Live views that one server shows at a time, over all its pages."""
JPEG = b"\xff\xd8\xff"
NOBODY = ("no_responders", "session_lost")

Say = Callable[..., Awaitable[None]]


@dataclass
class LiveStreams:
    """How many live views are open."""

    open: int = 0

    @contextmanager
    def one_more(self) -> Generator[bool]:
        """Count one within the block; False: there are as many as may be, and it is not counted."""
        if self.open >= MOST_STREAMS:
            yield False
            return
        self.open += 1
        try:
            yield True
        finally:
            self.open -= 1


@dataclass(frozen=True)
class SampleSeen:
    """The sample that a page looks at. ``key``: by which its session may hold it."""

    run_id: str
    sample_id: str
    key: str = ""


async def look(desk: Desk, seen: SampleSeen, after: int, wait_s: float, gap_s: float = LOOKING_GAP_S) -> WatchReply:
    """Return the page of the sample. Raises as an ask does; PermanentError for what is no picture."""
    asked = WatchSample(
        run_id=seen.run_id, sample_id=seen.sample_id, after=after, wait_s=wait_s, gap_s=gap_s, by=desk.person
    )
    shown = await desk.client.bus.ask(WATCH_SAMPLE, asked, timeout_s=ANSWER_S)
    if isinstance(shown, PageShown) and not shown.picture.startswith(JPEG):
        raise PermanentError("the pool has sent something that is no picture", code="not_a_picture")
    return shown


async def live_events(desk: Desk, streams: LiveStreams, seen: SampleSeen) -> AsyncGenerator[str]:
    """Yield events: ``frame`` with a picture, ``still`` while nothing new is drawn, ``nobody`` while nobody works on
    the sample, ``work`` with what is done at it, ``away`` while the services do not answer, ``full``, and ``refused``,
    after which no picture comes."""
    with streams.one_more() as counted:
        if not counted:
            yield _event("full")
            return
        said: asyncio.Queue[str] = asyncio.Queue(1)  # one that waits: what is not taken is not made

        async def say(name: str, **told: Any) -> None:
            await said.put(_event(name, **told))

        async with run_alongside(_tell_both(desk, seen, say)):
            while not desk.closing.is_set():
                try:
                    yield await asyncio.wait_for(said.get(), PAUSE_S)
                except TimeoutError:
                    continue


async def _tell_both(desk: Desk, seen: SampleSeen, say: Say) -> None:
    mine = asyncio.Event()
    await asyncio.gather(_tell_pictures(desk, seen, say, mine), _tell_work(desk, seen, say, mine))


async def _tell_pictures(desk: Desk, seen: SampleSeen, say: Say, mine: asyncio.Event) -> None:
    after = 0
    while not desk.closing.is_set():
        try:
            shown = await look(desk, seen, after, WAIT_S, ACTING_GAP_S if mine.is_set() else LOOKING_GAP_S)
        except PermanentError as exc:
            await say("refused", why=str(exc))
            return
        except ExhibitError as exc:
            await say("nobody" if exc.code in NOBODY else "full" if exc.code == "rate_limited" else "away")
            await desk.pause(PAUSE_S)
            continue
        if isinstance(shown, PageShown):
            after = shown.number
            await say("frame", **_told(shown))
        else:
            await say("still", why=shown.why)


async def _tell_work(desk: Desk, seen: SampleSeen, say: Say, mine: asyncio.Event) -> None:
    """``mine``: is set while the page's session holds the sample."""
    known = 0
    while not desk.closing.is_set():
        asked = FollowSample(
            run_id=seen.run_id, sample_id=seen.sample_id, known=known, wait_s=WAIT_S if known else 0.0, key=seen.key
        )
        try:
            work = await desk.client.bus.ask(FOLLOW_SAMPLE, asked, timeout_s=ANSWER_S)
        except PermanentError:
            return
        except ExhibitError:  # the pictures tell it
            known = 0
            await desk.pause(PAUSE_S)
            continue
        if work.version != known:
            await say("work", **msgspec.to_builtins(work))
        known = work.version
        (mine.set if work.mine else mine.clear)()


def _told(shown: PageShown) -> dict[str, Any]:
    return {
        "number": shown.number,
        "picture": base64.b64encode(shown.picture).decode(),
        "width": shown.width,
        "height": shown.height,
        "x": shown.scroll_x,
        "y": shown.scroll_y,
        "url": shown.url,
        "at": shown.taken_at,
        "covered": shown.covered,
    }


def _event(name: str, **told: Any) -> str:
    return f"event: {name}\ndata: {msgspec.json.encode(told).decode()}\n\n"
