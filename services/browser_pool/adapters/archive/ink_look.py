"""Looks at the pictures of values: whether their text is drawn, and what is drawn beside it.

Values are measured and pictures taken while the page is held still, and measured once more afterwards: what moved
meanwhile is looked at again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec
from playwright.async_api import Page

from services.browser_pool.adapters.kept_pictures import KeptPicture
from services.browser_pool.adapters.observe.engine import DocumentState, decode
from services.browser_pool.adapters.observe.frames import FRAME_TIMEOUT_S, FramePlace
from services.browser_pool.adapters.observe.worlds import Worlds
from services.browser_pool.adapters.pictures import draw_png, held_still, to_picture
from services.browser_pool.page.ink import (
    BoxOnPage,
    DrawnValue,
    Picture,
    bands,
    covers,
    find_ink,
    overlap,
    part_on,
    shows_same,
    stands_still,
)
from services.browser_pool.page.model import Seen
from shared.contracts.results import Box, Ink

MOST_LOOKS = 3
"""At a page on which values move."""

AnswerT = TypeVar("AnswerT")
Point = tuple[float, float]
ORIGIN: Point = (0.0, 0.0)


class FrameAt(msgspec.Struct, frozen=True):
    """Where the content of a frame begins on the page, and the part of it that can be seen there."""

    corner: Point
    seen: BoxOnPage


@dataclass(frozen=True)
class Looked:
    """What a picture shows of a value, and where the value was then. ``shown_on``: a kept picture that shows the same;
    ``box``: where it is on that."""

    ink: Ink
    drawn: DrawnValue
    shown_on: str = ""
    box: Box | None = None

    @property
    def is_shown(self) -> bool:
        """Whether the picture shows all of it: its text, as far as there are fonts for it, or that there is none."""
        return self.ink.said == "glyphless" or self.ink.state == (
            "seen" if self.drawn.texts or not self.drawn.judged else "absent"
        )


class MeasuredValues:
    """Values on a page that was walked, by ref: where they are drawn now, and how they stand."""

    def __init__(
        self, worlds: Worlds, places: Sequence[FramePlace], found: Mapping[int, Seen], snapshot_id: str
    ) -> None:
        self._worlds, self._snapshot_id = worlds, snapshot_id
        self.refs = frozenset(found)
        self._parts = [
            (place, here)
            for place in places
            if (here := {ref: one for ref, one in found.items() if one.frame_id == place.frame_id})
        ]

    async def measure(self, *, in_sight: bool = False) -> dict[int, DrawnValue]:
        """Return where the values are drawn, or only those of their words that are ``in_sight``; nothing of those that
        have no place."""
        drawn: dict[int, DrawnValue] = {}
        for place, here in self._parts:
            corner, seen = await self._place_of(place)
            told = await self._ask(place, here, "inkInSight" if in_sight else "ink", DrawnValue)
            for ref, one in zip(here, told, strict=True):
                if one is not None:
                    moved = one.moved(*corner)
                    drawn[ref] = moved if seen is None else moved.within(seen)
        return drawn

    async def may_show_more(self) -> set[int]:
        """Return the values that scrolling may bring into sight. What is in a frame is always among them."""
        found: set[int] = set()
        for place, here in self._parts:
            told = await self._ask(place, here, "mayShowMore", bool)
            found |= {ref for ref, may in zip(here, told, strict=True) if may or place.parent is not None}
        return found

    async def beside(self) -> dict[int, str | None]:
        """Return what stands beside each value."""
        found: dict[int, str | None] = {}
        for place, here in self._parts:
            found |= dict(zip(here, await self._ask(place, here, "beside", str), strict=True))
        return found

    async def _ask(
        self, place: FramePlace, here: Mapping[int, Seen], verb: str, type_: type[AnswerT]
    ) -> tuple[AnswerT | None, ...]:
        asked = (verb, self._snapshot_id, ",".join(str(one.item.n) for one in here.values()))
        return decode(await self._worlds.ask(place.frame_id, FRAME_TIMEOUT_S, *asked), tuple[type_ | None, ...])

    async def _place_of(self, place: FramePlace) -> tuple[Point, BoxOnPage | None]:
        """Return where the document of a frame begins on the page, and what can be seen of it; None for all."""
        if place.parent is None:
            return ORIGIN, None
        ask = self._worlds.ask
        (outer, around), told, scrolled = await asyncio.gather(
            self._place_of(place.parent),
            ask(place.parent.frame_id, FRAME_TIMEOUT_S, "frameAt", place.snapshot_id, place.n),
            ask(place.frame_id, FRAME_TIMEOUT_S, "scrolled"),
        )
        frame, (scroll_x, scroll_y) = decode(told, FrameAt), decode(scrolled, Point)
        left, top, width, height = frame.seen
        seen = (left + outer[0], top + outer[1], width, height)
        corner = outer[0] + frame.corner[0] - scroll_x, outer[1] + frame.corner[1] - scroll_y
        return corner, seen if around is None else overlap(seen, around)


async def look_in_place(
    page: Page, values: MeasuredValues, state: DocumentState, kept: Sequence[KeptPicture]
) -> dict[int, Looked]:
    """Return what pictures of the page as it is show of the values, by ref. Raises what `draw_png` raises."""
    before: dict[int, DrawnValue] = {}
    after: dict[int, DrawnValue] = {}
    looked: dict[int, Looked] = {}
    async with held_still(page):
        for _ in range(MOST_LOOKS):
            before = await values.measure()
            if not before:
                return {}
            fresh, known = await asyncio.gather(_draw(page, before, state), _read_kept(kept, before))
            looked, after = await asyncio.gather(asyncio.to_thread(_judge, before, fresh, known), values.measure())
            if all(has_stood(ref, before, after) for ref in before):
                return looked
    return {ref: one if has_stood(ref, before, after) else moved(one) for ref, one in looked.items()}


def has_stood(ref: int, before: Mapping[int, DrawnValue], after: Mapping[int, DrawnValue]) -> bool:
    """Return whether a value stood at one place while a picture was taken."""
    return ref in after and stands_still(before[ref], after[ref])


def moved(one: Looked) -> Looked:
    """Return a look at a value that was elsewhere just afterwards: its picture shows nothing for certain."""
    return Looked(Ink(state="outside" if one.drawn.outside else "absent"), one.drawn)


async def _draw(page: Page, drawn: Mapping[int, DrawnValue], state: DocumentState) -> list[Picture]:
    """Return pictures of the parts of the page that show the values."""
    taken = [
        (band, await draw_png(page, band, in_view=_is_in_view(band, state)))
        for band in bands([value for value in drawn.values() if not value.outside])
    ]
    return [await asyncio.to_thread(to_picture, png, _to_box(band)) for band, png in taken]


def _is_in_view(band: BoxOnPage, state: DocumentState) -> bool:
    left, top = band[0] - state.scroll_x, band[1] - state.scroll_y
    return left >= 0 and top >= 0 and left + band[2] <= state.view_width and top + band[3] <= state.view_height


async def _read_kept(kept: Sequence[KeptPicture], drawn: Mapping[int, DrawnValue]) -> dict[str, Picture]:
    """Return the pixels of the kept pictures that show one of the values, by hash, as far down as these stand."""
    known: dict[str, Picture] = {}
    for one in kept:
        area = (one.area.x, one.area.y, one.area.width, one.area.height)
        bottoms = [box[1] + box[3] for value in drawn.values() if covers(area, value) for box in value.places]
        if bottoms:
            known[one.sha256] = await one.pixels(max(bottoms) + 1.0)
    return known


def _judge(drawn: Mapping[int, DrawnValue], fresh: Sequence[Picture], kept: Mapping[str, Picture]) -> dict[int, Looked]:
    return {ref: _judge_one(value, fresh, kept) for ref, value in drawn.items()}


def _judge_one(value: DrawnValue, fresh: Sequence[Picture], kept: Mapping[str, Picture]) -> Looked:
    shown = next((picture for picture in fresh if picture.shows(value)), None)
    if value.outside or shown is None:
        return Looked(Ink(state="outside" if value.outside else "absent"), value)
    same = next((sha256 for sha256, picture in kept.items() if shows_same(value, shown, picture)), "")
    box = part_on(value, kept[same].area) if same else None
    return Looked(find_ink(value, shown), value, same if box is not None else "", box)


def _to_box(box: BoxOnPage) -> Box:
    return Box(x=box[0], y=box[1], width=box[2], height=box[3])
