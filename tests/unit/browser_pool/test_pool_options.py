"""Which choice is meant, and whether a control shows it."""

from __future__ import annotations

import pytest

from services.browser_pool.page.options import Offer, listing, meant, shows, steps


def offers(*names: str) -> list[Offer]:
    return [Offer(name=name) for name in names]


def test_exact_comes_before_case_and_a_whole_piece_last() -> None:
    assert meant(offers("save", "Save", "Save all"), "Save") == (1,)
    assert meant(offers("save", "Save all"), "SAVE") == (0,)
    assert meant([Offer(name="Ann HR", parts=("Ann", "HR"))], "ann") == (0,)
    assert meant(offers("Save all"), "Save") == ()
    assert meant(offers("A", "A"), "A") == (0, 1)
    assert meant(offers("", "A"), "") == ()


@pytest.mark.parametrize(
    ("value", "expected"),
    [("Red", True), ("red ×", True), ("Blue, Red", True), ("Dark red", True), ("Redo", False), ("", False)],
)
def test_what_a_control_shows(value: str, expected: bool) -> None:
    assert shows(value, Offer(name="Red")) is expected


def test_lists_name_each_once_and_count_the_rest() -> None:
    assert listing(["A", "A", "B"]) == '"A", "B"'
    assert listing(str(n) for n in range(60)).endswith("and 10 more")
    assert listing([]) == "there are none"


def test_the_way_through_menus() -> None:
    assert steps("File > Export > PDF") == ("File", "Export", "PDF")
    assert steps("a>b") == ("a>b",)
