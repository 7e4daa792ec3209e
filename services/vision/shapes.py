"""Pure: the shape of a small icon: what surrounds it, if anything does, and what is drawn inside."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from services.vision.grid import Mask
from services.vision.strokes import Edges, best_form, edges_of

LEAST_PX = 5.0
"""Smaller than this nothing has a shape."""
SOLID, OUTLINED = 0.64, 0.56
"""Share of a round or square that is covered: above it is filled, below it is a line around something."""
NOTHING = 0.025
"""A smaller share of it than this is no figure but the trace of an edge."""
LEAKS_BELOW = 0.3
ARC_DEG, ARC_OFF = (200.0, 340.0), 0.09
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
    if share < SOLID and not figure and _is_disc(inner):
        return "ring"
    return IN_CONTAINER.get(figure, figure)


def _inside(container: Container, mask: Mask, share: float) -> Mask | None:
    """What is drawn in the container: a hole in a filled one, or lines within an outline."""
    if share > SOLID:
        return _where(mask, lambda x, y, cover: (1 - cover) * _soft(container.depth(x, y) - 1.0))
    if share > OUTLINED and container.name != "triangle":
        return None
    thick = _thickness(container, mask)
    return (
        None if thick is None else _where(mask, lambda x, y, cover: cover * _soft(container.depth(x, y) - thick - 0.5))
    )


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

    slope = math.hypot(edges.height, edges.width / 2)

    def triangle_depth(x: float, y: float) -> float:
        down, aside = y - edges.top, abs(x - middle_x)
        slanted = (down * edges.width / 2 - aside * edges.height) / slope
        return min(slanted, edges.bottom - y)

    shapes = (("round", round_depth, 0.1, radius), ("square", square_depth, 0.12, radius),
              ("triangle", triangle_depth, 0.2, radius / 2))  # fmt: skip
    for name, depth, most_off, half in shapes:
        if name != "triangle" and edges.aspect > 1.18:
            continue
        if _off(filled, depth) <= most_off:
            return Container(name, depth, half, filled.area)
    return None


def _off(filled: Mask, depth: Callable[[float, float], float]) -> float:
    """How much of the filled figure is elsewhere than in the ideal one."""
    ideal = _where(filled, lambda x, y, _: _soft(depth(x, y) + 0.5))
    return sum(abs(a - b) for a, b in zip(filled.cover, ideal.cover, strict=True)) / max(ideal.area, 1.0)


def _is_disc(mask: Mask) -> bool:
    edges = edges_of(mask)
    if edges is None:
        return False
    container = _container(_filled(mask), edges)
    return container is not None and container.name == "round" and mask.area > SOLID * container.area


# --- marks and arcs


def _marked(mask: Mask) -> str:
    """An exclamation mark, or an i: a narrow bar and a point."""
    edges = edges_of(mask)
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
    circle = _circle(inked)
    if circle is None:
        return False
    middle_x, middle_y, radius = circle
    weight = sum(cover for *_, cover in inked)
    off = sum(abs(math.hypot(x - middle_x, y - middle_y) - radius) * cover for x, y, cover in inked) / weight
    if radius < LEAST_PX / 2 or off > max(ARC_OFF * radius, 0.55):
        return False
    covered = {int(math.degrees(math.atan2(y - middle_y, x - middle_x)) % 360 // 10) for x, y, _ in inked}
    return ARC_DEG[0] <= 10 * len(covered) <= ARC_DEG[1]


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
