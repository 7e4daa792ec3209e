"""Matching a requested option, and whether a control shows it."""

from __future__ import annotations

from services.browser_pool.page.matching import Offer, matching_options, menu_path, options_in_words, shows_option
from tests.cases import cases


def offers(*names: str) -> list[Offer]:
    return [Offer(name=name) for name in names]


def test_exact_comes_before_case_and_a_whole_piece_last() -> None:
    assert matching_options(offers("save", "Save", "Save all"), "Save") == (1,)
    assert matching_options(offers("save", "Save all"), "SAVE") == (0,)
    assert matching_options([Offer(name="Ann HR", parts=("Ann", "HR"))], "ann") == (0,)
    assert matching_options(offers("Save all"), "Save") == ()
    assert matching_options(offers("A", "A"), "A") == (0, 1)
    assert matching_options(offers("", "A"), "") == ()


@cases(
    ("value", "expected"),
    [("Red", True), ("red ×", True), ("Blue, Red", True), ("Dark red", True), ("Redo", False), ("", False)],
)
def test_what_a_control_shows(value: str, expected: bool) -> None:
    assert shows_option(value, Offer(name="Red")) is expected


def test_lists_name_each_once_and_count_the_rest() -> None:
    assert options_in_words(["A", "A", "B"]) == '"A", "B"'
    assert options_in_words(str(n) for n in range(60)).endswith("and 10 more")
    assert options_in_words(str(n) for n in range(50)).endswith(', "49"')
    assert options_in_words([]) == "there are none"


def test_the_way_through_menus() -> None:
    assert menu_path("File > Export > PDF") == ("File", "Export", "PDF")
    assert menu_path("a>b") == ("a>b",)
