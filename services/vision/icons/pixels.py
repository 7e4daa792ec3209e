"""The pixels of a small picture: names of their colours, and the figure that stands on a plain ground."""

from __future__ import annotations

import colorsys
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Rgb = tuple[int, int, int]

_HUE_LIMITS = (
    (16, "red"),
    (34, "orange"),
    (66, "amber"),
    (76, ""),
    (170, "green"),
    (192, ""),
    (252, "blue"),
    (342, ""),
)
"""Upper limit of the hue in degrees, and the name below it; empty where people would not agree on one."""
GREY_LIGHT, GREY_DARK = 200, 64
"""Brightness range of grey; colours without hue outside of it are black or white."""


def rgb_distance(a: Rgb, b: Rgb) -> float:
    return math.dist(a, b)


def hue_deg(colour: Rgb) -> float:
    return colorsys.rgb_to_hsv(*(channel / 255 for channel in colour))[0] * 360


def is_coloured(colour: Rgb) -> bool:
    """Return whether a person sees a hue in an icon of this colour; slate and warm greys do not count."""
    spread = max(colour) - min(colour)
    return spread >= 48 and spread / max(colour) >= 0.32


def brightness(colour: Rgb) -> float:
    """Return the luma (Rec. 601), 0 to 255."""
    r, g, b = colour
    return 0.299 * r + 0.587 * g + 0.114 * b


def colour_name(colour: Rgb) -> str:
    """Return ``red``, ``orange``, ``amber``, ``green``, ``blue`` or ``grey``; empty for black, white and all others."""
    if not is_coloured(colour):
        return "grey" if GREY_DARK <= brightness(colour) <= GREY_LIGHT else ""
    hue = hue_deg(colour)
    return next((name for most, name in _HUE_LIMITS if hue < most), "red")


MAX_ICON_PX = 128
"""Larger parts of a picture are no status icons."""
MAX_GRID_PX = 32
"""Icons are scaled down to this side length: more pixels cost time and add nothing."""
SAME_COLOUR_DISTANCE = 40.0
"""RGB distance below which two colours of a small icon look the same."""
MIN_GROUND_SHARE = 0.4
"""A plain ground covers at least this share of the border."""
OTHER_HUE_DEG, MAX_OTHER_HUE_SHARE = 35.0, 0.2
"""A second colour differs by more than this hue, and takes more than this share of the figure."""


@dataclass(frozen=True)
class PixelGrid:
    """``rgb`` holds three bytes a pixel, row by row."""

    width: int
    height: int
    rgb: bytes

    def pixels(self) -> list[Rgb]:
        return [(self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]) for at in range(0, len(self.rgb), 3)]


@dataclass(frozen=True)
class CoverMask:
    """Coverage of each pixel, 0 to 1, row by row."""

    width: int
    height: int
    cover: Sequence[float]

    def at(self, x: int, y: int) -> float:
        return self.cover[y * self.width + x]

    @property
    def area(self) -> float:
        return sum(self.cover)


@dataclass(frozen=True)
class Figure:
    """One colour on a plain ground. ``is_mixed``: there is a second strong colour."""

    ground: Rgb
    colour: Rgb
    mask: CoverMask
    is_mixed: bool


def figure_of(grid: PixelGrid) -> Figure | None:
    """Return the figure, or None when nothing differs from the ground or the ground is not plain."""
    pixels = grid.pixels()
    ground = _ground_colour(grid, pixels)
    if ground is None:
        return None
    different = [pixel for pixel in pixels if rgb_distance(pixel, ground) >= SAME_COLOUR_DISTANCE]
    if not different:
        return None
    colour = _figure_colour(different, ground)
    others = [pixel for pixel in different if not _is_blend(pixel, ground, colour)]
    mask = CoverMask(grid.width, grid.height, _coverage(pixels, ground, colour, others))
    return Figure(ground, colour, mask, _has_second_hue(colour, different, others))


def _ground_colour(grid: PixelGrid, pixels: Sequence[Rgb]) -> Rgb | None:
    last_x, last_y = grid.width - 1, grid.height - 1
    edge = [p for at, p in enumerate(pixels) if at % grid.width in (0, last_x) or at // grid.width in (0, last_y)]
    ground = _most_common_colour(edge)
    near = sum(rgb_distance(pixel, ground) < SAME_COLOUR_DISTANCE for pixel in edge)
    return ground if near >= MIN_GROUND_SHARE * len(edge) else None


def _most_common_colour(pixels: Sequence[Rgb]) -> Rgb:
    """Return the mean of the fullest of 16 x 16 x 16 bins."""
    bins = Counter((r >> 4, g >> 4, b >> 4) for r, g, b in pixels)
    fullest = max(bins, key=lambda rgb_bin: (bins[rgb_bin], rgb_bin))
    return _mean_colour([p for p in pixels if (p[0] >> 4, p[1] >> 4, p[2] >> 4) == fullest])


def _mean_colour(pixels: Sequence[Rgb]) -> Rgb:
    r, g, b = (round(sum(channel) / len(pixels)) for channel in zip(*pixels, strict=True))
    return r, g, b


def _figure_colour(different: Sequence[Rgb], ground: Rgb) -> Rgb:
    """Return the pure colour of the figure; anti-aliased pixels of thin lines are blended with the ground."""
    first = _most_common_colour(different)
    same = sorted((p for p in different if _is_blend(p, ground, first)), key=lambda p: -rgb_distance(p, ground))
    return _mean_colour(same[: max(2, len(same) // 8)] or [first])


def _projection(pixel: Rgb, ground: Rgb, colour: Rgb) -> tuple[float, float]:
    """Return the pixel's position on the line from ground (0) to colour (1), and its distance from it."""
    line = [c - g for c, g in zip(colour, ground, strict=True)]
    offset = [p - g for p, g in zip(pixel, ground, strict=True)]
    squared_length = sum(c * c for c in line) or 1
    position = sum(c * o for c, o in zip(line, offset, strict=True)) / squared_length
    distance = math.sqrt(sum((o - position * c) ** 2 for c, o in zip(line, offset, strict=True)))
    return position, distance


def _is_blend(pixel: Rgb, ground: Rgb, colour: Rgb) -> bool:
    position, distance = _projection(pixel, ground, colour)
    return position > 0 and distance <= 14 + 0.2 * rgb_distance(pixel, ground)


def _coverage(pixels: Iterable[Rgb], ground: Rgb, colour: Rgb, others: Sequence[Rgb]) -> list[float]:
    """Return the coverage of each pixel. A third colour, such as a white check on a green disc, counts as a hole."""
    farthest = max((rgb_distance(p, colour) for p in others), default=1.0) or 1.0
    holes = set(others)

    def cover(pixel: Rgb) -> float:
        share = 1 - rgb_distance(pixel, colour) / farthest if pixel in holes else _projection(pixel, ground, colour)[0]
        return min(1.0, max(0.0, share))

    return [cover(pixel) for pixel in pixels]


def _has_second_hue(colour: Rgb, different: Sequence[Rgb], others: Sequence[Rgb]) -> bool:
    def differs(pixel: Rgb) -> bool:
        if not is_coloured(pixel):
            return False
        difference = abs(hue_deg(pixel) - hue_deg(colour)) % 360
        return not is_coloured(colour) or min(difference, 360 - difference) > OTHER_HUE_DEG

    return sum(map(differs, others)) > MAX_OTHER_HUE_SHARE * len(different)
