"""What a text says as it is drawn: with letters of style sheets, marks off the line, directions and orders."""

from __future__ import annotations

from shared.contracts.browser_pool import PageObserved
from tests.browser.conftest import Look

STYLE = """<style>
.neg::before { content: '\\2212' } .old::before { content: 'OLD-' } .attr::before { content: attr(data-v) }
.sum::after { content: ')' } .sum::before { content: '(' } .icon::before { content: '\\f101' }
.dot::before { content: '• ' }
.none::before { content: '7'; display: none } .narrow::before { content: '8' }
@media print { .print::before { content: '9' } }
.back { unicode-bidi: bidi-override; direction: rtl } .row { display: flex; flex-direction: row-reverse }
.row2 { display: flex } .last { order: 2 } .line { text-decoration: line-through } .up { position: relative; top: -6px }
</style>"""


def said(page: PageObserved) -> dict[str, str]:
    """Return what each definition says, by its term."""
    return {one.header: one.name for one in page.elements if one.role == "definition" and one.header}


def page_of(values: dict[str, str]) -> str:
    return f"{STYLE}<dl>{''.join(f'<dt>{name}</dt><dd>{html}</dd>' for name, html in values.items())}</dl>"


async def test_what_a_style_sheet_adds_is_said(look: Look) -> None:
    page = await look(
        page_of(
            {
                "minus": "<span class=neg>120.00</span>",
                "brackets": "<span class=sum>88.00</span>",
                "prefix": "<b><span class=old>INV-123</span></b>",
                "attribute": "<span class=attr data-v=64.20></span>",
                "icon": "<i class=icon></i>12",
                "bullet": "<span class=dot>12</span>",
                "hidden": "<span class=none>12</span>",
                "printed": "<span class=print>12</span>",
                "two of three": "1<span class=neg>2</span>3",
            }
        )
    )
    assert said(page) == {
        "minus": "−120.00",
        "brackets": "(88.00)",
        "prefix": "OLD-INV-123",
        "attribute": "64.20",
        "icon": "12",
        "bullet": "12",
        "hidden": "12",
        "printed": "12",
        "two of three": "1−23",
    }
    assert not any(one.parts for one in page.elements)


async def test_what_a_style_sheet_adds_to_loose_texts_is_said_with_them(look: Look) -> None:
    page = await look(
        f"{STYLE}<p class=neg>120.00</p><div>Total: <span class=neg>5</span> EUR</div>"
        "<div class=attr data-v=alone></div>"
    )
    assert [one.name for one in page.elements] == ["−120.00", "Total: −5 EUR", "alone"]


async def test_marks_off_the_line_are_no_digits_of_the_number_before_them(look: Look) -> None:
    page = await look(
        page_of(
            {
                "footnote": "1,234<sup>2</sup>",
                "power": "10<sup>6</sup>",
                "formula": "CO<sub>2</sub>",
                "ordinal": "1<sup>st</sup>",
                "raised span": "INV-12<span class=up>1</span>",
                "small cents": "12<small>50</small>",
                "small cents first": "<small>12</small>50",
                "small fraction": "12<small>.50</small>",
                "small word": "5<small>kg</small>",
            }
        )
    )
    assert said(page) == {
        "footnote": "1,234²",
        "power": "10⁶",
        "formula": "CO₂",
        "ordinal": "1st",
        "raised span": "INV-12¹",
        "small cents": "12 50",
        "small cents first": "12 50",
        "small fraction": "12.50",
        "small word": "5kg",
    }


async def test_what_a_style_sheet_says_of_the_second_of_two_alike_is_seen(look: Look) -> None:
    """Elements of one tag and class have one style, unless a rule tells them apart by their place."""
    rules = "b:last-child { vertical-align: super } i + i { text-decoration: line-through } u:first-child { order: 2 }"
    page = await look(
        f"<style>{rules}</style>"
        + page_of(
            {
                "raised": "<b>1,234</b><b>2</b>",
                "struck": "<i>75</i> <i>80</i>",
                "order": "<div class=row2><u>00</u><u>12.</u></div>",
            }
        )
    )
    assert said(page)["raised"] == "1,234²"
    assert [[part.kind for part in one.parts] for one in page.elements if one.header == "struck"] == [["", "old"]]
    assert "".join(said(page)["order"].split()) == "12.00"


async def test_texts_are_said_in_the_order_and_direction_in_which_they_are_drawn(look: Look) -> None:
    page = await look(
        page_of(
            {
                "override": "<span class=back>00.19</span>",
                "marked": "&#x202e;00.19&#x202c;",
                "reverse": "<div class=row><span>00</span><span>12.</span></div>",
                "order": "<div class=row2><span class=last>00</span><span>12.</span></div>",
                "plain": "<div class=row2><span>12.</span><span>00</span></div>",
                "marks": "ABC\u200b-\u00ad1\u20602\u200e3",
            }
        )
    )
    wanted = {"override": "91.00", "marked": "91.00", "marks": "ABC-123"}
    assert {name: said(page)[name] for name in wanted} == wanted
    assert {"".join(said(page)[name].split()) for name in ("reverse", "order", "plain")} == {"12.00"}


async def test_a_text_that_is_struck_out_by_a_style_sheet_is_a_former_one(look: Look) -> None:
    page = await look(
        page_of(
            {
                "new": "<span class=line>80</span> 75",
                "deleted": "<del>80</del> 75",
                "whole": "<span class=line>80</span>",
            }
        )
    )
    parts = {one.header: [(part.text, part.kind) for part in one.parts] for one in page.elements if one.header}
    assert parts == {
        "new": [("80", "old"), ("75", "")],
        "deleted": [("80", "old"), ("75", "")],
        "whole": [("80", "old")],
    }
