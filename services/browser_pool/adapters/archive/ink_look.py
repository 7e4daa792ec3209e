"""Looks at the pictures of values: whether their text is drawn, and what is drawn beside it."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Mapping

import numpy as np
from PIL import Image
from playwright.async_api import Page

from services.browser_pool.adapters.observe.engine import DocumentState
from services.browser_pool.adapters.pictures import take_png
from services.browser_pool.page.ink import BoxOnPage, DrawnValue, Picture, bands, covers, find_ink
from shared.contracts.results import Box, Ink


async def look_at_values(page: Page, drawn: Mapping[int, DrawnValue], state: DocumentState) -> dict[int, Ink]:
    """Return what pictures of the page show of the values, by ref. Raises what `take_png` raises."""
    found = {ref: Ink(state="outside") for ref, value in drawn.items() if value.outside}
    shown = {ref: value for ref, value in drawn.items() if not value.outside}
    for band in bands(tuple(shown.values())):
        inside = {ref: value for ref, value in shown.items() if ref not in found and covers(band, value)}
        if inside:
            png = await take_png(page, band, in_view=_is_in_view(band, state))
            found |= await asyncio.to_thread(_judge, png, band, inside)
    return {**{ref: Ink(state="absent") for ref in shown}, **found}


def _is_in_view(band: BoxOnPage, state: DocumentState) -> bool:
    left, top = band[0] - state.scroll_x, band[1] - state.scroll_y
    return left >= 0 and top >= 0 and left + band[2] <= state.view_width and top + band[3] <= state.view_height


def _judge(png: bytes, band: BoxOnPage, values: Mapping[int, DrawnValue]) -> dict[int, Ink]:
    picture = to_picture(png, Box(x=band[0], y=band[1], width=band[2], height=band[3]))
    return {ref: find_ink(value, picture) for ref, value in values.items()}


def to_picture(png: bytes, area: Box) -> Picture:
    """Return the pixels of a picture of ``area``."""
    with Image.open(io.BytesIO(png)) as image:
        pixels = np.asarray(image.convert("RGB"))
    return Picture(pixels, area.x, area.y, pixels.shape[1] / max(area.width, 1.0))
