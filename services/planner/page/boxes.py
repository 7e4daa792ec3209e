"""Where elements stand to each other on the page."""

from __future__ import annotations

from shared.contracts.results import Box


def is_on_one_line(a: Box, b: Box) -> bool:
    """Return whether the boxes overlap by half the height of the lower one or more."""
    return min(a.y + a.height, b.y + b.height) - max(a.y, b.y) >= 0.5 * min(a.height, b.height)
