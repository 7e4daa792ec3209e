"""How a page that is too high for one picture is divided."""

from __future__ import annotations

TILE_HEIGHT_PX = 8_000
"""Height that common viewers and models accept; Chromium draws at most 16,384 px at a time."""
MAX_TILES = 15
MAX_WIDTH_PX = 4_000
MAX_VIEWS = 30
VIEW_OVERLAP = 0.1
"""Share of a view that the next one repeats, so that what a fixed header covers is seen."""


def spans(height_px: float) -> list[tuple[int, int]]:
    """Return (top, height) of each picture in pixels, from top to bottom, without gaps and overlaps."""
    whole = max(1, min(round(height_px), MAX_TILES * TILE_HEIGHT_PX))
    return [(top, min(TILE_HEIGHT_PX, whole - top)) for top in range(0, whole, TILE_HEIGHT_PX)]


def left_out(width_px: float, height_px: float, left_px: float = 0.0) -> str:
    """Return in words what the pictures do not show; empty when they show all. ``left_px``: where the page begins."""
    said: list[str] = []
    if round(height_px) > MAX_TILES * TILE_HEIGHT_PX:
        said.append(f"the page is {height_px:.0f} px high, and is shown down to {MAX_TILES * TILE_HEIGHT_PX} px")
    if round(left_px) < 0:  # the browser draws nothing of it
        said.append(f"the page goes on {-left_px:.0f} px to the left of the picture")
    elif round(width_px) > MAX_WIDTH_PX:
        said.append(f"the page is {width_px:.0f} px wide, and is cut at {MAX_WIDTH_PX}")
    return "".join(f"; {one}" for one in said)


def next_view(y_px: float, max_y_px: float, visible_px: float) -> float | None:
    """Return where the view below this one starts, or None at the end of the page."""
    if y_px >= max_y_px - 1:
        return None
    return min(y_px + max(1.0, visible_px * (1 - VIEW_OVERLAP)), max_y_px)
