"""Whether a picture shows the text of a value, and nothing beside it that the page does not say.

A text is seen where the picture has ink in the box of each of its words. Ink is what differs from the ground around it.
Ink near the text, in the place of the value, that no text, icon or ground of the page accounts for is unexplained: a
sign that a style sheet draws, or another text over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
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
EDGE_PX, BELOW_PX = 2, 3
"""How far letters reach out of their box: slanted ones to the side, lines under them below."""
PLAIN_SHARE = 0.5
"""Part of the place that has to be ground for what is drawn beside the text to be told from it."""


class DrawnValue(msgspec.Struct, frozen=True):
    """Where a value is drawn, as ink.js reports it. ``zone``: where something else would be read with it. ``texts``:
    the seen parts of its lines. ``others``: what else is known to be drawn there. ``icons``: boxes with a picture
    behind their text. ``misdrawn``: its letters stand in another order, with a gap or turned over."""

    outside: bool
    cut: bool
    zone: BoxOnPage
    texts: tuple[BoxOnPage, ...]
    others: tuple[BoxOnPage, ...]
    icons: tuple[BoxOnPage, ...] = ()
    misdrawn: bool = False

    def moved(self, x: float, y: float) -> DrawnValue:
        """Return it in a page whose frame begins at ``x``, ``y``."""

        def move(box: BoxOnPage) -> BoxOnPage:
            return box[0] + x, box[1] + y, box[2], box[3]

        texts, others, icons = (tuple(map(move, boxes)) for boxes in (self.texts, self.others, self.icons))
        return DrawnValue(self.outside, self.cut, move(self.zone), texts, others, icons, self.misdrawn)


@dataclass(frozen=True)
class Picture:
    """A part of the document as pixels. ``scale``: pixels for each CSS pixel."""

    pixels: Pixels
    left: float
    top: float
    scale: float

    def rectangle(self, box: BoxOnPage, side: float = 0, below: float = 0) -> tuple[slice, slice]:
        """Return the rows and columns of a box, with so many CSS pixels more to the sides and below."""
        left, top, width, height = box
        height_px, width_px = self.pixels.shape[:2]

        def px(position: float, most: int) -> int:
            return min(max(round(position * self.scale), 0), most)

        rows = slice(px(top - self.top, height_px), px(top - self.top + height + below, height_px))
        columns = slice(px(left - self.left - side, width_px), px(left - self.left + width + side, width_px))
        return rows, columns


def find_ink(drawn: DrawnValue, picture: Picture) -> Ink:
    """Return what the picture shows of a value."""
    if drawn.outside:
        return Ink(state="outside")
    if drawn.cut:
        return Ink(state="absent")
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
    return Ink(state="seen" if drawn.texts else "absent")


def _strange_ink(drawn: DrawnValue, picture: Picture) -> Box | None:
    """Return the box of ink in the place of the value that nothing accounts for."""
    rows, columns = picture.rectangle(drawn.zone)
    pixels = picture.pixels[rows, columns]
    if pixels.size == 0:
        return None
    ground = _ground(pixels)
    ink = _ink_on(pixels, ground)
    known = np.zeros_like(ink)
    for box in (*drawn.texts, *drawn.others):
        known_rows, known_columns = picture.rectangle(box, EDGE_PX, BELOW_PX)
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
    drawn = (box for value in values for box in (value.zone, *value.texts) if box[2] > 0)
    boxes = sorted(drawn, key=lambda box: box[1])
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
    return all(_hull(band, box) == band for box in (value.zone, *value.texts) if box[2] > 0)


def _hull(one: BoxOnPage, other: BoxOnPage) -> BoxOnPage:
    left, top = min(one[0], other[0]), min(one[1], other[1])
    right, bottom = max(one[0] + one[2], other[0] + other[2]), max(one[1] + one[3], other[1] + other[3])
    return left, top, right - left, bottom - top


def _wider(box: BoxOnPage) -> BoxOnPage:
    left, top = max(box[0] - MARGIN_PX, 0.0), max(box[1] - MARGIN_PX, 0.0)
    return left, top, box[0] + box[2] + MARGIN_PX - left, box[1] + box[3] + MARGIN_PX - top
