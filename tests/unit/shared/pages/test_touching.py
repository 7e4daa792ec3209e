"""Texts that touch each other are one, for every reader."""

from __future__ import annotations

from shared.contracts.browser_pool import Element
from shared.contracts.results import Box
from shared.pages.touching import with_touching_joined


def text(name: str, x: float, width: float, **more: object) -> Element:
    return Element(ref=1, role="text", name=name, box=Box(x=x, y=10, width=width, height=18), **more)  # type: ignore[arg-type]


def test_texts_that_touch_are_one_text_and_others_are_not() -> None:
    joined = with_touching_joined([text("5,966", 0, 40), text(".78", 40.4, 20), text("EUR", 66, 30)])
    assert [one.name for one in joined] == ["5,966.78", "EUR"]
    assert joined[0].box == Box(x=0, y=10, width=60.4, height=18)


def test_what_is_no_plain_text_is_joined_to_nothing() -> None:
    cell = Element(ref=2, role="cell", name="7", box=Box(x=40, y=10, width=9, height=18))
    assert len(with_touching_joined([text("5", 0, 40), cell])) == 2
    assert len(with_touching_joined([text("5", 0, 40), text("7", 40, 9, title="seven")])) == 2
    assert len(with_touching_joined([text("5", 0, 40), text("7", 40, 9, frame="f2")])) == 2
