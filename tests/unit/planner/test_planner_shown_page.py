"""What a person may act on, and what a point of the page means."""

from __future__ import annotations

from services.planner.taking_over.shown_page import element_at, shown_elements
from tests.unit.planner.planner_pages import box, el, page

PAGE = page(
    el("text", "Pay", tag="span", box=box(120, 110, 20, 10)),
    el("button", "Pay", tag="button", box=box(100, 100, 80, 30)),
    el("row", "the row", tag="tr", box=box(0, 90, 600, 50)),
    el("combobox", "Search", tag="input", box=box(0, 200)),
    el("combobox", "Land", tag="select", box=box(0, 240)),
    el("textbox", "", header="City", tag="input", box=box(0, 280)),
    el("link", "Behind", tag="a", box=box(100, 300), covered_by="dialog"),
    el("button", "On top", tag="button", box=box(90, 290, 200, 60)),
    el("button", "Nowhere", tag="button"),
    el("text", "Total", tag="span", box=box(10, 360)),
)


def named(x: float, y: float) -> str:
    found = element_at(PAGE, x, y)
    return "" if found is None else f"{found.role} {found.name}"


def test_a_point_means_the_smallest_element_that_can_be_acted_on():
    assert named(125, 115) == "button Pay"
    assert named(20, 100) == ""  # the row is wide: its middle is elsewhere
    assert named(20, 365) == "text Total"
    assert named(110, 305) == "button On top"
    assert named(700, 700) == ""


def test_a_box_has_its_first_edges_and_not_its_last():
    assert named(100, 100) == "button Pay"
    assert named(180, 100) == ""


def test_what_can_be_acted_on_is_told_with_what_it_takes():
    assert [(one.name, one.use) for one in shown_elements(PAGE)] == [
        ("Pay", "press"), ("Search", "fill"), ("Land", "choose"), ("City", "fill"), ("On top", "press"),
    ]  # fmt: skip
