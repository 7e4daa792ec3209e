"""Names of colours, as people use them for status icons."""

from __future__ import annotations

import colorsys
import math

Rgb = tuple[int, int, int]

_HUE_LIMITS = (
    (16, "red"),
    (34, "orange"),
    (66, "amber"),
    (76, ""),
    (170, "green"),
    (192, ""),
    (252, "blue"),
    (342, ""),
)
"""Upper limit of the hue in degrees, and the name below it; empty where people would not agree on one."""
GREY_LIGHT, GREY_DARK = 200, 64
"""Brightness range of grey; colours without hue outside of it are black or white."""


def rgb_distance(a: Rgb, b: Rgb) -> float:
    return math.dist(a, b)


def hue_deg(colour: Rgb) -> float:
    return colorsys.rgb_to_hsv(*(channel / 255 for channel in colour))[0] * 360


def is_coloured(colour: Rgb) -> bool:
    """Return whether a person sees a hue in an icon of this colour; slate and warm greys do not count."""
    spread = max(colour) - min(colour)
    return spread >= 48 and spread / max(colour) >= 0.32


def brightness(colour: Rgb) -> float:
    """Return the luma (Rec. 601), 0 to 255."""
    r, g, b = colour
    return 0.299 * r + 0.587 * g + 0.114 * b


def colour_name(colour: Rgb) -> str:
    """Return ``red``, ``orange``, ``amber``, ``green``, ``blue`` or ``grey``; empty for black, white and all others."""
    if not is_coloured(colour):
        return "grey" if GREY_DARK <= brightness(colour) <= GREY_LIGHT else ""
    hue = hue_deg(colour)
    return next((name for most, name in _HUE_LIMITS if hue < most), "red")
