"""Where elements stand to each other on the page."""

from __future__ import annotations

from collections.abc import Sequence

from shared.contracts.results import Box

MARGIN_PX = 24.0
"""What is shown around a box, where the picture has it."""


def is_on_one_line(a: Box, b: Box) -> bool:
    """Return whether the boxes overlap by half the height of the lower one or more."""
    return min(a.y + a.height, b.y + b.height) - max(a.y, b.y) >= 0.5 * min(a.height, b.height)


def box_around(boxes: Sequence[Box]) -> Box:
    """Return the smallest box around all of them."""
    x, y = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.width for box in boxes), max(box.y + box.height for box in boxes)
    return Box(x=x, y=y, width=right - x, height=bottom - y)


def meet(area: Box, box: Box) -> bool:
    """Return whether a part of the box is on a picture of the area."""
    return (
        area.width > 0
        and area.height > 0
        and box.x < area.x + area.width
        and area.x < box.x + box.width
        and box.y < area.y + area.height
        and area.y < box.y + box.height
    )


def has_centre(area: Box, box: Box) -> bool:
    """Return whether the middle of a box that takes up room is on a picture of the area."""
    x, y = box.x + box.width / 2, box.y + box.height / 2
    inside = area.x <= x <= area.x + area.width and area.y <= y <= area.y + area.height
    return inside and box.width > 0 and box.height > 0


def part_around(area: Box, box: Box, width: float, height: float, left: float) -> Box:
    """Return a part of the area of this size, which begins at ``left`` and has the box at half its height, as far as
    the area goes. Of a box that is too high for it, the beginning is shown, with its margin."""
    width, height = min(width, area.width), min(height, area.height)
    x = min(max(left, area.x), area.x + area.width - width)
    top = min(box.y + box.height / 2 - height / 2, box.y - MARGIN_PX)
    y = min(max(top, area.y), area.y + area.height - height)
    return Box(x=x, y=y, width=width, height=height)
