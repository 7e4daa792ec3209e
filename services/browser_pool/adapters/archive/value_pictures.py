"""Takes pictures that show values which a picture of the page as it is does not show.

Such a value lies in a part that scrolls, under something that does not scroll with the page, or where the page draws
only what is in sight. What a person can scroll is scrolled until the value is in sight; the picture is that of the
window. Nothing else is done to the page, so that no picture shows what a person cannot come to see. All is put back.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace
from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.archive.ink_look import Looked, MeasuredValues, has_stood
from services.browser_pool.adapters.observe.engine import DocumentState, ask, decode
from services.browser_pool.adapters.observe.frames import FRAME_TIMEOUT_S, FramePlace, PageWalk, WalkedPage
from services.browser_pool.adapters.observe.worlds import Worlds
from services.browser_pool.adapters.pictures import draw_png, held_still, to_picture
from services.browser_pool.adapters.rest import wait_for_images
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page.ink import DrawnValue, find_ink, part_on
from services.browser_pool.page.model import FIELD, Seen
from shared.contracts.results import Box

SHOWN_ID = "shown"
"""The snapshot of a page on which values were brought into sight."""
WAYS = ("start", "middle", "end")
"""Where a value is brought to; a fixed head or box may cover it at one place and not at another."""
MOST_LOOKS = 24
MOST_FAILURES = 2
"""Looks at a value that is in sight and free, and of which the picture does not show all: it may be drawn late."""
LOOKS_S = 15.0
REST_BOUND_S = 1.0
DRAWN_TRIES = 3
SAID = 4
"""Fields of a content line that say what an element is and shows."""


class Brought(msgspec.Struct, frozen=True):
    """Whether anything was scrolled, and where the value is then: left, top, width and height in the window."""

    moved: bool
    box: tuple[float, float, float, float]


@dataclass(frozen=True)
class ViewPicture:
    """A picture of the window."""

    png: bytes
    area: Box

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.png).hexdigest()


@dataclass(frozen=True)
class ShownValue:
    """A value on a picture. ``looked.box``: where it is on that."""

    looked: Looked
    picture: ViewPicture


class ValuePictures:
    """Brings values of a walked page into sight and takes pictures of them. ``snapshot_id``: that of the walk."""

    def __init__(
        self, session: PageSession, worlds: Worlds, whole: WalkedPage, found: Mapping[int, Seen], snapshot_id: str
    ) -> None:
        self._session, self._worlds, self._whole = session, worlds, whole
        self._found, self._snapshot_id = found, snapshot_id
        self._places = {place.frame_id: place for place, _, _ in whole.parts}
        self._beside: dict[int, str | None] = {}
        self._until_s = time.monotonic() + LOOKS_S
        self._looks = 0
        self._moved = False
        """Something was scrolled since the last look."""
        self._failures: Counter[int] = Counter()
        self._words: dict[int, set[int]] = defaultdict(set)
        """The words of each value that were seen so far."""
        self._first: dict[int, ShownValue] = {}
        """Each value on the first picture that shows a word of it."""

    async def show(self, hidden: Sequence[int], bare: Sequence[int], values: MeasuredValues) -> dict[int, ShownValue]:
        """Return the values that can be brought into sight, each with a picture that shows it. ``hidden``: those that
        are not seen where they are. ``bare``: those that are, and are on no picture."""
        shown: dict[int, ShownValue] = {}
        self._moved = bool(bare)
        left = sorted([*hidden, *bare], key=lambda ref: (self._found[ref].y, self._found[ref].x))
        try:
            self._beside = await values.beside()
            for ref in left:
                if ref not in shown:
                    await self._show_one(ref, left, shown)
        except (Error, PlaywrightTimeout) as error:
            self._session.tabs.raise_if_lost(error)
        finally:
            await self._put_back()
        return shown

    async def _show_one(self, ref: int, left: Sequence[int], shown: dict[int, ShownValue]) -> None:
        """Bring a value into sight: in one of the ways, and part by part where it does not fit."""
        ways = iter(WAYS)
        way = next(ways, None)
        while way and self._looks < MOST_LOOKS and time.monotonic() < self._until_s:
            seen = len(self._words[ref])
            self._moved = await self._session.run_timed(self._bring(ref, way)) or self._moved
            if self._moved:
                self._moved = False
                self._looks += 1
                await self._wait_for_rest()
                shown |= await self._session.run_timed(self._look([one for one in left if one not in shown]))
            if ref in shown or self._failures[ref] >= MOST_FAILURES:
                return
            way = way if len(self._words[ref]) > seen else next(ways, None)

    # --- scrolling

    async def _bring(self, ref: int, way: str) -> bool:
        """Scroll what is around a value, in its frame and in those around it. Return whether anything moved."""
        one = self._found[ref]
        place, first = self._places[one.frame_id], _first_missing(self._words[ref])
        brought = await self._ask(place, "bring", self._snapshot_id, one.item.n, way, first)
        moved = brought.moved
        while place.parent is not None:
            brought = await self._ask(place.parent, "bring", place.snapshot_id, place.n, way, 0, *map(str, brought.box))
            moved, place = moved or brought.moved, place.parent
        return moved

    async def _ask(self, place: FramePlace, *asked: str | int) -> Brought:
        verb, *parameters = asked
        return decode(await self._worlds.ask(place.frame_id, FRAME_TIMEOUT_S, str(verb), *parameters), Brought)

    async def _put_back(self) -> None:
        for place in self._places.values():
            with suppress(Error, PlaywrightTimeout):  # a frame that is gone has nothing to be put back
                await self._worlds.ask(place.frame_id, FRAME_TIMEOUT_S, "putBack", SHOWN_ID)
        await self._wait_for_rest()

    async def _wait_for_rest(self) -> None:
        limit_s = min(REST_BOUND_S, self._session.limits.rest_s)
        await self._session.wait_for_rest(acted=True, bound_s=limit_s)

    # --- looking

    async def _look(self, refs: Sequence[int]) -> dict[int, ShownValue]:
        """Return the values that a picture of the window shows as it stands."""
        await wait_for_images(self._session.page, FRAME_TIMEOUT_S)
        look = PageWalk(self._worlds, SHOWN_ID, FRAME_TIMEOUT_S)
        whole = await look.survey(scripts=self._whole.main.scripts)
        values = await self._find_again(whole, refs)
        async with held_still(self._session.page):
            taken, drawn = await self._draw(values)
        if any(part.scripts for _, part, _ in whole.parts):
            # What a script makes of a page that was scrolled may come with this very picture.
            same = await self._find_again(await look.survey(scripts=True), list(drawn))
            drawn = {ref: one for ref, one in drawn.items() if ref in same.refs}
        picture = await asyncio.to_thread(to_picture, taken.png, taken.area)
        shown: dict[int, ShownValue] = {}
        for ref, value in drawn.items():
            box = part_on(value, picture.area)
            if box is None or not picture.shows(value):
                continue
            looked = Looked(find_ink(value, picture), value, box=box)
            if not looked.is_shown:
                self._failures[ref] += 1
                continue
            self._words[ref].update(value.words)
            first = self._first.setdefault(ref, ShownValue(looked, taken))
            if len(self._words[ref]) >= value.count:
                shown[ref] = first
        return shown

    async def _draw(
        self, values: MeasuredValues, tries: int = DRAWN_TRIES
    ) -> tuple[ViewPicture, dict[int, DrawnValue]]:
        """Return a picture of the window, and what stands in it free and still of the values."""
        main = self._session.page.main_frame
        state, before = await ask(main, DocumentState, FRAME_TIMEOUT_S, "state"), await values.measure(in_sight=True)
        taken = ViewPicture(await draw_png(self._session.page), _view_of(state))
        after = await values.measure(in_sight=True)
        then = await ask(main, DocumentState, FRAME_TIMEOUT_S, "state")
        stood = [ref for ref in before if _view_of(then) == taken.area and has_stood(ref, before, after)]
        if len(stood) < len(before) and tries > 1:
            return await self._draw(values, tries - 1)
        return taken, {ref: before[ref] for ref in stood if not (before[ref].outside or before[ref].cut)}

    async def _find_again(self, whole: WalkedPage, refs: Sequence[int]) -> MeasuredValues:
        """Return the values that still are what they were: a list may use its elements for other records."""
        now: dict[int, Seen] = {}
        for place, _, _ in whole.parts:
            here = [ref for ref in refs if self._found[ref].frame_id == place.frame_id]
            if here:
                then = ",".join(str(self._found[ref].item.n) for ref in here)
                asked = await self._worlds.ask(
                    place.frame_id, FRAME_TIMEOUT_S, "where", self._snapshot_id, SHOWN_ID, then
                )
                for ref, n in zip(here, decode(asked, tuple[int, ...]), strict=True):
                    if n >= 0 and self._says_same(ref, whole, place, n):
                        one = self._found[ref]
                        now[ref] = replace(one, item=replace(one.item, n=n))
        places = [place for place, _, _ in whole.parts]
        beside = await MeasuredValues(self._worlds, places, now, SHOWN_ID).beside()
        same = {ref: one for ref, one in now.items() if beside[ref] == self._beside[ref]}
        return MeasuredValues(self._worlds, places, same, SHOWN_ID)

    def _says_same(self, ref: int, whole: WalkedPage, place: FramePlace, n: int) -> bool:
        (index,) = whole.refs.indexes(place, {n})
        then, now = self._whole.contents[self._found[ref].ref - 1], whole.contents[index]
        return then.split(FIELD)[:SAID] == now.split(FIELD)[:SAID]


def _first_missing(words: set[int]) -> int:
    return next(number for number in range(len(words) + 1) if number not in words)


def _view_of(state: DocumentState) -> Box:
    return Box(x=state.scroll_x, y=state.scroll_y, width=state.view_width, height=state.view_height)
