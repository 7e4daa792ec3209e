"""The pixels of a small PNG, and the shape detection that tasks need."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass

from PIL import Image

Colour = tuple[int, int, int]

# As CSS has them.
NAMED: dict[str, Colour] = {
    **{"red": (255, 0, 0), "blue": (0, 0, 255), "olive": (128, 128, 0), "lime": (0, 255, 0), "black": (0, 0, 0)},
    **{"white": (255, 255, 255), "grey": (128, 128, 128), "purple": (128, 0, 128), "orange": (255, 165, 0)},
    **{"yellow": (255, 255, 0), "cyan": (0, 255, 255), "pink": (255, 192, 203), "magenta": (255, 0, 255)},
    **{"green": (0, 128, 0), "aqua": (0, 255, 255)},
}
DARK = 100


@dataclass(frozen=True)
class Picture:
    width: int
    height: int
    rows: tuple[tuple[Colour, ...], ...]

    def at(self, x: float, y: float) -> Colour:
        return self.rows[round(y)][round(x)]

    def where(self, wanted: Colour, within: int = DARK) -> list[tuple[int, int]]:
        """Return the pixels whose colour is within ``within`` of the wanted one."""
        return [
            (x, y)
            for y, row in enumerate(self.rows)
            for x, colour in enumerate(row)
            if math.dist(colour, wanted) <= within
        ]


def read_png(data: bytes) -> Picture:
    image = Image.open(io.BytesIO(data)).convert("RGB")
    pixels, width = [*zip(*[iter(image.tobytes())] * 3, strict=True)], image.width
    rows = (tuple(pixels[at : at + width]) for at in range(0, len(pixels), width))
    return Picture(width, image.height, tuple(rows))


def middle(points: list[tuple[int, int]]) -> tuple[float, float]:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def bounds_middle(points: list[tuple[int, int]]) -> tuple[float, float]:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def dots(points: list[tuple[int, int]]) -> list[tuple[float, float]]:
    """Return the centres of the blobs among ``points``, without thin lines."""
    there = set(points)
    near = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    thick = {(x, y) for x, y in there if all((x + dx, y + dy) in there for dx, dy in near)}
    found: list[tuple[float, float]] = []
    while thick:
        blob, edge = [], [thick.pop()]
        while edge:
            x, y = edge.pop()
            blob.append((x, y))
            beside = {(x + dx, y + dy) for dx, dy in near} & thick
            thick -= beside
            edge += beside
        found.append(middle(blob))
    return found


def corners(points: list[tuple[int, int]]) -> int:
    """Count the corners of a regular polygon with 3 to 7 sides, by the outline's distance in one turn."""
    x0, y0 = middle(points)
    outline = [(math.atan2(y - y0, x - x0), math.dist((x, y), (x0, y0))) for x, y in points]

    def strength(sides: int) -> float:
        return math.hypot(*(sum(r * turn(sides * angle) for angle, r in outline) for turn in (math.cos, math.sin)))

    return max(range(3, 8), key=strength)
