"""Parts of pictures around what is meant: a picture shows a part of the document, which need not begin at its top."""

import pytest

from shared.contracts.results import Box
from shared.pages.boxes import part_around

AREA = Box(x=0, y=500, width=1280, height=2000)


@pytest.mark.parametrize(
    ("box", "shown"),
    [
        pytest.param(Box(x=300, y=900, width=80, height=20), Box(x=200, y=860, width=400, height=100), id="middle"),
        pytest.param(Box(x=300, y=900, width=80, height=800), Box(x=200, y=876, width=400, height=100), id="too high"),
        pytest.param(Box(x=300, y=505, width=80, height=20), Box(x=200, y=500, width=400, height=100), id="at the top"),
        pytest.param(Box(x=300, y=2490, width=80, height=20), Box(x=200, y=2400, width=400, height=100), id="the end"),
    ],
)
def test_a_part_has_the_box_in_its_middle_and_of_a_high_one_its_beginning(box: Box, shown: Box):
    assert part_around(AREA, box, 400, 100, box.x - 100) == shown


def test_a_part_is_never_more_than_the_picture():
    assert part_around(AREA, Box(x=300, y=900, width=80, height=20), 4000, 4000, 0) == AREA
