"""The shape of a small icon: its container (round, square, triangle), if any, and the figure in it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from services.vision.icons.pixels import CoverMask
from services.vision.icons.strokes import OuterEdges, best_form, edges_of

MIN_SHAPE_PX = 5.0
"""Smaller figures have no recognisable shape."""
MIN_FILLED_SHARE, MAX_OUTLINED_SHARE = 0.64, 0.56
"""Covered share of a container: above the first it is filled, below the second it is an outline."""
MIN_INNER_SHARE = 0.025
"""A smaller share of the container is anti-aliasing, not a figure."""
MIN_DISC_SHARE = 0.93
"""Least covered share of a disc without a figure in it."""
MIN_HOLE_COVER = 0.75
MIN_PIECE_COVER = 0.1
MAX_LEAK_COVER, MIN_PIECE_PEAK = 0.3, 0.6
MIN_BAR_SHARE = 0.8
"""Least share of its bounding box that a bar covers; the ends may be round."""
ARC_DEG, ARC_OFF, ARC_MOST_OFF = (200.0, 340.0), 0.09, 0.3
IN_CONTAINER = {"slash": "slashed circle", "hands": "clock"}


@dataclass(frozen=True)
class Container:
    """What surrounds a figure. ``depth`` of a point is its distance inside of the border; all lengths in pixels."""

    name: str
    depth: Callable[[float, float], float]
    half: float
    area: float


def shape_of(mask: CoverMask) -> str:
    """Return a key of `verdict.STATES_OF_SHAPE`, another name for a shape without meaning, or an empty string."""
    edges = edges_of(mask)
    if edges is None or max(edges.width, edges.height) < MIN_SHAPE_PX:
        return ""
    filled = _fill_holes(mask)
    container = _container(filled, edges)
    if container is None:
        return "spinner" if _is_arc(mask) else _shape_without_container(mask)
    return _shape_in_container(container, mask, filled)


def _shape_without_container(mask: CoverMask) -> str:
    form = _inner_figure(mask)
    return form if form in ("check", "cross", "dash") else ""


def _inner_figure(mask: CoverMask) -> str:
    """Return the name of a figure without its container."""
    return _bar_or_mark(mask) or best_form(mask)


def _shape_in_container(container: Container, mask: CoverMask, filled: CoverMask) -> str:
    share = mask.area / filled.area
    if container.name == "round" and _is_round_hole(_hole_mask(container, mask), container):
        return "ring"
    inner = _inner_mask(container, mask, share)
    if inner is None:
        return ""
    is_empty = inner.area < max(MIN_INNER_SHARE * filled.area, 1.2)
    if container.name == "triangle":
        return "" if is_empty or _inner_figure(inner) not in ("exclamation mark", "bar") else "warning triangle"
    if is_empty:
        return {"round": "dot" if share > MIN_FILLED_SHARE else "ring"}.get(container.name, "")
    figure = _inner_figure(inner)
    if container.name != "round":
        return figure if figure in ("check", "cross", "dash", "exclamation mark") else ""
    return IN_CONTAINER.get(figure, figure)


def _hole_mask(container: Container, mask: CoverMask) -> CoverMask:
    return _map_cover(mask, lambda x, y, cover: (1 - cover) * _clamp(container.depth(x, y) - 0.5))


def _is_round_hole(hole: CoverMask, container: Container) -> bool:
    """Return whether the hole is a disc with nothing in its middle."""
    middle = [hole.at(x, y) for y in range(hole.height) for x in range(hole.width)
              if container.depth(x + 0.5, y + 0.5) > 0.6 * container.half]  # fmt: skip
    return min(middle, default=0.0) > MIN_HOLE_COVER and _is_disc(hole)


def _inner_mask(container: Container, mask: CoverMask, share: float) -> CoverMask | None:
    """Return the figure in the container: holes in a filled one, or lines within an outline. None: undecided."""
    if share > MIN_FILLED_SHARE:
        return _without_faint_pieces(
            _map_cover(mask, lambda x, y, cover: (1 - cover) * _clamp(container.depth(x, y) - 1.0))
        )
    if share > MAX_OUTLINED_SHARE and container.name != "triangle":
        return None
    thick = _outline_px(container, mask)
    if thick is None:
        return None
    return _without_faint_pieces(
        _map_cover(mask, lambda x, y, cover: cover * _clamp(container.depth(x, y) - thick - 0.5))
    )


def _without_faint_pieces(mask: CoverMask) -> CoverMask:
    """Drop connected pieces that are nowhere well covered: remains of the container's edge."""
    least = MIN_PIECE_PEAK * max(mask.cover)
    kept = [0.0] * len(mask.cover)
    seen: set[int] = set()
    for start, cover in enumerate(mask.cover):
        if cover < MIN_PIECE_COVER or start in seen:
            continue
        piece = _connected_piece(mask, start)
        seen |= piece
        if max(mask.cover[at] for at in piece) >= least:
            for at in piece:
                kept[at] = mask.cover[at]
    return CoverMask(mask.width, mask.height, kept)


def _connected_piece(mask: CoverMask, start: int) -> set[int]:
    """Return all pixels connected with ``start``, diagonally too."""
    piece, todo = {start}, [start]
    while todo:
        at = todo.pop()
        x, y = at % mask.width, at // mask.width
        across = range(max(0, x - 1), min(mask.width, x + 2))
        down = range(max(0, y - 1), min(mask.height, y + 2))
        new = {b * mask.width + a for a in across for b in down} - piece
        new = {at for at in new if mask.cover[at] >= MIN_PIECE_COVER}
        piece |= new
        todo += new
    return piece


def _clamp(depth: float) -> float:
    return min(1.0, max(0.0, depth))


