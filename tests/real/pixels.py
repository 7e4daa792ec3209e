"""The pixels of a small PNG, and the shape detection that tasks need."""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import dataclass

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
    """Read a non-interlaced PNG with 8 bits per channel, as browsers write them."""
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", data[16:29])
    if (depth, interlaced) != (8, 0) or kind not in (2, 6):
        raise ValueError(f"not a PNG of this kind: depth {depth}, colour type {kind}")
    size = 4 if kind == 6 else 3
    raw, stride = zlib.decompress(_body(data)), width * size
    rows: list[tuple[Colour, ...]] = []
    above = bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        above = _unfiltered(raw[start], bytearray(raw[start + 1 : start + 1 + stride]), above, size)
        rows.append(tuple((above[i], above[i + 1], above[i + 2]) for i in range(0, stride, size)))
    return Picture(width, height, tuple(rows))


def _body(data: bytes) -> bytes:
    at, body = 8, b""
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            body += data[at + 8 : at + 8 + length]
        at += 12 + length
    return body


def _unfiltered(method: int, line: bytearray, above: bytearray, size: int) -> bytearray:
    for i in range(len(line)):
        a = line[i - size] if i >= size else 0
        b, c = above[i], above[i - size] if i >= size else 0
        guess = (0, a, b, (a + b) // 2, _paeth(a, b, c))[method]
        line[i] = (line[i] + guess) & 255
    return line


def _paeth(a: int, b: int, c: int) -> int:
    nearest = a + b - c
    return min((a, b, c), key=lambda one: abs(nearest - one))


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
