"""Regions of a picture: cropping, the size that is sent to a model, and the way back to pixels of the picture."""

from __future__ import annotations

import math
from dataclasses import dataclass

from shared.contracts.results import Box

MAX_SENT_PX = 1568
"""The model's API scales larger images down by itself; its regions would then not be in our pixels."""
MIN_SHORT_SIDE_PX = 320
MAX_UPSCALE = 16
"""Largest factor for small pictures: a 16 px icon becomes legible, a thin line does not become a large area."""
SLACK_PX = 1.5
"""How far a region of a model may stick out of the image."""


@dataclass(frozen=True)
class PixelRect:
    """A rectangle in whole pixels of the picture; ``right`` and ``bottom`` are exclusive."""

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
class ScaledImage:
    """The encoded image that is sent to a model."""

    data: bytes
    media_type: str
    width_px: int
    height_px: int


def region_rect(width_px: int, height_px: int, region: Box | None) -> PixelRect | None:
    """Return the whole pixels that ``region`` covers, or None when it covers none. No region: the whole picture."""
    if region is None:
        return PixelRect(0, 0, width_px, height_px)
    sides = (region.x, region.y, region.width, region.height)
    if not all(map(math.isfinite, sides)) or region.width <= 0 or region.height <= 0:
        return None
    left, top = max(0, math.floor(region.x)), max(0, math.floor(region.y))
    right, bottom = (
        min(width_px, math.ceil(region.x + region.width)),
        min(height_px, math.ceil(region.y + region.height)),
    )
    return PixelRect(left, top, right, bottom) if left < right and top < bottom else None


def size_to_send(width_px: int, height_px: int) -> tuple[int, int]:
    """Return width and height: scaled down to `MAX_SENT_PX`; a small picture is enlarged by a whole factor."""
    longest = max(width_px, height_px)
    if longest > MAX_SENT_PX:
        factor = MAX_SENT_PX / longest
        return max(1, round(width_px * factor)), max(1, round(height_px * factor))
    up = max(1, min(MIN_SHORT_SIDE_PX // max(1, min(width_px, height_px)), MAX_UPSCALE, MAX_SENT_PX // longest))
    return width_px * up, height_px * up


def is_inside(box: Box, width_px: int, height_px: int) -> bool:
    """Return whether the box has an area and lies in the image, give or take `SLACK_PX`."""
    sides = (box.x, box.y, box.width, box.height)
    if not all(map(math.isfinite, sides)) or box.width <= 0 or box.height <= 0:
        return False
    starts = box.x >= -SLACK_PX and box.y >= -SLACK_PX
    return starts and box.x + box.width <= width_px + SLACK_PX and box.y + box.height <= height_px + SLACK_PX


def to_picture_box(box: Box, sent: ScaledImage, rect: PixelRect) -> Box:
    """Convert a box of the sent image to pixels of the whole picture, clipped to ``rect``, the part that was sent."""
    x_scale, y_scale = rect.width_px / sent.width_px, rect.height_px / sent.height_px
    left, right = (min(max(x * x_scale, 0), rect.width_px) for x in (box.x, box.x + box.width))
    top, bottom = (min(max(y * y_scale, 0), rect.height_px) for y in (box.y, box.y + box.height))
    return Box(x=rect.left + left, y=rect.top + top, width=right - left, height=bottom - top)
