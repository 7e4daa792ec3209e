"""The page of a session as it is drawn now, while somebody looks.

The browser draws no picture before the one before it is acknowledged, and it is acknowledged once it was made ready and
a pause is over: so pictures are dropped where they arise, and none is queued. Secrets are black in all of them: where
one stood before a picture was drawn, and where one stands after it. While one is typed there is no picture.
"""

from __future__ import annotations

import asyncio
import base64
import io
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec
from PIL import Image, ImageDraw
from playwright.async_api import CDPSession, Error, Frame, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.guard.secrets import hidden_in
from services.browser_pool.adapters.observe.engine import ask
from services.browser_pool.adapters.protocol import on, send
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.ports import LiveFrame
from shared.aio import wait_for_first
from shared.contracts.results import Box
from shared.secrets.redaction import redacted_text

MOST_PX = 1280
QUALITY, SMALL_QUALITY = 60, 35
MOST_BYTES = 450_000
"""Of a picture: with base64 it is a message that a foreign NATS server takes."""
MOST_OWED, HELD_BACK = 3, 2
"""The browser draws three pictures before one is acknowledged, and leaves out the others. While the page moves, two are
not, so that it draws one for each that is shown; once it stands still the view is asked for anew."""
IDLE_S = 4.0
"""After the last ask the browser draws no more."""
LOOK_S = 0.5
"""How often it is looked whether another tab is shown, or nobody asks any more."""
ANSWER_S = 1.0
"""For a document to say where its secrets stand. One that does not is not shown."""
MOST_BOXES, MARGIN_PX = 200, 2.0


class Veils(msgspec.Struct, frozen=True):
    """Where a document shows secrets, in CSS px of its view; its size, and where it is scrolled to."""

    boxes: tuple[tuple[float, float, float, float], ...]
    width: float
    height: float
    x: float
    y: float


@dataclass(frozen=True)
class _View:
    """A view of the page. ``boxes``: its secrets; None: not all of its documents have answered."""

    boxes: frozenset[Box] | None
    width: float = 0.0
    height: float = 0.0
    x: float = 0.0
    y: float = 0.0


