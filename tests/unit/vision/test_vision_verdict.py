"""The combined verdict of colour, shape and words."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.vision.icons.pixels import PixelGrid, colour_name
from services.vision.icons.verdict import (
    STATES,
    STATES_OF_COLOUR,
    STATES_OF_SHAPE,
    choice_for,
    combine_signals,
    find_state_phrases,
    is_about_states,
    read_icon,
    state_of,
    states_of_phrases,
)
from services.vision.regions import (
    MAX_SENT_PX,
    ScaledImage,
    is_inside,
    region_rect,
    size_to_send,
    to_picture_box,
)
from shared.contracts.results import Box


@pytest.mark.parametrize(
    ("colour", "name"),
    [
        ((26, 127, 55), "green"), ((63, 185, 80), "green"), ((16, 185, 129), "green"), ((207, 34, 46), "red"),
        ((248, 81, 73), "red"), ((219, 171, 9), "amber"), ((255, 193, 7), "amber"), ((253, 126, 20), "orange"),
        ((9, 105, 218), "blue"), ((110, 119, 129), "grey"), ((100, 116, 139), "grey"), ((31, 35, 40), ""),
        ((255, 255, 255), ""), ((130, 80, 223), ""), ((214, 51, 132), ""),
    ],
)  # fmt: skip
def test_colours_have_the_names_that_people_give_them(colour, name):
    assert colour_name(colour) == name


def test_colour_and_shape_together_are_sure_and_words_make_them_surer():
    plain, titled = combine_signals("green", "check", ()), combine_signals("green", "check", ("passed",))
    assert (plain.state, titled.state) == ("pass", "pass")
    assert 0.8 <= plain.confidence < titled.confidence <= 1


@pytest.mark.parametrize(
    ("colour", "shape", "phrases"),
    [
        ("green", "check", ("failed",)),
        ("red", "check", ()),
        ("green", "cross", ()),
        ("grey", "check", ("success",)),
        ("red", "cross", ("passed",)),
        ("blue", "check", ()),
    ],
)
def test_a_contradiction_is_no_answer_and_names_all(colour, shape, phrases):
    reading = combine_signals(colour, shape, phrases)
    assert (reading.state, reading.confidence) == (None, 0.0)
    assert all(word in reading.why for word in (colour, shape, *phrases))


def test_every_verdict_has_two_witnesses_and_is_sure_only_where_colour_agrees():
    titles = [(), ("passed",), ("failed",), ("queued",), ("skipped",), ("warning",), ("passed", "failed")]
    for colour, shape, phrases in itertools.product((*STATES_OF_COLOUR, ""), (*STATES_OF_SHAPE, ""), titles):
        reading = combine_signals(colour, shape, phrases)
        told = states_of_phrases(phrases)
        witnesses = [
            w for w in (STATES_OF_COLOUR.get(colour), STATES_OF_SHAPE.get(shape), told if len(told) == 1 else None) if w
        ]
        if reading.state is None:
            assert reading.confidence == 0
            continue
        assert len(witnesses) >= 2
        assert all(reading.state in one for one in witnesses)
        assert reading.confidence < 0.8 or colour


def test_words_are_whole_words_and_what_is_denied_says_nothing():
    assert states_of_phrases(find_state_phrases(["Build passed"])) == {"pass"}
    assert states_of_phrases(find_state_phrases(["in-progress"])) == {"pending"}
    assert find_state_phrases(["compass", "surpassed", "unsuccessfully"]) == ()
    assert find_state_phrases(["It has not passed"]) == ()
    assert find_state_phrases(["0 failed"]) == ()
    assert states_of_phrases(find_state_phrases(["3 passed, 1 failed"])) == {"pass", "fail"}


def test_a_choice_is_taken_by_its_meaning_and_never_between_two():
    assert choice_for("pass", ("Success", "Failure"), ()) == "Success"
    assert choice_for("pending", ("Success", "Failure"), ()) is None
    both = ("Skipped", "Cancelled")
    assert choice_for("neutral", both, ()) is None
    assert choice_for("neutral", both, ("cancelled",)) == "Cancelled"
    assert {state_of(word) for word in ("OK", "error", "In progress", "skipped", "Warning")} == set(STATES)


@pytest.mark.parametrize(
    ("question", "choices", "is_about"),
    [
        ("What is the status of the check?", (), True),
        ("Did it pass or fail?", (), True),
        ("Did it fail?", (), False),
        ("What colour is the status?", (), False),
        ("How many have the state failed?", (), False),
        ("Whose name is it?", (), False),
        ("Anything", ("passed", "failed"), True),
        ("What is the status?", ("Monday", "Tuesday"), False),
    ],
)
def test_only_questions_for_a_state_are_answered_with_one(question, choices, is_about):
    assert is_about_states(question, choices) is is_about


@given(st.integers(1, 12), st.integers(1, 12), st.randoms(use_true_random=False))
def test_any_pixels_are_read_without_a_crash(width, height, random):
    grid = PixelGrid(width, height, bytes(random.randrange(256) for _ in range(width * height * 3)))
    reading = read_icon(grid, ())
    assert (reading.state is None) == (reading.confidence == 0)


def test_nothing_and_one_colour_are_no_icon():
    assert read_icon(PixelGrid(8, 8, b"\xff" * 192), ("passed",)).state is None
    assert read_icon(PixelGrid(1, 1, b"\x00\xff\x00"), ("passed",)).state is None


# --- where


@given(st.integers(1, 40_000), st.integers(1, 40_000))
def test_what_is_sent_is_never_too_long_and_the_whole_maps_back_to_the_whole(width, height):
    sent_width, sent_height = size_to_send(width, height)
    assert 1 <= max(sent_width, sent_height) <= max(MAX_SENT_PX, 1)
    place = region_rect(width, height, None)
    assert place is not None
    sent = ScaledImage(b"", "image/png", sent_width, sent_height)
    whole = Box(x=0, y=0, width=sent_width, height=sent_height)
    assert is_inside(whole, sent_width, sent_height)
    back = to_picture_box(whole, sent, place)
    assert (back.x, back.y) == (0, 0)
    assert (back.width, back.height) == pytest.approx((width, height))


def test_a_region_is_cut_to_the_picture_or_is_none():
    place = region_rect(100, 50, Box(x=90.5, y=-3, width=20, height=10.2))
    assert place is not None
    assert (place.left, place.top, place.right, place.bottom) == (90, 0, 100, 8)
    for box in (
        Box(x=100, y=0, width=5, height=5),
        Box(x=0, y=0, width=-1, height=5),
        Box(x=float("nan"), y=0, width=1, height=1),
    ):
        assert region_rect(100, 50, box) is None
