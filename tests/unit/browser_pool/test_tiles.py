"""How a high page is divided into pictures, and where the next view of it begins."""

from __future__ import annotations

import pytest

from services.browser_pool.page.tiles import MAX_TILES, MAX_WIDTH_PX, TILE_HEIGHT_PX, left_out, next_view, spans

TILE = TILE_HEIGHT_PX


@pytest.mark.parametrize(
    ("height", "expected"),
    [
        (0, [(0, 1)]),
        (300, [(0, 300)]),
        (TILE, [(0, TILE)]),
        (TILE + 1, [(0, TILE), (TILE, 1)]),
        (2.5 * TILE, [(0, TILE), (TILE, TILE), (2 * TILE, TILE // 2)]),
    ],
)
def test_parts_touch_and_do_not_overlap(height: float, expected: list[tuple[int, int]]) -> None:
    assert spans(height) == expected


def test_a_page_beyond_all_bounds_is_cut_and_that_is_said() -> None:
    most = MAX_TILES * TILE
    assert sum(height for _, height in spans(most + 1)) == most
    assert left_out(MAX_WIDTH_PX, most) == ""
    assert f"{most + 1} px high" in left_out(MAX_WIDTH_PX, most + 1)
    assert f"{MAX_WIDTH_PX + 1} px wide" in left_out(MAX_WIDTH_PX + 1, most)


def test_the_next_view_repeats_a_part_of_this_one_until_the_end() -> None:
    assert next_view(0, 1100, 900) == 810
    assert next_view(810, 1100, 900) == 1100
    assert next_view(1100, 1100, 900) is None
    assert next_view(1099.5, 1100, 900) is None
