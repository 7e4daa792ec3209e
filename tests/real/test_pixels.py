"""The pixel functions of the players recognise what is drawn."""

from __future__ import annotations

import math
import struct
import zlib

import pytest

from tests.real.pixels import corners, dots, read_png


def _png(width: int, kind: int, lines: list[bytes]) -> bytes:
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, len(lines), 8, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"".join(lines)))


def test_every_way_of_writing_a_line_is_read():
    none = bytes([0, 10, 20, 30, 40, 50, 60])
    left = bytes([1, 10, 20, 30, 30, 30, 30])
    above = bytes([2, 0, 0, 0, 0, 0, 0])
    average = bytes([3, 5, 10, 15, 15, 15, 15])
    paeth = bytes([4, 0, 0, 0, 0, 0, 0])
    assert set(read_png(_png(2, 2, [none, left, above, average, paeth])).rows) == {((10, 20, 30), (40, 50, 60))}


def test_transparency_is_left_out_and_other_kinds_are_refused():
    assert read_png(_png(1, 6, [bytes([0, 1, 2, 3, 255])])).at(0, 0) == (1, 2, 3)
    with pytest.raises(ValueError, match="not a PNG of this kind"):
        read_png(_png(1, 3, [bytes([0, 1])]))


@pytest.mark.parametrize("sides", range(3, 8))
@pytest.mark.parametrize("turned_deg", [0, 7, 44])
def test_the_sides_of_a_polygon_are_counted(sides: int, turned_deg: int):
    turn = math.radians(turned_deg)
    ends = [
        (75 + 35 * math.cos(turn + k * math.tau / sides), 50 + 35 * math.sin(turn + k * math.tau / sides))
        for k in range(sides)
    ]
    outline = {
        (round(ax + (bx - ax) * t / 200), round(ay + (by - ay) * t / 200))
        for (ax, ay), (bx, by) in zip(ends, ends[1:] + ends[:1], strict=True)
        for t in range(200)
    }
    assert corners(sorted(outline)) == sides


def test_points_are_told_from_the_lines_between_them():
    def disc(x0: int, y0: int) -> set[tuple[int, int]]:
        return {
            (x, y) for x in range(x0 - 4, x0 + 5) for y in range(y0 - 4, y0 + 5) if math.dist((x, y), (x0, y0)) <= 3.5
        }

    line = {(x, 20) for x in range(10, 60)}
    assert sorted(dots(sorted(disc(10, 20) | disc(60, 20) | line))) == [(10.0, 20.0), (60.0, 20.0)]
