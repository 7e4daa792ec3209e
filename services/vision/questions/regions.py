"""Pure: where something is in a picture, in the part that is looked at, and in what was sent to a model."""

from __future__ import annotations

import math
from dataclasses import dataclass

from shared.contracts.results import Box

LONGEST_PX = 1568
"""More is scaled down by the model's API itself, and then its regions mean other pixels than ours."""
SHORT_SIDE_PX = 320
MOST_UP = 16
"""So that an icon of 16 px is seen at all, and no hair line is blown up to a wall."""
SLACK_PX = 1.5


@dataclass(frozen=True)
class Place:
    """A part of a picture: left, top, right, bottom in whole pixels of the picture."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width_px(self) -> int:
        return self.right - self.left

    @property
    def height_px(self) -> int:
        return self.bottom - self.top

    @property
    def box(self) -> Box:
        return Box(x=self.left, y=self.top, width=self.width_px, height=self.height_px)


@dataclass(frozen=True)
class Scaled:
    """What is sent: encoded pixels, their media type, and their size."""

    data: bytes
    media_type: str
    width_px: int
    height_px: int


def looked_at(width_px: int, height_px: int, region: Box | None) -> Place | None:
    """The part of the picture that ``region`` covers, whole pixels; None where that is nothing."""
    if region is None:
        return Place(0, 0, width_px, height_px)
    sides = (region.x, region.y, region.width, region.height)
    if not all(map(math.isfinite, sides)) or region.width <= 0 or region.height <= 0:
        return None
    left, top = max(0, math.floor(region.x)), max(0, math.floor(region.y))
    right, bottom = (
        min(width_px, math.ceil(region.x + region.width)),
        min(height_px, math.ceil(region.y + region.height)),
    )
    return Place(left, top, right, bottom) if left < right and top < bottom else None


def size_to_send(width_px: int, height_px: int) -> tuple[int, int]:
    """Scaled down to `LONGEST_PX`; a small picture is blown up by a whole number, so that an icon can be seen."""
    longest = max(width_px, height_px)
    if longest > LONGEST_PX:
        factor = LONGEST_PX / longest
        return max(1, round(width_px * factor)), max(1, round(height_px * factor))
    up = max(1, min(SHORT_SIDE_PX // max(1, min(width_px, height_px)), MOST_UP, LONGEST_PX // longest))
    return width_px * up, height_px * up


def is_inside(box: Box, width_px: int, height_px: int) -> bool:
    sides = (box.x, box.y, box.width, box.height)
    if not all(map(math.isfinite, sides)) or box.width <= 0 or box.height <= 0:
        return False
    starts = box.x >= -SLACK_PX and box.y >= -SLACK_PX
    return starts and box.x + box.width <= width_px + SLACK_PX and box.y + box.height <= height_px + SLACK_PX


def mapped_back(box: Box, scaled: Scaled, place: Place) -> Box:
    """From pixels of what was sent to pixels of the whole picture, never outside of the part that was looked at."""
    across, down = place.width_px / scaled.width_px, place.height_px / scaled.height_px
    left, right = (min(max(x * across, 0), place.width_px) for x in (box.x, box.x + box.width))
    top, bottom = (min(max(y * down, 0), place.height_px) for y in (box.y, box.y + box.height))
    return Box(x=place.left + left, y=place.top + top, width=right - left, height=bottom - top)
