"""Which pictures ride in the report, and which part of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.evidence.reporting.pictures import TALLEST, Budget, Plan, area_of, chosen, cut_of, marks_on, plan_for


def shot(name: str, sha: str = "", **more: Any) -> dict[str, Any]:
    return {"name": name, "kind": "screenshot", "sha": sha or name, "size": 1000, **more}


def field(sha: str, y: float = 0.0) -> dict[str, Any]:
    return {"src": {"shot": sha, "box": {"x": 0.0, "y": y, "width": 10.0, "height": 20.0}}}


def names(found: list[dict[str, Any]]) -> list[str]:
    return [one["name"] for one in found]


def test_the_picture_that_shows_most_values_comes_first_then_the_latest() -> None:
    files = [shot("a"), shot("b"), shot("c"), {**shot("d"), "kind": "download"}]
    assert names(chosen(files, [field("a"), field("a"), field("b")], 3)) == ["a", "b", "c"]
    assert names(chosen(files, [], 2)) == ["c", "b"]


def test_a_picture_of_many_megabytes_is_left_in_its_folder() -> None:
    assert chosen([{**shot("a"), "size": 50_000_000}], [], 1) == []


def test_a_large_run_keeps_room_for_what_is_not_plainly_done() -> None:
    budget = Budget(Plan(width_px=256, per_sample=1, most=5, for_trouble=2))
    assert [budget.grant(trouble=False) for _ in range(6)] == [True, True, True, False, False, False]
    assert [budget.grant(trouble=True) for _ in range(3)] == [True, True, False]
    assert (budget.given, budget.left_out) == (5, 4)


@pytest.mark.parametrize("samples", [0, 60, 61, 300, 301, 10_000])
def test_what_rides_along_stays_small_whatever_the_size_of_the_run(samples: int) -> None:
    plan = plan_for(samples)
    pictures = min(samples, plan.most) * plan.per_sample
    assert pictures * plan.width_px**2 * TALLEST <= 200_000_000  # a few MB as WebP


@given(
    width=st.integers(1, 5000),
    height=st.integers(1, 100_000),
    marks=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.3)), max_size=5),
)
def test_a_cut_lies_within_the_picture_and_is_never_taller_than_may_be(
    width: int, height: int, marks: list[tuple[float, float]]
) -> None:
    cut = cut_of(width, height, [(top, top + high) for top, high in marks])
    assert 0 <= cut.top < cut.bottom <= 1 + 1e-9
    assert (cut.bottom - cut.top) * height <= max(width * TALLEST, height if height <= width * TALLEST else 0) + 1e-6


def test_values_that_fit_the_cut_are_all_in_it() -> None:
    cut = cut_of(1000, 10_000, [(0.62, 0.63), (0.70, 0.71)])
    assert cut.top <= 0.62 < 0.71 <= cut.bottom


def test_values_near_the_top_are_shown_with_the_head_of_the_page() -> None:
    assert cut_of(1000, 10_000, [(0.05, 0.1)]).top == 0.0


def test_only_boxes_of_this_picture_count() -> None:
    file = shot("a", area={"x": 0.0, "y": 1000.0, "width": 800.0, "height": 500.0})
    assert marks_on(file, [field("a", 1100.0), field("b", 1200.0), field("a", 200.0)]) == [pytest.approx((0.2, 0.24))]
    assert marks_on(shot("a"), [field("a", 1100.0)]) == []


def test_the_area_of_a_cut_is_that_part_of_the_document() -> None:
    file = shot("a", area={"x": 5.0, "y": 1000.0, "width": 800.0, "height": 500.0})
    cut = cut_of(100, 1000, [(0.5, 0.6)])
    area = area_of(file, cut)
    assert area is not None
    assert area["y"] == pytest.approx(1000 + 500 * cut.top)
    assert area["height"] == pytest.approx(500 * 0.15)
    assert area_of(shot("a"), cut) is None
