"""Which part of a picture a paper shows: boxes lie where the values are, and no value is left out in silence."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image, ImageDraw

from shared.contracts.results import Box
from shared.papers.paper import PaperFile, PaperPlace, PaperSample, PaperValue
from shared.papers.pictures.crops import MOST_CROPS, TALLEST, CropPlan, plan_crops
from shared.papers.pictures.cut_pictures import cut_picture
from tests.typed import there

PAGE = Box(x=0, y=0, width=400, height=2000)


def value(field: str, box: Box | None, area: Box = PAGE, **more: Any) -> PaperValue:
    return PaperValue(
        field, "string", "T", "v", "v", picture="T-1/1.png", picture_sha256="h", box=box, area=area, **more
    )


def planned(*values: PaperValue, files: tuple[PaperFile, ...] = ()) -> CropPlan:
    given: dict[str, Any] = dict.fromkeys(PaperSample.__dataclass_fields__, "")
    sample = PaperSample(**{**given, "sample_id": "T-1", "values": values, "files": files})
    return plan_crops(sample, enumerate(values, 1))


def at(y: float, x: float = 100, height: float = 30) -> Box:
    return Box(x=x, y=y, width=120, height=height)


def picture() -> bytes:
    """Return a picture of `PAGE`, two pixels for each CSS pixel, that is dark at y 1000 to 1030."""
    drawn = Image.new("RGB", (800, 4000), "white")
    ImageDraw.Draw(drawn).rectangle((200, 2000, 440, 2060), fill="black")
    out = io.BytesIO()
    drawn.save(out, "PNG")
    return out.getvalue()


def test_the_box_lies_on_the_value_in_the_part_that_is_cut():
    crop = planned(value("owner", at(1000))).crops[0]
    cut = there(cut_picture(picture(), crop, 800))
    with Image.open(io.BytesIO(cut.data)) as shown:
        grey = shown.convert("L")
    box = crop.boxes[0]
    left, top = box.left * grey.width, box.top * grey.height
    right, bottom = left + box.width * grey.width, top + box.height * grey.height
    inside = [grey.getpixel((int(x), int((top + bottom) / 2))) for x in (left + 6, (left + right) / 2, right - 6)]
    outside = [grey.getpixel((int(left) - 12, int(top) + 9)), grey.getpixel((int(left) + 9, int(top) - 12))]
    assert [there(one) < 40 for one in inside] == [True] * 3  # pyright: ignore[reportOperatorIssue]
    assert [there(one) > 215 for one in outside] == [True] * 2  # pyright: ignore[reportOperatorIssue]


def test_values_that_are_near_are_on_one_part_and_those_far_apart_on_several():
    near = planned(value("a", at(10)), value("b", at(100)))
    assert [[box.field for box in crop.boxes] for crop in near.crops] == [["a", "b"]]
    assert near.crops[0].top == 0
    far = planned(value("a", at(1500)), value("b", at(10)))
    assert [[(box.name, box.field) for box in crop.boxes] for crop in far.crops] == [[("2", "b")], [("1", "a")]]


def test_what_stands_on_no_part_is_named():
    plan = planned(*(value(f"f{number}", at(300 * number)) for number in range(6)))
    assert len(plan.crops) == MOST_CROPS
    assert plan.left_out == ("5", "6")
    assert plan.boxed == {"1", "2", "3", "4"}


def test_each_text_that_a_value_is_open_between_has_a_box_of_its_own():
    places = tuple(PaperPlace(text, "T-1/1.png", "h", at(y), PAGE) for text, y in (("Ann", 10), ("Ben", 60)))
    plan = planned(value("owner", None, open=places))
    assert [(box.name, box.text) for box in plan.crops[0].boxes] == [("1a", "Ann"), ("1b", "Ben")]


@pytest.mark.parametrize("y", [-20, 0, 5, 700, 1990, 1999])
@pytest.mark.parametrize("height", [1, 30, 900, 3000])
def test_no_box_and_no_part_leaves_its_picture(y: float, height: float):
    crop = planned(value("a", at(y, x=350, height=height))).crops[0]
    assert 0 <= crop.top < crop.bottom <= 1
    box = crop.boxes[0]
    edges = (box.left, box.top, box.left + box.width, box.top + box.height)
    assert [0 <= edge <= 1.000001 for edge in edges] == [True] * 4


def test_a_sample_without_a_box_shows_the_top_of_its_last_picture():
    shots = tuple(PaperFile(f"T-1/{name}.png", "screenshot", name, 1) for name in ("1", "2"))
    crop = planned(files=shots).crops[0]
    assert (crop.path, crop.boxes) == ("T-1/2.png", ())
    cut = there(cut_picture(picture(), crop, 400))
    assert (cut.width_px, cut.height_px) == (400, round(400 * TALLEST))
    assert cut.bottom == pytest.approx(800 * TALLEST / 4000)


@pytest.mark.parametrize("data", [b"", b"no picture", picture()[:200]])
def test_what_is_no_picture_is_not_shown(data: bytes):
    assert cut_picture(data, planned(value("a", at(10))).crops[0], 400) is None
