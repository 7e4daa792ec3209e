"""Whether a picture shows the text of a value, and nothing beside it that the page does not say.

A text is seen where the picture has ink in the box of each of its words, and a font has each of its characters. Ink is
what differs from the ground around it. Ink near the text, in the place of the value, that no text, icon or ground of
the page accounts for is unexplained: a sign that a style sheet draws, or another text over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from shared.contracts.results import Box, Ink

Pixels = NDArray[np.uint8]
"""Height, width, and red, green and blue."""
Mask = NDArray[np.bool_]
BoxOnPage = tuple[float, float, float, float]
"""Left, top, width and height in CSS pixels of the document."""

VISIBLE = 36
"""Least difference of a colour channel (of 255) that a person sees as ink."""
LEAST_INK_PX = 2
LEAST_STRANGE_PX = 4
"""Fewer pixels without an explanation are the edge of a letter."""
LEAST_ICON_PX = 9
"""Least height and width of an icon."""
EDGE_PX, ABOVE_PX, BELOW_PX = 2, 1, 3
"""How far letters reach out of their box: slanted ones to the side, lines under them below. A box that begins within a
pixel may be drawn from the pixel before it."""
EDGE_OFF_PX = 1.0
"""A box may reach this far over the edge of a picture; letters do not fill their boxes."""
STILL_PX = 1.0
PLAIN_SHARE = 0.5
"""Part of the place that has to be ground for what is drawn beside the text to be told from it."""


class DrawnValue(msgspec.Struct, frozen=True):
    """Where a value is drawn, as ink.js reports it. ``zone``: where something else would be read with it. ``texts``:
    the seen parts of its lines. ``others``: what else is known to be drawn there. ``icons``: boxes with a picture
    behind their text. ``misdrawn``: its letters stand in another order, with a gap or turned over. ``box``: the part of
    its element that is not cut off. ``words``: which of its ``count`` words the texts are, where only those in sight
    are reported. ``judged``: a text stands for it, or would; else only its place is known. ``glyphless``: how many of
    its characters no font has, so that a box is drawn in place of each."""

    outside: bool
    cut: bool
    zone: BoxOnPage
    texts: tuple[BoxOnPage, ...]
    others: tuple[BoxOnPage, ...]
    icons: tuple[BoxOnPage, ...] = ()
    misdrawn: bool = False
    box: BoxOnPage = (0.0, 0.0, 0.0, 0.0)
    words: tuple[int, ...] = ()
    count: int = 1
    judged: bool = True
    glyphless: int = 0

    def moved(self, x: float, y: float) -> DrawnValue:
        """Return it in a page whose frame begins at ``x``, ``y``."""

        def move(box: BoxOnPage) -> BoxOnPage:
            return box[0] + x, box[1] + y, box[2], box[3]

        texts, others, icons = (tuple(map(move, boxes)) for boxes in (self.texts, self.others, self.icons))
        zone, box = move(self.zone), move(self.box)
        return replace(self, zone=zone, texts=texts, others=others, icons=icons, box=box)

    def within(self, seen: BoxOnPage) -> DrawnValue:
        """Return it in a frame of which no more than ``seen`` can be seen."""
        boxes = self.texts or (self.zone,)
        if all(_covers(seen, box, EDGE_OFF_PX) for box in boxes):
            return replace(self, zone=overlap(self.zone, seen), box=overlap(self.box, seen))
        return replace(self, cut=True, outside=not any(min(overlap(box, seen)[2:]) > 0 for box in boxes))

    @property
    def places(self) -> tuple[BoxOnPage, ...]:
        """What a picture of it has to show."""
        return tuple(box for box in (self.zone, *self.texts) if box[2] > 0)


@dataclass(frozen=True)
class Picture:
    """A part of the document as pixels. ``scale``: pixels for each CSS pixel."""

    pixels: Pixels
    left: float
    top: float
    scale: float

    def rectangle(self, box: BoxOnPage, side: float = 0, below: float = 0, above: float = 0) -> tuple[slice, slice]:
        """Return the rows and columns of a box, with so many CSS pixels more to the sides, below and above."""
        left, top, width, height = box
        height_px, width_px = self.pixels.shape[:2]

        def px(position: float, most: int) -> int:
            # `round` alone rounds halves to even, so that a box would be of another size in another picture.
            return min(max(floor(round(position * self.scale, 2) + 0.5), 0), most)

        rows = slice(px(top - self.top - above, height_px), px(top - self.top + height + below, height_px))
        columns = slice(px(left - self.left - side, width_px), px(left - self.left + width + side, width_px))
        return rows, columns

    def inner_rectangle(self, box: BoxOnPage) -> tuple[slice, slice]:
        """Return the rows and columns that are within a box as a whole: none that its neighbours share."""
        left, top, width, height = box

        def within(start: float, length: float, most: int) -> slice:
            first, last = ceil(round(start * self.scale, 2)), floor(round((start + length) * self.scale, 2))
            return slice(min(max(first, 0), most), min(max(last, 0), most))

        height_px, width_px = self.pixels.shape[:2]
        return within(top - self.top, height, height_px), within(left - self.left, width, width_px)

    @property
    def area(self) -> BoxOnPage:
        height_px, width_px = self.pixels.shape[:2]
        return self.left, self.top, width_px / self.scale, height_px / self.scale

    def shows(self, value: DrawnValue) -> bool:
        """Return whether all of a value is within the picture."""
        return all(_covers(self.area, box, EDGE_OFF_PX) for box in value.places)


def find_ink(drawn: DrawnValue, picture: Picture) -> Ink:
    """Return what the picture shows of a value."""
    if drawn.outside:
        return Ink(state="outside")
    if drawn.cut:
        return Ink(state="absent")
    if not drawn.judged:
        return Ink(state="seen")
    for box in drawn.texts:
        pixels = picture.pixels[picture.rectangle(box)]
        if pixels.size == 0:
            return Ink(state="outside", at=_box(box))
        if _count(_ink_on(pixels, _ground(pixels))) < LEAST_INK_PX:
            return Ink(state="absent", at=_box(box))
    if drawn.misdrawn:
        return Ink(state="unexplained", at=_box(drawn.texts[0]) if drawn.texts else None)
    strange = _strange_ink(drawn, picture)
    if strange is not None:
        return Ink(state="unexplained", at=strange)
    if drawn.texts and drawn.glyphless:
        return Ink(state="absent", glyphless=drawn.glyphless)
    return Ink(state="seen" if drawn.texts else "absent")


def _strange_ink(drawn: DrawnValue, picture: Picture) -> Box | None:
    """Return the box of ink in the place of the value that nothing accounts for."""
    rows, columns = picture.inner_rectangle(drawn.zone)
    pixels = picture.pixels[rows, columns]
    if pixels.size == 0:
        return None
    ground = _ground(pixels)
    ink = _ink_on(pixels, ground)
    known = np.zeros_like(ink)
    for box in (*drawn.texts, *drawn.others):
        known_rows, known_columns = picture.rectangle(box, EDGE_PX, BELOW_PX, ABOVE_PX)
        known[_within(known_rows, rows), _within(known_columns, columns)] = True
    strange = ink & ~known
    for box in drawn.icons:
        icon_rows, icon_columns = picture.rectangle(box)
        part = strange[_within(icon_rows, rows), _within(icon_columns, columns)]
        if _is_icon(part, picture.scale):
            part[:] = False
    if _count(strange) < LEAST_STRANGE_PX or _count(strange) > PLAIN_SHARE * _count(~known):
        return None
    found_rows, found_columns = np.nonzero(strange)
    return _box(
        (
            picture.left + (columns.start + int(found_columns.min())) / picture.scale,
            picture.top + (rows.start + int(found_rows.min())) / picture.scale,
            int(np.ptp(found_columns) + 1) / picture.scale,
            int(np.ptp(found_rows) + 1) / picture.scale,
        )
    )


def _is_icon(ink: Mask, scale: float) -> bool:
    """Return whether the ink is as large as an icon: a sign of a number is low or narrow."""
    found_rows, found_columns = np.nonzero(ink)
    if found_rows.size == 0:
        return False
    return min(int(np.ptp(found_rows)), int(np.ptp(found_columns))) + 1 >= LEAST_ICON_PX * scale


def _within(known: slice, whole: slice) -> slice:
    return slice(max(known.start - whole.start, 0), max(known.stop - whole.start, 0))


def _ground(pixels: Pixels) -> NDArray[np.int16]:
    """Return the most frequent colour."""
    red, green, blue = (pixels[..., channel].astype(np.uint32).ravel() for channel in range(3))
    colours, counts = np.unique((red << 16) | (green << 8) | blue, return_counts=True)
    most = int(colours[counts.argmax()])
    return np.array([most >> 16, (most >> 8) & 255, most & 255], dtype=np.int16)


def _ink_on(pixels: Pixels, ground: NDArray[np.int16]) -> Mask:
    return np.abs(pixels.astype(np.int16) - ground).max(axis=2) >= VISIBLE


def _count(mask: Mask) -> int:
    return int(np.count_nonzero(mask))


def _box(box: BoxOnPage) -> Box:
    left, top, width, height = box
    return Box(x=round(left, 1), y=round(top, 1), width=round(width, 1), height=round(height, 1))


# --- which parts of the page to look at

MAX_BAND_PX = 3000.0
MAX_BANDS = 12
MARGIN_PX = 4.0


def bands(values: Sequence[DrawnValue]) -> tuple[BoxOnPage, ...]:
    """Return the parts of the page that show the values, from the top down; at most `MAX_BANDS`, each of a height that
    a picture can have."""
    places = (box for value in values for box in value.places)
    boxes = sorted((box for box in places if box[0] + box[2] > 0 and box[1] + box[3] > 0), key=lambda box: box[1])
    found: list[BoxOnPage] = []
    for box in boxes:
        last = found[-1] if found else None
        joined = None if last is None else _hull(last, box)
        if joined is not None and joined[3] <= MAX_BAND_PX:
            found[-1] = joined
        else:
            found.append(box)
    return tuple(_wider(box) for box in found[:MAX_BANDS])


def covers(band: BoxOnPage, value: DrawnValue) -> bool:
    """Return whether the band shows the whole of a value."""
    return all(_covers(band, box) for box in value.places)


def _covers(band: BoxOnPage, box: BoxOnPage, slack: float = 0.0) -> bool:
    wider = band[0] - slack, band[1] - slack, band[2] + 2 * slack, band[3] + 2 * slack
    return _hull(wider, box) == wider


def overlap(one: BoxOnPage, other: BoxOnPage) -> BoxOnPage:
    left, top = max(one[0], other[0]), max(one[1], other[1])
    right, bottom = min(one[0] + one[2], other[0] + other[2]), min(one[1] + one[3], other[1] + other[3])
    return left, top, max(0.0, right - left), max(0.0, bottom - top)


def _hull(one: BoxOnPage, other: BoxOnPage) -> BoxOnPage:
    left, top = min(one[0], other[0]), min(one[1], other[1])
    right, bottom = max(one[0] + one[2], other[0] + other[2]), max(one[1] + one[3], other[1] + other[3])
    return left, top, right - left, bottom - top


def _wider(box: BoxOnPage) -> BoxOnPage:
    """Return the box with a margin, in whole pixels: so it is drawn as a picture of the whole page is."""
    left, top = (max(float(floor(edge - MARGIN_PX)), 0.0) for edge in box[:2])
    right, bottom = (float(ceil(edge + MARGIN_PX)) for edge in (box[0] + box[2], box[1] + box[3]))
    return left, top, right - left, bottom - top


# --- two pictures, and two moments


def shows_same(value: DrawnValue, one: Picture, other: Picture) -> bool:
    """Return whether two pictures show the same where a value stands. False where one of them does not show it all."""
    places = value.places
    if not places or not (one.shows(value) and other.shows(value)):
        return False
    for box in places:
        first, second = (picture.pixels[picture.rectangle(box)] for picture in (one, other))
        if first.shape != second.shape or not bool((np.abs(first.astype(np.int16) - second) < VISIBLE).all()):
            return False
    return True


def stands_still(before: DrawnValue, after: DrawnValue) -> bool:
    """Return whether a value was at the same place at two moments."""
    first, second = (*before.places, before.box), (*after.places, after.box)
    state = (before.outside, before.cut, len(first)) == (after.outside, after.cut, len(second))
    edges = ((a, b) for one, other in zip(first, second, strict=False) for a, b in zip(one, other, strict=True))
    return state and all(abs(a - b) < STILL_PX for a, b in edges)


def part_on(value: DrawnValue, area: BoxOnPage) -> Box | None:
    """Return the part of a value's element that a picture of ``area`` shows; None if it shows nothing of it."""
    part = overlap(value.box, area)
    return _box(part) if min(part[2:]) > 0 else None
