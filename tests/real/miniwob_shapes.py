"""MiniWoB's coloured shapes, letters and digits: finding the described ones."""

from __future__ import annotations

import re

from shared.contracts.browser_pool import Element
from tests.real.miniwob_pictures import colour_of_drawn
from tests.real.player import Player, Stuck, squeezed

_SIZES = ("large", "small")
_COLORS = ("red", "green", "blue", "aqua", "black", "magenta", "yellow")
_SAME_COLOR = {"cyan": "aqua", "lime": "green", "fuchsia": "magenta"}
_SHAPES = {"rect": "rectangle", "polygon": "triangle", "circle": "circle"}
LARGE_PX = 15.0


async def click_shape(p: Player) -> None:
    wanted = re.sub(r"^Click on an? ", "", squeezed(p.all("text")[0].name)).removesuffix(".")
    fitting = [one for one in _shapes(p) if await _fits(p, one, wanted)]
    if not fitting:
        raise Stuck(f"nothing that is seen is a {wanted}")
    await p.click(fitting[0])


async def count_shape(p: Player) -> None:
    wanted = re.findall(r"How many (.+)s are there", squeezed(p.all("text")[0].name))[0]
    count = sum([await _fits(p, one, wanted) for one in _shapes(p)])
    await p.click(p.one("button", name=str(count), where=lambda one: one.tag == "button"))


def _shapes(p: Player) -> list[Element]:
    kinds = (*_SHAPES, "text", "tspan")
    seen = [one for one in p.elements if one.tag in kinds and one.box is not None and one.box.width < 40]
    if not seen:
        raise Stuck("the shapes are not in the observation")
    return seen


async def _fits(p: Player, one: Element, wanted: str) -> bool:
    *about, what = wanted.split(" ")
    size = next((word for word in about if word in _SIZES), None)
    color = next((word for word in about if word in _COLORS), None)
    if (size and size != _size(one)) or not _is_a(one, what):
        return False
    return color is None or color == await _color(p, one)


def _size(one: Element) -> str:
    assert one.box is not None
    return "large" if one.box.height > LARGE_PX else "small"


def _is_a(one: Element, what: str) -> bool:
    if one.tag in _SHAPES:
        return what in ("item", "shape", _SHAPES[one.tag])
    letter = one.name.split(", ")[0]
    if len(letter) != 1:
        raise Stuck(f"which letter {one.role} {one.name!r} is, is not told")
    return what in ("item", letter, "digit" if letter.isdigit() else "letter")


async def _color(p: Player, one: Element) -> str:
    """Return the colour from the observation, else from a screenshot."""
    told = one.name.split(", ")[-1].split(" ")[0]
    told = _SAME_COLOR.get(told, told)
    if told in _COLORS:
        return told
    now = next(same for same in _shapes(p) if same.box == one.box)
    return await colour_of_drawn(p, now, _COLORS)
