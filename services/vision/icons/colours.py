"""Pure: what a person calls a colour, and of which states it speaks where people show states."""

from __future__ import annotations

import colorsys
import math

Rgb = tuple[int, int, int]

_HUES = ((16, "red"), (34, "orange"), (66, "amber"), (76, ""), (170, "green"), (192, ""), (252, "blue"), (342, ""))
"""Up to which hue, in degrees, a colour has which name; none where people would not agree."""
GREY_LIGHT, GREY_DARK = 200, 64
"""Brightness between which a colour without hue is grey; beyond it is ink, or paper."""


def distance(one: Rgb, other: Rgb) -> float:
    return math.dist(one, other)


def hue_deg(colour: Rgb) -> float:
    return colorsys.rgb_to_hsv(*(channel / 255 for channel in colour))[0] * 360


def is_coloured(colour: Rgb) -> bool:
    """Slate and warm greys have a hue too, but nobody sees it in an icon."""
    spread = max(colour) - min(colour)
    return spread >= 48 and spread / max(colour) >= 0.32


def brightness(colour: Rgb) -> float:
    """0 to 255, as an eye weighs the channels."""
    r, g, b = colour
    return 0.299 * r + 0.587 * g + 0.114 * b


def named(colour: Rgb) -> str:
    """``red``, ``orange``, ``amber``, ``green``, ``blue`` or ``grey``; empty for black, white, and what has no such
    name."""
    if not is_coloured(colour):
        return "grey" if GREY_DARK <= brightness(colour) <= GREY_LIGHT else ""
    hue = hue_deg(colour)
    return next((name for most, name in _HUES if hue < most), "red")
