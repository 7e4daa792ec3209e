"""The scoring of the observation benchmark: by identity, not similarity; nothing counts twice."""

from __future__ import annotations

import pytest

from benchmarks.observe_score import (
    Mark,
    PositionIndex,
    Reported,
    aria_lines,
    aria_texts,
    score,
    score_names,
    texts_found,
)
from benchmarks.observe_truth import Control
from tests.cases import cases

SAVE, GONE = Control("1", "Save"), Control("2", "Cancel")


def test_what_is_found_once_is_right_and_the_rest_is_missed():
    made = score([Reported("1", "button")], [SAVE, GONE])
    assert (made.recall, made.precision, made.missed) == (0.5, 1.0, ["Cancel"])


def test_a_second_report_and_a_stranger_are_wrong():
    made = score([Reported("1", "button"), Reported("1", "label"), Reported(None, "p")], [SAVE])
    assert made.recall == 1.0
    assert made.precision == pytest.approx(1 / 3)


@cases(
    ("note", "said", "wrong"),
    [
        ("covered", Reported("1", "button", covered=True), 0),
        ("covered", Reported("1", "button"), 1),
        ("disabled", Reported("1", "button", disabled=True), 0),
        ("disabled", Reported("1", "button", covered=True), 1),
        ("optional", Reported("1", "button"), 0),
    ],
)
def test_what_cannot_be_pressed_now_must_say_why(note: str, said: Reported, wrong: int):
    made = score([said], [Control("1", "Save", note)])  # type: ignore[arg-type]
    assert (len(made.wrong), made.needed, made.recall) == (wrong, 0, 1.0)


def test_what_is_said_to_be_covered_and_is_not_is_wrong_and_missed():
    made = score([Reported("1", "button", covered=True)], [SAVE])
    assert (made.recall, made.precision) == (0.0, 0.0)


def test_names_are_counted_where_elements_are_not_known():
    twins = [Control("1", "Edit"), Control("2", "Edit"), Control("3", "Off", "disabled")]
    made = score_names(["Edit", "Off", "Other"], twins)
    assert (made.recall, made.wrong, made.missed) == (0.5, ["Other"], ["Edit"])


def test_an_element_is_known_by_tag_and_box_and_twins_in_one_place_are_nobody():
    place, twice = (10.0, 10.0, 50.0, 20.0), (5.0, 5.0, 9.0, 9.0)
    marks = [Mark("1", "button", place), Mark("2", "a", place), Mark("3", "i", twice), Mark("4", "i", twice)]
    index = PositionIndex(marks)
    assert index.key("button", (10.9, 9.2, 50.4, 20.0)) == "1"
    assert index.key("a", (10.0, 10.0, 50.0, 20.0)) == "2"
    assert index.key("button", (10.0, 10.0, 80.0, 20.0)) is None
    assert index.key("i", (5.0, 5.0, 9.0, 9.0)) is None


def test_texts_are_whole_words_and_counted():
    missed = texts_found(["Q", "7", "Item 1", "Item 1", "✓"], ["Quiz 17", "Item 1", "Item 11", "✓"])
    assert missed == ["Q", "7", "Item 1"]
    assert texts_found(["Q", "Jane Roe"], ["Owner: Jane Roe, Q"]) == []


def test_an_aria_snapshot_is_read():
    text = '''- button "Save \\"now\\"" [disabled] [ref=e3]
  - listitem [ref=f1e5] [cursor=pointer]: "one: 1"
- 'link "a: b" [ref=e6]':
  - /url: /x
- textbox "V": "3"'''
    lines = aria_lines(text)
    assert [(line.role, line.name, line.ref) for line in lines] == [
        ("button", 'Save "now"', "e3"),
        ("listitem", "", "f1e5"),
        ("link", "a: b", "e6"),
        ("textbox", "V", None),
    ]
    assert [line.disabled for line in lines] == [True, False, False, False]
    assert [line.pointer for line in lines] == [False, True, False, False]
    assert texts_found(["one: 1", "3"], aria_texts(text)) == []
