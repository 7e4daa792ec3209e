"""Tasks with drawn content, solved from screenshots of an element."""

from __future__ import annotations

import math
import re

from shared.contracts.actions import ScreenshotElement
from shared.contracts.browser_pool import Element
from shared.host.connections import ManualSession
from shared.streams import ARTIFACTS
from tests.real.pixels import DARK, NAMED, Picture, bounds_middle, corners, dots, middle, read_png
from tests.real.player import Player, Stuck, squeezed

BLUE, BLACK = (0, 0, 255), (0, 0, 0)
ARM_PX = 45.0


async def picture(p: Player, element: Element) -> Picture:
    assert isinstance(p.hand, ManualSession)  # whose pictures are on the bus
    result = await p.act(ScreenshotElement(target=p.at(element), label="part"))
    taken = result.artifacts[0]
    data = await p.hand.bus.get(ARTIFACTS, taken.blob)
    await p.hand.bus.remove(ARTIFACTS, taken.blob)
    return read_png(data)


def _boxes(p: Player, least_px: float, most_px: float) -> list[Element]:
    """Return unnamed boxes, which only have a colour."""
    return p.all(
        where=lambda one: (
            one.tag in ("div", "span")
            and one.box is not None
            and not one.value
            and (least_px <= one.box.width <= most_px and least_px <= one.box.height <= most_px)
        )
    )


async def _colour(p: Player, number: int, least_px: float, most_px: float) -> tuple[int, int, int]:
    seen = await picture(p, _boxes(p, least_px, most_px)[number])
    return seen.at(seen.width / 2, seen.height / 2)


async def click_color(p: Player) -> None:
    asked = " ".join(squeezed(one.name) for one in p.elements if one.box is not None and one.box.y < 45)
    named = re.search(r"on the (\w+) colored box", asked)
    if named and named[1] in NAMED:
        wanted = NAMED[named[1]]
    else:
        wanted = await _colour(p, 0, 8, 20)
    count = len(_boxes(p, 40, 60))
    colours = [await _colour(p, number, 40, 60) for number in range(count)]
    if not colours:
        raise Stuck("the coloured boxes are not in the observation")
    nearest = min(range(count), key=lambda number: math.dist(colours[number], wanted))
    await p.click(_boxes(p, 40, 60)[nearest])


async def click_shades(p: Player) -> None:
    wanted = ("red", "green", "blue").index(re.findall(r"shades of (\w+)", squeezed(p.all("text")[0].name))[0])
    count = len(_boxes(p, 10, 18))
    if not count:
        raise Stuck("the coloured boxes are not in the observation")
    colours = [await _colour(p, number, 10, 18) for number in range(count)]
    for number, colour in enumerate(colours):
        if colour[wanted] == max(colour):
            await p.click(_boxes(p, 10, 18)[number])
    await p.click(p.one("button", name="Submit"))


async def colour_of_drawn(p: Player, element: Element, names: tuple[str, ...]) -> str:
    """Return which of the named colours a thin drawing has, such as a letter on white."""
    seen = await picture(p, element)
    ink = max((colour for row in seen.rows for colour in row), key=lambda colour: math.dist(colour, NAMED["white"]))
    return min(names, key=lambda name: math.dist(NAMED[name], ink))


def _drawing(p: Player) -> Element:
    return p.one(where=lambda one: one.tag == "svg")


async def _click_at(p: Player, x: float, y: float) -> None:
    """Click at a position: press in the middle of the drawing and release there."""
    drawing = _drawing(p)
    assert drawing.box is not None
    await p.drag_by(drawing, right_px=x - drawing.box.width / 2, down_px=y - drawing.box.height / 2)


async def circle_center(p: Player) -> None:
    seen = await picture(p, _drawing(p))
    x, y = bounds_middle(seen.where(BLACK))
    await _click_at(p, x + 0.5, y + 0.5)
    await p.click(p.one("button", name="Submit"))


async def bisect_angle(p: Player) -> None:
    seen = await picture(p, _drawing(p))
    ends = dots(seen.where(BLACK))
    if len(ends) != 2:
        raise Stuck(f"{len(ends)} points are seen in the drawing")
    x, y = middle(seen.where(BLUE))
    arms = [((a - x) / math.dist((a, b), (x, y)), (b - y) / math.dist((a, b), (x, y))) for a, b in ends]
    right, down = arms[0][0] + arms[1][0], arms[0][1] + arms[1][1]
    length = math.hypot(right, down)
    arm_px = min(ARM_PX, _room(x, right / length, seen.width), _room(y, down / length, seen.height))
    aim = (x + arm_px * right / length, y + arm_px * down / length)
    await _click_at(p, *aim)
    # The page draws the point a little beside the click: one sees that, and does it again.
    points = dots((await picture(p, _drawing(p))).where(BLUE))
    landed = min(points, key=lambda point: math.dist(point, aim))
    await _click_at(p, 2 * aim[0] - landed[0], 2 * aim[1] - landed[1])
    await p.click(p.one("button", name="Submit"))


def _room(at: float, step: float, size: float) -> float:
    """Return how many times ``step`` fits between ``at`` and the edge."""
    return math.inf if abs(step) < 1e-6 else ((size - 4 - at) if step > 0 else (at - 4)) / abs(step)


async def count_sides(p: Player) -> None:
    drawn = p.all("canvas", where=lambda one: one.box is not None and one.box.x < 160)
    if len(drawn) != 1:
        raise Stuck(f"{len(drawn)} canvases are seen")
    seen = await picture(p, drawn[0])
    await p.click(p.one("button", name=str(corners(seen.where(BLACK, DARK)))))
