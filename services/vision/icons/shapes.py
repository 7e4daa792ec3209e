"""Pure: the shape of a small icon: what surrounds it, if anything does, and what is drawn inside."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from services.vision.icons.grid import Mask
from services.vision.icons.strokes import Edges, best_form, edges_of

LEAST_PX = 5.0
"""Smaller than this nothing has a shape."""
SOLID, OUTLINED = 0.64, 0.56
"""Share of a round or square that is covered: above it is filled, below it is a line around something."""
NOTHING = 0.025
"""A smaller share of it than this is no figure but the trace of an edge."""
WHOLE = 0.93
"""Share of a disc that is covered where nothing is drawn in it."""
CLEAN = 0.75
TRACE_EDGE = 0.1
LEAKS_BELOW, TRACE = 0.3, 0.6
BAR = 0.8
"""Share of the box around it that a bar covers; its ends may be round."""
ARC_DEG, ARC_OFF, ARC_MOST_OFF = (200.0, 340.0), 0.09, 0.3
IN_CONTAINER = {"slash": "slashed circle", "hands": "clock"}


@dataclass(frozen=True)
class Container:
    """``depth`` of a point: how far, in pixels, it is inside."""

    name: str
    depth: Callable[[float, float], float]
    half: float
    area: float


def shape_of(mask: Mask) -> str:
    """One of the names in `icons.OF_SHAPE`, another word for what has no meaning here, or nothing."""
    edges = edges_of(mask)
    if edges is None or max(edges.width, edges.height) < LEAST_PX:
        return ""
    filled = _filled(mask)
    container = _container(filled, edges)
    if container is None:
        return "spinner" if _is_arc(mask) else _alone(mask)
    return _contained(container, mask, filled)


def _alone(mask: Mask) -> str:
    form = _figure(mask)
    return form if form in ("check", "cross", "dash") else ""


def _figure(mask: Mask) -> str:
    """What is drawn, without what surrounds it."""
    return _marked(mask) or best_form(mask)


def _contained(container: Container, mask: Mask, filled: Mask) -> str:
    share = mask.area / filled.area
    if container.name == "round" and _is_clean(_hole(container, mask), container):
        return "ring"
    inner = _inside(container, mask, share)
    if inner is None:
        return ""
    is_empty = inner.area < max(NOTHING * filled.area, 1.2)
    if container.name == "triangle":
        return "" if is_empty or _figure(inner) not in ("exclamation mark", "bar") else "warning triangle"
    if is_empty:
        return {"round": "dot" if share > SOLID else "ring"}.get(container.name, "")
    figure = _figure(inner)
    if container.name != "round":
        return figure if figure in ("check", "cross", "dash", "exclamation mark") else ""
    return IN_CONTAINER.get(figure, figure)


def _hole(container: Container, mask: Mask) -> Mask:
    return _where(mask, lambda x, y, cover: (1 - cover) * _soft(container.depth(x, y) - 0.5))


def _is_clean(hole: Mask, container: Container) -> bool:
    """A round hole in a round figure, with nothing in its middle."""
    middle = [hole.at(x, y) for y in range(hole.height) for x in range(hole.width)
              if container.depth(x + 0.5, y + 0.5) > 0.6 * container.half]  # fmt: skip
    return min(middle, default=0.0) > CLEAN and _is_disc(hole)


def _inside(container: Container, mask: Mask, share: float) -> Mask | None:
    """What is drawn in the container: a hole in a filled one, or lines within an outline."""
    if share > SOLID:
        return _strong(_where(mask, lambda x, y, cover: (1 - cover) * _soft(container.depth(x, y) - 1.0)))
    if share > OUTLINED and container.name != "triangle":
        return None
    thick = _thickness(container, mask)
    if thick is None:
        return None
    return _strong(_where(mask, lambda x, y, cover: cover * _soft(container.depth(x, y) - thick - 0.5)))


def _strong(mask: Mask) -> Mask:
    """Without the traces that the edge of what surrounds it has left: pieces that are nowhere well covered."""
    least = TRACE * max(mask.cover)
    kept = [0.0] * len(mask.cover)
    seen: set[int] = set()
    for start, cover in enumerate(mask.cover):
        if cover < TRACE_EDGE or start in seen:
            continue
        piece = _piece(mask, start)
        seen |= piece
        if max(mask.cover[at] for at in piece) >= least:
            for at in piece:
                kept[at] = mask.cover[at]
    return Mask(mask.width, mask.height, kept)


def _piece(mask: Mask, start: int) -> set[int]:
    """All that hangs together with one pixel, corners included."""
    piece, todo = {start}, [start]
    while todo:
        at = todo.pop()
        x, y = at % mask.width, at // mask.width
        across = range(max(0, x - 1), min(mask.width, x + 2))
        down = range(max(0, y - 1), min(mask.height, y + 2))
        new = {b * mask.width + a for a in across for b in down} - piece
        new = {at for at in new if mask.cover[at] >= TRACE_EDGE}
        piece |= new
        todo += new
    return piece


def _soft(depth: float) -> float:
    return min(1.0, max(0.0, depth))


def _where(mask: Mask, cover: Callable[[float, float, float], float]) -> Mask:
    covers = [cover(x + 0.5, y + 0.5, mask.at(x, y)) for y in range(mask.height) for x in range(mask.width)]
    return Mask(mask.width, mask.height, covers)


def _thickness(container: Container, mask: Mask) -> float | None:
    """Of the outline, in pixels; None where there is none."""
    bins: dict[int, list[float]] = {}
    for y in range(mask.height):
        for x in range(mask.width):
            depth = container.depth(x + 0.5, y + 0.5)
            if depth > 0:
                bins.setdefault(int(depth * 2), []).append(mask.at(x, y))
    profile = [sum(bins[at]) / len(bins[at]) for at in sorted(bins)]
    if not profile or max(profile[:4]) < 0.4:
        return None
    peak = max(range(min(4, len(profile))), key=lambda at: profile[at])
    for at in range(peak, len(profile)):
        if profile[at] < 0.45 * profile[peak]:
            return at / 2 if at / 2 < 0.6 * container.half else None
    return None


# --- what surrounds


def _filled(mask: Mask) -> Mask:
    """The mask with all that the ground does not reach from the edge."""
    reached, wide = _reached(mask), mask.width

    def is_edge(at: int) -> bool:
        """A pixel at the edge stays as it is: it is covered in part."""
        return at in reached or any(beside in reached for beside in (at - 1, at + 1, at - wide, at + wide))

    covers = [cover if is_edge(at) else 1.0 for at, cover in enumerate(mask.cover)]
    return Mask(mask.width, mask.height, covers)


def _reached(mask: Mask) -> set[int]:
    wide, high = mask.width, mask.height
    todo = [(x, y) for x in range(wide) for y in (0, high - 1)] + [(x, y) for y in range(high) for x in (0, wide - 1)]
    reached: set[int] = set()
    while todo:
        x, y = todo.pop()
        at = y * wide + x
        if 0 <= x < wide and 0 <= y < high and at not in reached and mask.cover[at] < LEAKS_BELOW:
            reached.add(at)
            todo += [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    return reached


def _container(filled: Mask, edges: Edges) -> Container | None:
    if not 0.84 <= edges.aspect <= 1.3:
        return None
    middle_x, middle_y = (edges.left + edges.right) / 2, (edges.top + edges.bottom) / 2
    radius = (edges.width + edges.height) / 4

    def round_depth(x: float, y: float) -> float:
        return radius - math.hypot(x - middle_x, y - middle_y)

    def square_depth(x: float, y: float) -> float:
        return min(x - edges.left, edges.right - x, y - edges.top, edges.bottom - y)

    for name, depth, most_off in (("round", round_depth, 0.085), ("square", square_depth, 0.12)):
        if edges.aspect <= 1.18 and _off(filled, depth) <= most_off:
            return Container(name, depth, radius, filled.area)
    return Container("triangle", _depth_in(filled), radius / 2, filled.area) if _is_triangle(filled, edges) else None


def _is_triangle(filled: Mask, edges: Edges) -> bool:
    """Narrow above and wide below, growing all the way: the corners may be round."""
    rows = [sum(filled.at(x, y) for x in range(filled.width)) / edges.width for y in range(filled.height)]
    rows = rows[int(edges.top) : math.ceil(edges.bottom)]
    third = max(1, len(rows) // 3)
    above, middle, below = (sum(part) / len(part) for part in (rows[:third], rows[third:-third], rows[-third:]))
    return above <= 0.45 and above + 0.12 <= middle <= 0.78 and below >= 0.76 and middle + 0.12 <= below


def _depth_in(filled: Mask) -> Callable[[float, float], float]:
    """How far the middle of a pixel is from the nearest that is outside, for a figure of any form."""
    wide, high = filled.width, filled.height
    outside = [(x, y) for y in range(-1, high + 1) for x in range(-1, wide + 1)
               if not (0 <= x < wide and 0 <= y < high) or filled.at(x, y) < 0.5]  # fmt: skip
    known: dict[tuple[int, int], float] = {}

    def depth(x: float, y: float) -> float:
        at = int(x), int(y)
        if at not in known:
            known[at] = min(math.dist(at, other) for other in outside) - 0.5
        return known[at]

    return depth


def _off(filled: Mask, depth: Callable[[float, float], float]) -> float:
    """How much of the filled figure is elsewhere than in the ideal one."""
    ideal = _where(filled, lambda x, y, _: _soft(depth(x, y) + 0.5))
    return sum(abs(a - b) for a, b in zip(filled.cover, ideal.cover, strict=True)) / max(ideal.area, 1.0)


def _is_disc(mask: Mask) -> bool:
    edges = edges_of(mask)
    if edges is None:
        return False
    container = _container(_filled(mask), edges)
    return container is not None and container.name == "round" and mask.area > WHOLE * container.area


# --- marks and arcs


def _marked(mask: Mask) -> str:
    """A bar that lies; an exclamation mark, or an i: a narrow bar that stands, and a point."""
    edges = edges_of(mask)
    if edges is not None and edges.aspect >= 2 and mask.area >= BAR * edges.width * edges.height:
        return "dash"
    if edges is None or edges.aspect > 0.55 or edges.height < 4:
        return ""
    rows = [sum(mask.at(x, y) for x in range(mask.width)) for y in range(mask.height)]
    first, last = int(edges.top), math.ceil(edges.bottom)
    rows = rows[first:last]
    low = 0.6 * max(rows)
    gaps = [at for at, row in enumerate(rows) if row < low and 0 < at < len(rows) - 1]
    inner = [at for at in gaps if min(max(rows[:at]), max(rows[at + 1 :])) >= low]
    if not inner or any(b - a > 1 for a, b in pairwise(inner)):
        return ""
    middle = (inner[0] + inner[-1] + 1) / 2 / len(rows)
    if 0.55 <= middle <= 0.88:
        return "exclamation mark"
    return "i" if 0.12 <= middle <= 0.45 else ""


def _is_arc(mask: Mask) -> bool:
    """A part of a ring: most of the way round, and open."""
    inked = [
        (x + 0.5, y + 0.5, mask.at(x, y)) for y in range(mask.height) for x in range(mask.width) if mask.at(x, y) > 0.25
    ]
    circle, edges = _circle(inked), edges_of(mask)
    if circle is None or edges is None or not 0.8 <= edges.aspect <= 1.25:
        return False
    middle_x, middle_y, radius = circle
    weight = sum(cover for *_, cover in inked)
    offs = [abs(math.hypot(x - middle_x, y - middle_y) - radius) for x, y, _ in inked]
    mean_off = sum(off * cover for off, (*_, cover) in zip(offs, inked, strict=True)) / weight
    if radius < LEAST_PX / 2 or mean_off > max(ARC_OFF * radius, 0.55) or max(offs) > max(ARC_MOST_OFF * radius, 1.5):
        return False
    covered = {int(math.degrees(math.atan2(y - middle_y, x - middle_x)) % 360 // 10) for x, y, _ in inked}
    ends = sum(at not in covered and (at + 1) % 36 in covered for at in range(36))
    return ends == 1 and ARC_DEG[0] <= 10 * len(covered) <= ARC_DEG[1]


def _circle(points: list[tuple[float, float, float]]) -> tuple[float, float, float] | None:
    """Middle and radius of the circle that fits best (Kåsa's least squares); None where no circle does."""
    weight = sum(w for *_, w in points)
    if weight < 6:
        return None
    mx, my = sum(x * w for x, _, w in points) / weight, sum(y * w for _, y, w in points) / weight
    moved = [(x - mx, y - my, w) for x, y, w in points]
    suu, svv, suv = (sum(f(u, v) * w for u, v, w in moved) for f in _MOMENTS[:3])
    a, b = (sum(f(u, v) * w for u, v, w in moved) / 2 for f in _MOMENTS[3:])
    det = suu * svv - suv * suv
    if abs(det) < 1e-9 * max(suu * svv, 1e-9):
        return None
    u, v = (a * svv - b * suv) / det, (b * suu - a * suv) / det
    return mx + u, my + v, math.sqrt(u * u + v * v + (suu + svv) / weight)


_MOMENTS: tuple[Callable[[float, float], float], ...] = (
    lambda u, v: u * u,
    lambda u, v: v * v,
    lambda u, v: u * v,
    lambda u, v: u * (u * u + v * v),
    lambda u, v: v * (u * u + v * v),
)