def _map_cover(mask: CoverMask, cover: Callable[[float, float, float], float]) -> CoverMask:
    covers = [cover(x + 0.5, y + 0.5, mask.at(x, y)) for y in range(mask.height) for x in range(mask.width)]
    return CoverMask(mask.width, mask.height, covers)


def _outline_px(container: Container, mask: CoverMask) -> float | None:
    """Return the thickness of the outline in pixels, or None when there is no outline."""
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


# --- containers


def _fill_holes(mask: CoverMask) -> CoverMask:
    """Return the mask with every area filled that the ground does not reach from the border."""
    reached, wide = _background_pixels(mask), mask.width

    def is_edge(at: int) -> bool:
        """A pixel beside the background keeps its partial coverage."""
        return at in reached or any(neighbour in reached for neighbour in (at - 1, at + 1, at - wide, at + wide))

    covers = [cover if is_edge(at) else 1.0 for at, cover in enumerate(mask.cover)]
    return CoverMask(mask.width, mask.height, covers)


def _background_pixels(mask: CoverMask) -> set[int]:
    wide, high = mask.width, mask.height
    todo = [(x, y) for x in range(wide) for y in (0, high - 1)] + [(x, y) for y in range(high) for x in (0, wide - 1)]
    reached: set[int] = set()
    while todo:
        x, y = todo.pop()
        at = y * wide + x
        if 0 <= x < wide and 0 <= y < high and at not in reached and mask.cover[at] < MAX_LEAK_COVER:
            reached.add(at)
            todo += [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    return reached


def _container(filled: CoverMask, edges: OuterEdges) -> Container | None:
    if not 0.84 <= edges.aspect <= 1.3:
        return None
    middle_x, middle_y = (edges.left + edges.right) / 2, (edges.top + edges.bottom) / 2
    radius = (edges.width + edges.height) / 4

    def round_depth(x: float, y: float) -> float:
        return radius - math.hypot(x - middle_x, y - middle_y)

    def square_depth(x: float, y: float) -> float:
        return min(x - edges.left, edges.right - x, y - edges.top, edges.bottom - y)

    for name, depth, most_off in (("round", round_depth, 0.085), ("square", square_depth, 0.12)):
        if edges.aspect <= 1.18 and _misfit(filled, depth) <= most_off:
            return Container(name, depth, radius, filled.area)
    return (
        Container("triangle", _depth_function(filled), radius / 2, filled.area) if _is_triangle(filled, edges) else None
    )


def _is_triangle(filled: CoverMask, edges: OuterEdges) -> bool:
    """Return whether the rows grow from top to bottom; the corners may be round."""
    rows = [sum(filled.at(x, y) for x in range(filled.width)) / edges.width for y in range(filled.height)]
    rows = rows[int(edges.top) : math.ceil(edges.bottom)]
    third = max(1, len(rows) // 3)
    above, middle, below = (sum(part) / len(part) for part in (rows[:third], rows[third:-third], rows[-third:]))
    return above <= 0.45 and above + 0.12 <= middle <= 0.78 and below >= 0.76 and middle + 0.12 <= below


def _depth_function(filled: CoverMask) -> Callable[[float, float], float]:
    """Return the distance to the nearest pixel outside, as a function of the point, for a figure of any form."""
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


def _misfit(filled: CoverMask, depth: Callable[[float, float], float]) -> float:
    """Return how much the filled figure differs from the ideal one, as a share of the ideal area."""
    ideal = _map_cover(filled, lambda x, y, _: _clamp(depth(x, y) + 0.5))
    return sum(abs(a - b) for a, b in zip(filled.cover, ideal.cover, strict=True)) / max(ideal.area, 1.0)


def _is_disc(mask: CoverMask) -> bool:
    edges = edges_of(mask)
    if edges is None:
        return False
    container = _container(_fill_holes(mask), edges)
    return container is not None and container.name == "round" and mask.area > MIN_DISC_SHARE * container.area


# --- marks and arcs


def _bar_or_mark(mask: CoverMask) -> str:
    """Recognise a horizontal bar, an exclamation mark, or an i (a narrow vertical bar and a dot)."""
    edges = edges_of(mask)
    if edges is not None and edges.aspect >= 2 and mask.area >= MIN_BAR_SHARE * edges.width * edges.height:
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


def _is_arc(mask: CoverMask) -> bool:
    """Return whether it is most of a ring, with one gap."""
    inked = [
        (x + 0.5, y + 0.5, mask.at(x, y)) for y in range(mask.height) for x in range(mask.width) if mask.at(x, y) > 0.25
    ]
    circle, edges = _fit_circle(inked), edges_of(mask)
    if circle is None or edges is None or not 0.8 <= edges.aspect <= 1.25:
        return False
    middle_x, middle_y, radius = circle
    weight = sum(cover for *_, cover in inked)
    offs = [abs(math.hypot(x - middle_x, y - middle_y) - radius) for x, y, _ in inked]
    mean_off = sum(off * cover for off, (*_, cover) in zip(offs, inked, strict=True)) / weight
    if (
        radius < MIN_SHAPE_PX / 2
        or mean_off > max(ARC_OFF * radius, 0.55)
        or max(offs) > max(ARC_MOST_OFF * radius, 1.5)
    ):
        return False
    covered = {int(math.degrees(math.atan2(y - middle_y, x - middle_x)) % 360 // 10) for x, y, _ in inked}
    ends = sum(at not in covered and (at + 1) % 36 in covered for at in range(36))
    return ends == 1 and ARC_DEG[0] <= 10 * len(covered) <= ARC_DEG[1]


def _fit_circle(points: list[tuple[float, float, float]]) -> tuple[float, float, float] | None:
    """Return centre and radius of the best circle (Kåsa's least squares), or None when there is none."""
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
