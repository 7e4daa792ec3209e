"""The pictures of a sample at work as a stream of events, one page's look after the other. Nothing of them is kept."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from services.console.web.desk import Desk
from shared.contracts.browser.live import PageShown, WatchReply, WatchSample
from shared.errors import ExhibitError, PermanentError
from shared.subjects import WATCH_SAMPLE

WAIT_S, ANSWER_S = 8.0, 20.0
"""How long a picture is waited for before it is said that all is well, and how long the pool is."""
PAUSE_S = 1.0
MOST_STREAMS = 6
"""Live views that one server shows at a time, over all its pages."""
JPEG = b"\xff\xd8\xff"
NOBODY = ("no_responders", "session_lost")


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


async def look(desk: Desk, run_id: str, sample_id: str, after: int, wait_s: float) -> WatchReply:
    """Return the page of the sample. Raises as an ask does; PermanentError for what is no picture."""
    asked = WatchSample(run_id=run_id, sample_id=sample_id, after=after, wait_s=wait_s, by=desk.person)
    shown = await desk.client.bus.ask(WATCH_SAMPLE, asked, timeout_s=ANSWER_S)
    if isinstance(shown, PageShown) and not shown.picture.startswith(JPEG):
        raise PermanentError("the pool has sent something that is no picture", code="not_a_picture")
    return shown


async def live_events(desk: Desk, streams: LiveStreams, run_id: str, sample_id: str) -> AsyncGenerator[str]:
    """Yield events: ``frame`` with a picture, ``still`` while nothing new is drawn, ``nobody`` while nobody works on
    the sample, ``away`` while the services do not answer, ``full`` and ``refused``, after which nothing more comes."""
    yield "retry: 2000\n\n"
    with streams.one_more() as counted:
        if not counted:
            yield _event("full")
            return
        after = 0
        while not desk.closing.is_set():
            try:
                shown = await look(desk, run_id, sample_id, after, WAIT_S)
            except PermanentError as exc:
                yield _event("refused", why=str(exc))
                return
            except ExhibitError as exc:
                name = "nobody" if exc.code in NOBODY else "full" if exc.code == "rate_limited" else "away"
                yield _event(name)
                await _pause(desk)
                continue
            if isinstance(shown, PageShown):
                after = shown.number
                yield _event("frame", **_told(shown))
            else:
                yield _event("still", why=shown.why)


def _told(shown: PageShown) -> dict[str, Any]:
    return {
        "number": shown.number,
        "picture": base64.b64encode(shown.picture).decode(),
        "width": shown.width,
        "height": shown.height,
        "url": shown.url,
        "at": shown.taken_at,
        "covered": shown.covered,
    }


def _event(name: str, **told: Any) -> str:
    return f"event: {name}\ndata: {msgspec.json.encode(told).decode()}\n\n"


async def _pause(desk: Desk) -> None:
    """Wait, and less when the server ends."""
    try:
        await asyncio.wait_for(desk.closing.wait(), PAUSE_S)
    except TimeoutError:
        return
