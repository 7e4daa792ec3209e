"""What a picture shows of a value, on pictures that are made for it."""

from __future__ import annotations

import numpy as np

from services.browser_pool.page.ink import MAX_BAND_PX, BoxOnPage, DrawnValue, Picture, bands, covers, find_ink
from tests.cases import cases

ZONE: BoxOnPage = (10.0, 20.0, 80.0, 20.0)
TEXT: BoxOnPage = (30.0, 24.0, 20.0, 12.0)
SIGN: BoxOnPage = (16.0, 28.0, 6.0, 2.0)


def drawn(
    *texts: BoxOnPage, others: tuple[BoxOnPage, ...] = (), outside: bool = False, cut: bool = False
) -> DrawnValue:
    return DrawnValue(outside=outside, cut=cut, zone=ZONE, texts=texts, others=others)


def picture(*inked: BoxOnPage, colour: int = 0, ground: int = 255, scale: float = 1.0) -> Picture:
    """Return a picture of the 100 x 60 px from (0, 0) with ink in the middle of these boxes."""
    pixels = np.full((round(60 * scale), round(100 * scale), 3), ground, dtype=np.uint8)
    for left, top, width, height in inked:
        rows = slice(round((top + height / 4) * scale), round((top + height * 3 / 4) * scale))
        pixels[rows, round((left + 1) * scale) : round((left + width - 1) * scale)] = colour
    return Picture(pixels, 0.0, 0.0, scale)


@cases(
    ("value", "shown", "state"),
    [
        (drawn(TEXT), picture(TEXT), "seen"),
        (drawn(TEXT), picture(TEXT, scale=2.0), "seen"),
        (drawn(TEXT), picture(TEXT, colour=230, ground=20), "seen"),
        (drawn(TEXT), picture(), "absent"),
        (drawn(TEXT), picture(TEXT, colour=225), "absent"),  # almost as light as the ground
        (drawn(TEXT, (60.0, 24.0, 20.0, 12.0)), picture(TEXT), "absent"),
        (drawn(TEXT, cut=True), picture(TEXT), "absent"),
        (drawn(TEXT), picture(TEXT, SIGN), "unexplained"),
        (drawn(TEXT, others=(SIGN,)), picture(TEXT, SIGN), "seen"),
        (drawn(TEXT), picture(TEXT, (16.0, 50.0, 6.0, 4.0)), "seen"),  # outside of its place
        (drawn(), picture(), "absent"),
        (drawn(), picture(SIGN), "unexplained"),
        (drawn(TEXT, outside=True), picture(TEXT), "outside"),
        (drawn((200.0, 24.0, 20.0, 12.0)), picture(), "outside"),
    ],
)
def test_every_line_has_ink_and_all_ink_is_explained(value: DrawnValue, shown: Picture, state: str):
    assert find_ink(value, shown).state == state


def test_unexplained_ink_is_told_where_it_is():
    at = find_ink(drawn(TEXT), picture(TEXT, (16.0, 26.0, 8.0, 4.0))).at
    assert at is not None
    assert (at.x, at.y, at.width, at.height) == (17.0, 27.0, 6.0, 2.0)


def test_values_that_stand_far_apart_are_looked_at_in_pictures_of_their_own():
    near = drawn(TEXT)
    far = near.moved(0.0, MAX_BAND_PX * 2)
    first, second = bands((far, near))
    assert covers(first, near)
    assert not covers(first, far)
    assert covers(second, far)
    assert bands(()) == ()
