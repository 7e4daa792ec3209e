"""Pure: a small picture as pixels, and what of it is figure and what is ground."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from services.vision.icons.colours import Rgb, distance, hue_deg, is_coloured

MOST_ICON_PX = 128
"""A larger part of a page, in pixels of the picture, is no status icon."""
MOST_PX = 32
"""More pixels a side tell nothing new of an icon, and cost time."""
FAINT = 40.0
"""Colours nearer than this, as RGB distance, are one to a person who looks at a small icon."""
GROUND_SHARE = 0.4
"""Less of the edge in one colour is no plain ground."""
OTHER_HUE_DEG, MIXED_SHARE = 35.0, 0.2


@dataclass(frozen=True)
class Grid:
    """``rgb`` holds three bytes a pixel, row by row."""

    width: int
    height: int
    rgb: bytes

    def pixels(self) -> list[Rgb]:
        return [(self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]) for at in range(0, len(self.rgb), 3)]


@dataclass(frozen=True)
class Mask:
    """How much of each pixel is covered, 0 to 1, row by row."""

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
    """One colour on a plain ground; ``is_mixed`` where a second strong colour takes part."""

    ground: Rgb
    colour: Rgb
    mask: Mask
    is_mixed: bool


def figure_of(grid: Grid) -> Figure | None:
    """None where nothing stands out, or where the ground is not plain."""
    pixels = grid.pixels()
    ground = _ground(grid, pixels)
    if ground is None:
        return None
    out = [pixel for pixel in pixels if distance(pixel, ground) >= FAINT]
    if not out:
        return None
    colour = _strongest(out, ground)
    others = [pixel for pixel in out if not _is_between(pixel, ground, colour)]
    mask = Mask(grid.width, grid.height, _cover(pixels, ground, colour, others))
    return Figure(ground, colour, mask, _is_mixed(colour, out, others))


def _ground(grid: Grid, pixels: Sequence[Rgb]) -> Rgb | None:
    last_x, last_y = grid.width - 1, grid.height - 1
    edge = [p for at, p in enumerate(pixels) if at % grid.width in (0, last_x) or at // grid.width in (0, last_y)]
    ground = _commonest(edge)
    near = sum(distance(pixel, ground) < FAINT for pixel in edge)
    return ground if near >= GROUND_SHARE * len(edge) else None


def _commonest(pixels: Sequence[Rgb]) -> Rgb:
    """The mean of the fullest of the coarse bins."""
    bins = Counter((r >> 4, g >> 4, b >> 4) for r, g, b in pixels)
    fullest = max(bins, key=lambda one: (bins[one], one))
    return _mean([p for p in pixels if (p[0] >> 4, p[1] >> 4, p[2] >> 4) == fullest])


def _mean(pixels: Sequence[Rgb]) -> Rgb:
    r, g, b = (round(sum(channel) / len(pixels)) for channel in zip(*pixels, strict=True))
    return r, g, b


def _strongest(out: Sequence[Rgb], ground: Rgb) -> Rgb:
    """The colour of the figure without the ground that thin lines are mixed with."""
    first = _commonest(out)
    same = sorted((p for p in out if _is_between(p, ground, first)), key=lambda p: -distance(p, ground))
    return _mean(same[: max(2, len(same) // 8)] or [first])


def _along(pixel: Rgb, ground: Rgb, colour: Rgb) -> tuple[float, float]:
    """How far the pixel is on the way from ground to colour (1: there), and how far it is off that way."""
    way = [c - g for c, g in zip(colour, ground, strict=True)]
    gone = [p - g for p, g in zip(pixel, ground, strict=True)]
    length = sum(w * w for w in way) or 1
    share = sum(w * g for w, g in zip(way, gone, strict=True)) / length
    off = math.sqrt(sum((g - share * w) ** 2 for w, g in zip(way, gone, strict=True)))
    return share, off


def _is_between(pixel: Rgb, ground: Rgb, colour: Rgb) -> bool:
    share, off = _along(pixel, ground, colour)
    return share > 0 and off <= 14 + 0.2 * distance(pixel, ground)


def _cover(pixels: Iterable[Rgb], ground: Rgb, colour: Rgb, others: Sequence[Rgb]) -> list[float]:
    """A third colour, such as the white of a check on a green disc, is a hole in the figure."""
    farthest = max((distance(p, colour) for p in others), default=1.0) or 1.0
    holes = set(others)

    def cover(pixel: Rgb) -> float:
        share = 1 - distance(pixel, colour) / farthest if pixel in holes else _along(pixel, ground, colour)[0]
        return min(1.0, max(0.0, share))

    return [cover(pixel) for pixel in pixels]


def _is_mixed(colour: Rgb, out: Sequence[Rgb], others: Sequence[Rgb]) -> bool:
    def differs(pixel: Rgb) -> bool:
        if not is_coloured(pixel):
            return False
        apart = abs(hue_deg(pixel) - hue_deg(colour)) % 360
        return not is_coloured(colour) or min(apart, 360 - apart) > OTHER_HUE_DEG

    return sum(map(differs, others)) > MIXED_SHARE * len(out)
