"""Where elements stand to each other on the page."""

from __future__ import annotations

from collections.abc import Sequence

from shared.contracts.results import Box


def is_on_one_line(a: Box, b: Box) -> bool:
    """Return whether the boxes overlap by half the height of the lower one or more."""
    return min(a.y + a.height, b.y + b.height) - max(a.y, b.y) >= 0.5 * min(a.height, b.height)


def box_around(boxes: Sequence[Box]) -> Box:
    """Return the smallest box around all of them."""
    x, y = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.width for box in boxes), max(box.y + box.height for box in boxes)
    return Box(x=x, y=y, width=right - x, height=bottom - y)