class Screencast:
    """The pictures of one session. It begins with the first ask, follows the active tab, and ends by itself."""

    def __init__(self, session: PageSession) -> None:
        self._session = session
        self._running: asyncio.Task[None] | None = None
        self._latest: LiveFrame | None = None
        self._why = ""
        self._news = asyncio.Event()
        self._number = 0
        self._asked_s, self._waiting, self._gap_s = 0.0, 0, 0.0
        self._muted = self._mutes = 0
        self._drawn = asyncio.Event()
        self._raw: dict[str, Any] | None = None
        self._owed, self._cast = 0, 0
        """Pictures that the browser has sent and that are not acknowledged, and the number by which they are."""
        self._dropped = False
        """Whether the browser may have left out a picture, because as many were owed as may be."""

    async def next_frame(self, after: int, wait_s: float, gap_s: float) -> LiveFrame | str:
        """Return the picture after that number; without one within the time, why there is none: empty for a page that
        stands still."""
        self._asked_s, self._gap_s = time.monotonic(), gap_s
        if self._running is None or self._running.done():
            self._latest, self._why = None, ""
            self._running = asyncio.create_task(self._run())
        self._waiting += 1
        try:
            async with asyncio.timeout(wait_s):
                while self._latest is None or self._latest.number <= after:
                    news = self._news
                    await news.wait()
                return self._latest
        except TimeoutError:
            return self._why
        finally:
            self._waiting -= 1
            self._asked_s = time.monotonic()

    @contextmanager
    def unseen(self) -> Generator[None]:
        """Show nothing of what is drawn within the block."""
        self._muted += 1
        self._mutes += 1
        try:
            yield
        finally:
            self._muted -= 1
            self._mutes += 1

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def _run(self) -> None:
        while self._is_wanted() and not self._session.lost:
            page = self._session.page
            try:
                async with self._casting(page) as protocol:
                    await self._follow(page, protocol)
            except (Error, PlaywrightTimeout):  # the tab has closed, or moved on: who looks ends no session
                self._why = "the page cannot be shown now"
                await asyncio.sleep(LOOK_S)

    def _is_wanted(self) -> bool:
        return self._waiting > 0 or time.monotonic() - self._asked_s < IDLE_S

    @asynccontextmanager
    async def _casting(self, page: Page) -> AsyncGenerator[CDPSession]:
        protocol = await page.context.new_cdp_session(page)
        on(protocol, "Page.screencastFrame", self._take)
        self._raw, self._owed = None, 0
        self._drawn.clear()
        try:
            yield protocol
        finally:
            with suppress(Error):  # the page may be gone
                await send(protocol, "Page.stopScreencast")
                await protocol.detach()

    def _take(self, event: dict[str, Any]) -> None:
        self._raw, self._cast = event, event["sessionId"]
        self._owed += 1
        self._dropped = self._dropped or self._owed >= MOST_OWED
        self._drawn.set()

    async def _begin(self, protocol: CDPSession) -> None:
        """Have the browser draw; it sends the view as it is, and each change of it."""
        self._owed, self._dropped = 0, False
        await send(
            protocol, "Page.startScreencast", format="jpeg", quality=QUALITY, maxWidth=MOST_PX, maxHeight=MOST_PX
        )

    async def _follow(self, page: Page, protocol: CDPSession) -> None:
        """Make pictures of a tab until another one is shown, or nobody asks."""
        before, again = await self._view(page), False
        await self._begin(protocol)
        while self._is_wanted() and self._session.page is page and not page.is_closed():
            await wait_for_first(self._drawn.wait(), timeout_s=LOOK_S)
            raw, mutes = self._raw, self._mutes
            if raw is None:
                # What was left out, or covered too much, may be how the page stands still.
                if (again or self._dropped) and not self._muted:
                    again = False
                    await send(protocol, "Page.stopScreencast")
                    await self._begin(protocol)
                continue
            self._raw = None
            self._drawn.clear()
            now = await self._view(page)
            frame = None if self._muted else await self._made(raw, before, now)
            if frame is not None and self._mutes == mutes:
                self._tell(frame)
            again = frame is None or self._mutes != mutes or before.boxes != now.boxes
            before = now
            await asyncio.sleep(self._gap_s)
            await self._acknowledge(protocol)

    async def _acknowledge(self, protocol: CDPSession) -> None:
        """Have the browser draw a further picture for each that was shown."""
        while self._owed > HELD_BACK:
            self._owed -= 1
            await send(protocol, "Page.screencastFrameAck", sessionId=self._cast)

    async def _made(self, raw: dict[str, Any], before: _View, now: _View) -> LiveFrame | None:
        """Return the picture; None where it is not known what of it is secret."""
        if now.boxes is None or before.boxes is None:
            self._why = "a document of the page does not say where its secrets stand"
            return None
        boxes = before.boxes | now.boxes
        told = raw["metadata"]
        width, height = float(told["deviceWidth"]), float(told["deviceHeight"])
        picture = await asyncio.to_thread(covered, base64.b64decode(raw["data"]), boxes, width, height)
        self._number = max(self._number + 1, int(time.time() * 1000))  # later also than those of an earlier session
        return LiveFrame(
            number=self._number,
            picture=picture,
            width=width,
            height=height,
            scroll_x=now.x,
            scroll_y=now.y,
            url=redacted_text(self._session.page.url, self._session.hidden)[:2000],
            taken_at=datetime.now(UTC),
            covered=len(boxes),
        )

    def _tell(self, frame: LiveFrame) -> None:
        self._latest, self._why = frame, ""
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def _view(self, page: Page) -> _View:
        """Return where the page shows secrets. A frame that shows one, or does not answer, is secret as a whole."""
        hidden = hidden_in(page.context)
        main, *others = page.frames
        own, *inner = await asyncio.gather(_veils(main, hidden), *(_frame_box(frame, hidden) for frame in others))
        if not isinstance(own, Veils):
            return _View(None)
        boxes = {Box(x=x, y=y, width=width, height=height) for x, y, width, height in own.boxes[:MOST_BOXES]}
        if len(own.boxes) > MOST_BOXES or any(isinstance(one, Veils) for one in inner):
            boxes = {Box(x=0, y=0, width=own.width, height=own.height)}
        boxes |= {one for one in inner if isinstance(one, Box)}
        return _View(frozenset(boxes), own.width, own.height, own.x, own.y)


async def _veils(frame: Frame, hidden: tuple[str, ...]) -> Veils | None:
    try:
        return await ask(frame, Veils, ANSWER_S, "veils", *hidden)
    except Error:
        return None


async def _frame_box(frame: Frame, hidden: tuple[str, ...]) -> Box | Veils | None:
    """Return where a frame is that must not be shown; None: it may, or it is not seen. What it says itself where its
    place is not known."""
    if frame.is_detached():
        return None
    found = await _veils(frame, hidden)
    if found is not None and not found.boxes:
        return None
    try:
        async with asyncio.timeout(ANSWER_S):
            box = await (await frame.frame_element()).bounding_box()
    except (Error, TimeoutError):
        return None if frame.is_detached() else found or Veils((), 0, 0, 0, 0)
    return None if box is None else Box(**box)


def covered(picture: bytes, boxes: frozenset[Box], width: float, height: float) -> bytes:
    """Return a JPEG with these parts of a view of ``width`` and ``height`` CSS px black, and not larger than a message
    may be."""
    if not boxes and len(picture) <= MOST_BYTES:
        return picture
    with Image.open(io.BytesIO(picture)) as image:
        drawn = image.convert("RGB")
    across, down = drawn.width / max(width, 1.0), drawn.height / max(height, 1.0)
    draw = ImageDraw.Draw(drawn)
    for box in boxes:
        left, top = box.x - MARGIN_PX, box.y - MARGIN_PX
        right, bottom = box.x + box.width + MARGIN_PX, box.y + box.height + MARGIN_PX
        draw.rectangle((left * across, top * down, right * across, bottom * down), fill="black")
    for quality, shrink in ((QUALITY, 1), (SMALL_QUALITY, 1), (SMALL_QUALITY, 2)):
        data = io.BytesIO()
        drawn.reduce(shrink).save(data, "JPEG", quality=quality)
        if len(data.getvalue()) <= MOST_BYTES:
            break
    return data.getvalue()
