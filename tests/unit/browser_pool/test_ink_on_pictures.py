"""What a picture shows of a value, on pictures that are made for it."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from services.browser_pool.page.ink import (
    MAX_BAND_PX,
    BoxOnPage,
    DrawnValue,
    Picture,
    bands,
    covers,
    find_ink,
    part_on,
    shows_same,
    stands_still,
)
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


@cases(
    ("value", "shown", "said", "state"),
    [
        (drawn(TEXT), picture(TEXT), "glyphless", "absent"),
        (drawn(TEXT), picture(), "absent", "absent"),
        (drawn(TEXT), picture(TEXT, SIGN), "unexplained", "unexplained"),
        (drawn(TEXT, outside=True), picture(TEXT), "outside", "outside"),
    ],
)
def test_boxes_are_told_where_nothing_else_speaks_against_the_picture(
    value: DrawnValue, shown: Picture, said: str, state: str
):
    ink = find_ink(replace(value, glyphless=2), shown)
    assert (ink.said, ink.state) == (said, state)


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


def test_what_lies_left_of_the_page_is_in_no_part_of_it():
    assert bands([drawn(TEXT).moved(-500.0, 0.0)]) == ()


@cases(
    ("one", "other", "same"),
    [
        (picture(TEXT), picture(TEXT), True),
        (picture(TEXT), picture(TEXT, (0.0, 50.0, 20.0, 8.0)), True),  # the rest of the page may be another
        (picture(TEXT), picture(TEXT, SIGN), False),
        (picture(TEXT), picture(), False),
        (picture(TEXT), picture((30.0, 30.0, 20.0, 12.0)), False),  # a line further down
        (picture(TEXT), picture(TEXT, scale=2.0), False),
    ],
)
def test_two_pictures_show_the_same_where_a_value_stands(one: Picture, other: Picture, same: bool):
    assert shows_same(drawn(TEXT), one, other) is same


def test_two_pictures_of_different_parts_of_a_page_are_laid_over_each_other():
    whole = picture(TEXT)
    part = Picture(whole.pixels[10:, 7:], 7.0, 10.0, 1.0)
    for box in ((30.5, 24.5, 19.5, 11.5), (31.0, 32.3, 10.0, 5.2)):  # which end in the middle of a pixel
        assert shows_same(drawn(box), whole, part)
    assert not shows_same(drawn(TEXT), whole, Picture(part.pixels, 7.0, 11.0, 1.0))
    assert not shows_same(drawn(TEXT), whole, Picture(whole.pixels[:30], 0.0, 0.0, 1.0))  # it ends in the text


def test_a_value_stands_still_or_has_moved():
    assert stands_still(drawn(TEXT), drawn(TEXT).moved(0.4, 0.0))
    assert not stands_still(drawn(TEXT), drawn(TEXT).moved(0.0, 23.0))
    assert not stands_still(drawn(TEXT), drawn(TEXT, SIGN))
    assert not stands_still(drawn(TEXT), drawn(TEXT, cut=True))


def test_a_frame_shows_no_more_than_is_seen_of_it():
    value = drawn(TEXT)
    assert value.within((0.0, 0.0, 100.0, 60.0)) == value
    assert value.within((0.0, 0.0, 100.0, 30.0)).cut
    assert value.within((0.0, 0.0, 100.0, 10.0)).outside


def test_the_place_on_a_picture_is_the_part_that_it_shows():
    value = DrawnValue(outside=False, cut=False, zone=ZONE, texts=(TEXT,), others=(), box=(10.0, 20.0, 500.0, 20.0))
    at = part_on(value, (0.0, 0.0, 100.0, 60.0))
    assert at is not None
    assert (at.x, at.y, at.width, at.height) == (10.0, 20.0, 90.0, 20.0)
    assert part_on(value, (0.0, 100.0, 100.0, 60.0)) is None
