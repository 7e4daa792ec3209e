"""Recognise simple figures drawn with one pen: fit templates to a mask and compare pixel by pixel.

The pen's width follows from the area and the size from the outer edges; only the form is given. So one template fits
every icon set that draws it, thin or bold, at any size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from services.vision.icons.pixels import CoverMask

Point = tuple[float, float]
Polyline = tuple[Point, ...]
MIN_COVER = 0.15
"""Pixels covered less than this are anti-aliasing, not part of the figure."""
MIN_LIKENESS, MIN_LEAD = 0.66, 0.05
"""Least likeness (intersection over union) of the best form, and its least lead over the second."""


@dataclass(frozen=True)
class Form:
    """Lines in a unit box. ``aspects``: least and greatest ratio of width to height."""

    name: str
    lines: tuple[Polyline, ...]
    aspects: tuple[float, float] = (0.75, 1.35)


@dataclass(frozen=True)
class OuterEdges:
    """Outer edges of a figure in pixels, with subpixel precision."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def aspect(self) -> float:
        return self.width / self.height


def _make_forms() -> Iterator[Form]:
    for bend in (0.27, 0.32, 0.37, 0.42):
        for start in (0.35, 0.45, 0.55, 0.65):
            yield Form("check", (((0, start), (bend, 1), (1, 0)),), (0.95, 1.75))
    yield Form("cross", (((0, 0), (1, 1)), ((1, 0), (0, 1))), (0.85, 1.18))
    yield Form("dash", (((0, 0.5), (1, 0.5)),), (2.0, 12))
    yield Form("slash", (((0, 1), (1, 0)),))
    yield Form("slash", (((0, 0), (1, 1)),))
    for across, up, down in ((0, 0.75, 1), (0, 1, 1), (0, 0.62, 1), (0, 0.85, 1)):
        yield Form("hands", (((across, 0), (across, up), (1, down)),), (0.3, 1.2))
    for up in (0, 0.5, 0.6, 0.7):  # some sets draw the hand to the left
        yield Form("hands", (((1, 0), (1, 1 - up / 2), (0, 1)),), (0.3, 1.2))
    # Figures without a meaning here, so that they are not mistaken for one of those above.
    yield Form("plus", (((0.5, 0), (0.5, 1)), ((0, 0.5), (1, 0.5))))
    yield Form("bar", (((0.5, 0), (0.5, 1)),), (0.02, 0.5))
    for turned in (((0, 0), (0.5, 1), (1, 0)), ((0, 1), (0.5, 0), (1, 1))):
        yield Form("chevron", (turned,), (0.8, 2.6))
        yield Form("chevron", (tuple((y, x) for x, y in turned),), (0.4, 1.25))
        yield Form("arrow", (turned, ((0.5, 0), (0.5, 1))), (0.6, 1.6))
        yield Form("arrow", (tuple((y, x) for x, y in turned), ((0, 0.5), (1, 0.5))), (0.6, 1.6))
    yield Form("pause", (((0, 0), (0, 1)), ((1, 0), (1, 1))))
    yield Form("equals", (((0, 0), (1, 0)), ((0, 1), (1, 1))), (0.75, 3))


FORMS = tuple(_make_forms())


def edges_of(mask: CoverMask) -> OuterEdges | None:
    """Return the edges, or None when nothing is covered."""
    columns = [max(mask.at(x, y) for y in range(mask.height)) for x in range(mask.width)]
    rows = [max(mask.at(x, y) for x in range(mask.width)) for y in range(mask.height)]
    if max(columns) < MIN_COVER:
        return None
    return OuterEdges(
        _first_covered(columns),
        _first_covered(rows),
        mask.width - _first_covered(columns[::-1]),
        mask.height - _first_covered(rows[::-1]),
    )


def trimmed(mask: CoverMask) -> CoverMask:
    """Return the mask without the empty margin: fewer pixels to compare."""
    edges = edges_of(mask)
    if edges is None:
        return mask
    left, top, right, bottom = int(edges.left), int(edges.top), math.ceil(edges.right), math.ceil(edges.bottom)
    covers = [mask.at(x, y) for y in range(top, bottom) for x in range(left, right)]
    return CoverMask(right - left, bottom - top, covers)


def _first_covered(covers: list[float]) -> float:
    """Return where the figure begins, in pixels; a half covered pixel begins half way."""
    at = next(at for at, cover in enumerate(covers) if cover >= MIN_COVER)
    return at + 1 - min(1.0, covers[at] / max(covers))


def best_form(mask: CoverMask) -> str:
    """Return the name of the form, or an empty string when none is similar enough, or two are."""
    mask = trimmed(mask)
    edges = edges_of(mask)
    if edges is None or min(edges.width, edges.height) <= 0:
        return ""
    likeness: dict[str, float] = {}
    for form in FORMS:
        if form.aspects[0] <= edges.aspect <= form.aspects[1]:
            likeness[form.name] = max(likeness.get(form.name, 0.0), likeness_of(mask, form, edges))
    ranked = sorted(((value, name) for name, value in likeness.items()), reverse=True)
    if not ranked or ranked[0][0] < MIN_LIKENESS:
        return ""
    return ranked[0][1] if len(ranked) == 1 or ranked[0][0] - ranked[1][0] >= MIN_LEAD else ""


def likeness_of(mask: CoverMask, form: Form, edges: OuterEdges) -> float:
    """Return intersection over union of the mask and the drawn form, 0 to 1."""
    area, pen = mask.area, 0.0
    lines = form.lines
    for _ in range(3):
        lines = _scaled_lines(form, edges, pen)
        length = sum(math.dist(a, b) for line in lines for a, b in pairwise(line))
        # The ends of a stroke stick out by half the pen's width on average; crossing lines share a square.
        pen = min(area / max(length, 1e-6), edges.width, edges.height)
    common = either = 0.0
    for y in range(mask.height):
        for x in range(mask.width):
            actual, drawn = mask.at(x, y), _stroke_cover(x + 0.5, y + 0.5, lines, pen)
            common += min(actual, drawn)
            either += max(actual, drawn)
    return common / either if either else 0.0


def _scaled_lines(form: Form, edges: OuterEdges, pen: float) -> tuple[Polyline, ...]:
    """Return the form's lines in pixels of the picture, half a pen inside of the edges."""
    wide, high = max(0.0, edges.width - pen), max(0.0, edges.height - pen)
    left, top = (edges.left + edges.right - wide) / 2, (edges.top + edges.bottom - high) / 2
    return tuple(tuple((left + x * wide, top + y * high) for x, y in line) for line in form.lines)


def _stroke_cover(x: float, y: float, lines: tuple[Polyline, ...], pen: float) -> float:
    near = min(_segment_distance(x, y, a, b) for line in lines for a, b in pairwise(line))
    return min(1.0, max(0.0, pen / 2 - near + 0.5)) * min(1.0, pen)


def _segment_distance(x: float, y: float, a: Point, b: Point) -> float:
    (ax, ay), (bx, by) = a, b
    dx, dy = bx - ax, by - ay
    length = dx * dx + dy * dy
    share = 0.0 if length == 0 else min(1.0, max(0.0, ((x - ax) * dx + (y - ay) * dy) / length))
    return math.hypot(x - ax - share * dx, y - ay - share * dy)
