"""Unnamed icons beside a record's text, in the real Chromium: which are reported, and how."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import ByRef, ScreenshotElement
from shared.contracts.browser_pool import Element, PageObserved
from tests.browser.conftest import Look


def svg(colour: str = "#1a7f4b", d: str = "M0 0h16v16H0z", more: str = "") -> str:
    return f'<svg width=16 height=16 viewBox="0 0 16 16" {more}><path d="{d}" fill="{colour}"/></svg>'


PASS, FAIL = svg(), svg("#c9302c", "M5 0h6l5 5v6l-5 5H5l-5-5V5z")
ARROW = svg("currentColor", "M4 0l8 8-8 8z")
PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs="


def icons(page: PageObserved) -> list[Element]:
    return [one for one in page.elements if one.look]


def rows(*marks: str, tag: str = "li") -> str:
    return "".join(
        f"<{tag}>{mark}<span>check {n}</span> <a href=/x{n}>Details</a></{tag}>" for n, mark in enumerate(marks)
    )


async def test_every_row_has_its_icon_and_equal_ones_share_a_number(look: Look) -> None:
    page = await look(f"<ul>{rows(PASS, FAIL, PASS)}</ul>")
    assert [(one.role, one.name, one.look, one.tag) for one in icons(page)] == [
        ("img", "", 1, "svg"),
        ("img", "", 2, "svg"),
        ("img", "", 1, "svg"),
    ]
    assert [one.box.width for one in icons(page) if one.box] == [16, 16, 16]
    assert page.text.splitlines()[:3] == ["[1] [icon 1]", '[2] [text] "check 0"', '[3] [link] "Details" -> /x0']
    assert "ask_picture" in page.text.splitlines()[-1]
    assert page.triggers == ("icons",)
    assert page.dom_confidence < 0.6


async def test_icons_that_are_all_alike_stay_where_they_have_a_colour(look: Look) -> None:
    page = await look(f"<ul>{rows(PASS, PASS, PASS, PASS)}</ul>")
    assert [one.look for one in icons(page)] == [1, 1, 1, 1]
    assert page.triggers == ("icons",)


async def test_a_link_beside_an_icon_is_no_word_for_its_state(look: Look) -> None:
    items = "".join(f"<li><span>{name}</span><div>{PASS}<a href=/x>Details</a></div>" for name in ("a", "b", "c"))
    assert [one.look for one in icons(await look(f"<ul>{items}</ul>"))] == [1, 1, 1]


async def test_what_is_the_same_in_every_row_and_has_no_colour_is_told_once(look: Look) -> None:
    page = await look(f"<ul>{rows(ARROW, ARROW, ARROW)}</ul>")
    assert [(one.look, one.states) for one in icons(page)] == [(1, ("the same in all 3 rows",))]
    assert "[1] [icon 1] (the same in all 3 rows)" in page.text
    assert (page.triggers, page.dom_confidence) == ((), pytest.approx(0.9, abs=0.1))


async def test_an_icon_in_a_cell_stands_for_the_cell(look: Look) -> None:
    page = await look(
        f"<table><tr><th>Job<th>State</tr><tr><td>build<td>{PASS}</tr><tr><td>lint<td>{FAIL}</tr>"
        "<tr><td>docs<td></tr></table>"
    )
    assert [(one.role, one.header, one.name, one.row, one.look) for one in page.elements if one.header == "State"] == [
        ("img", "State", "", 2, 1),
        ("img", "State", "", 3, 2),
        ("cell", "State", "", 4, 0),
    ]
    assert "[icon 1] State: (row 2)" in page.text


@pytest.mark.parametrize(
    "mark",
    [
        '<i style="display:inline-block;width:10px;height:10px;border-radius:50%;background:#1a7f4b"></i>',
        '<span class=s style="display:inline-block;width:16px;height:16px;background:url(/sprite.png) -16px 0"></span>',
        f'<img src="{PIXEL}" width=16 height=16>',
        svg(more="aria-hidden=true"),
        f"<span aria-hidden=true>{PASS}</span>",
        "<style>.g::before { content: '\\e901'; font-size: 16px }</style><i class=g style='display:inline-block'></i>",
    ],
    ids=["dot", "sprite", "img", "hidden from screen readers", "in a hidden box", "glyph"],
)
async def test_whatever_draws_it(look: Look, mark: str) -> None:
    page = await look(f"<ul>{rows(mark, '')}</ul>")
    assert len(icons(page)) == 1
    assert [one.name for one in page.elements if not one.look] == ["check 0", "Details", "check 1", "Details"]


FONT_ICON = """<style>.fa-solid { display: inline-block; width: 20px; line-height: .05em; font-size: 20px }
    .fa-solid::before { content: "\\2716" / ""; color: color(srgb 0.84 0.22 0.22) }</style>"""


async def test_a_glyph_that_stands_out_of_its_line_is_an_icon_and_its_cell_is_not_empty(
    look: Look, session: PageSession
) -> None:
    icon = '<span><i class="fa-solid fa-times-circle fa-lg"></i></span>'
    page = await look(
        f"{FONT_ICON}<table><tr><th>Attribute<th>Value</tr><tr><td>Approved<td>{icon}</tr>"
        "<tr><td>Notes<td> </tr></table>"
    )
    cells = [(one.role, one.name, one.states, one.row) for one in page.elements if one.column == 1 and one.row != 1]
    assert cells == [
        ("img", "icon times-circle", ("colour rgb(214, 56, 56)",), 2),
        ("cell", "", (), 3),
    ]
    (told,) = [one for one in page.elements if one.role == "img"]
    assert told.box is not None
    assert (told.box.width, told.box.height) == (20, 20)
    target = ByRef(ref=told.ref, snapshot_id=page.snapshot_id)
    (capture,) = (await session.act(ScreenshotElement(target=target, label="icon"))).captures
    assert isinstance(capture.data, bytes)
    assert capture.data[16:24] == (20).to_bytes(4, "big") * 2


@pytest.mark.parametrize(
    ("classes", "name"),
    [
        ("fa-regular fa-circle-check fa-2x", "icon circle-check"),
        ("fa fa-check", "icon check"),
        ("fas fa-fw fa-ban", "icon ban"),
        ("bi bi-x-circle", "icon x-circle"),
        ("fa-solid fa-spin fa-spinner", "icon spinner"),
        ("fa-solid fa-rotate-left", "icon rotate-left"),
        ("fa-sharp-duotone fa-semibold fa-xmark", "icon xmark"),
        ("ph-fill ph-check", "icon check"),
        ("mdi mdi-flip-horizontal", "icon flip-horizontal"),
        ("fa-solid", "icon solid"),
    ],
)
async def test_an_icon_of_a_font_is_named_by_what_it_shows(look: Look, classes: str, name: str) -> None:
    style = "<style>i { display: inline-block; width: 16px; height: 16px } i::before { content: '\\e901' }</style>"
    page = await look(f'{style}<table><tr><td>build<td><i class="{classes}"></i></tr></table>')
    assert [one.name for one in page.elements if one.role == "img"] == [name]


async def test_rows_of_plain_boxes_are_rows_too(look: Look) -> None:
    page = await look(f"<main>{rows(PASS, FAIL, tag='div class=row').replace('</div class=row>', '</div>')}</main>")
    assert [one.look for one in icons(page)] == [1, 2]


async def test_what_decorates_is_not_told(look: Look) -> None:
    page = await look(
        f"""<header><ul><li>{PASS} Home</ul></header><nav><ul><li>{PASS} Start</ul></nav>
        <p>{PASS} A sentence.</p><h1>{PASS} Title</h1>
        <ul><li><button>{PASS} Save</button> <a href=/x>{FAIL} More</a></li>
        <li><span class=avatar>{PASS}</span> Ann</li>
        <li>{svg(more="class=chevron-right")} Next</li>
        <li><svg width=200 height=100><rect width=200 height=100 fill=red /></svg> A chart</li>
        <li><svg width=16 height=16></svg> Nothing drawn</li>
        <li><span style="display:inline-block;width:80px;height:8px;background:#c00"></span> A bar</li></ul>
        <table><tr><th>{PASS} Sorted</tr><tr><td>1</tr></table>"""
    )
    assert icons(page) == []
    assert page.triggers == ()


async def test_a_dot_that_always_stands_with_the_same_word_says_nothing_more(look: Look) -> None:
    def line(colour: str, word: str, name: str) -> str:
        dot = f'<i style="display:inline-block;width:8px;height:8px;border-radius:4px;background:{colour}"></i>'
        return f"<tr><td>{name}<td>{dot}{word}</tr>"

    head = "<table><tr><th>Name<th>Priority</tr>"
    page = await look(head + line("red", "High", "a") + line("green", "Low", "b") + line("red", "High", "c"))
    assert (icons(page), page.triggers) == ([], ())
    words = ("Todo", "Backlog", "Done") * 3
    page = await look(head + "".join(line("green" if word == "Done" else "grey", word, "x") for word in words))
    assert (icons(page), page.triggers) == ([], ())
    page = await look(head + line("red", "lint", "a") + line("green", "build", "b") + line("red", "docs", "c"))
    assert [one.look for one in icons(page)] == [1, 2, 1]


async def test_an_icon_that_has_words_is_told_with_them(look: Look) -> None:
    clipped = "position:absolute;width:1px;height:1px;overflow:hidden"
    wrapped = f'<span title="Passed">{PASS}</span>'
    beside = f'{svg(more="aria-hidden=true")}<span style="{clipped}">Failed</span>'
    page = await look(f"<ul>{rows(wrapped, beside, svg(more='aria-label=Skipped'))}</ul>")
    assert icons(page) == []
    assert [one.name for one in page.elements if one.role == "img"] == ["Passed", "Failed", "Skipped"]


async def test_icons_are_the_first_to_go_when_the_budget_runs_short(look: Look) -> None:
    html = f"<ul>{rows(*[PASS] * 30)}</ul>"
    assert len(icons(await look(html))) == 30
    page = await look(html, max_tokens=550)
    assert len(page.elements) - len(icons(page)) == 60
    assert page.left_out == 30 - len(icons(page)) > 20


async def test_its_picture_shows_it_alone_and_another_drawing_is_a_difference(look: Look, session: PageSession) -> None:
    page = await look(f"<ul>{rows(PASS, FAIL)}</ul>")
    target = ByRef(ref=icons(page)[1].ref, snapshot_id=page.snapshot_id)
    outcome = await session.act(ScreenshotElement(target=target, label="icon"))
    (capture,) = outcome.captures
    assert isinstance(capture.data, bytes)
    assert capture.data[16:24] == (16).to_bytes(4, "big") * 2
    assert (await look(f"<ul>{rows(PASS, PASS)}</ul>")).sha256 != page.sha256


async def test_an_icon_whose_row_became_another_record_is_stale(look: Look, session: PageSession) -> None:
    page = await look(f"<ul>{rows(PASS, FAIL)}</ul>")
    await session.page.evaluate("document.querySelector('span').textContent = 'another check'")
    target = ByRef(ref=icons(page)[0].ref, snapshot_id=page.snapshot_id)
    result = (await session.act(ScreenshotElement(target=target, label="icon"))).result
    assert (result.ok, result.code) == (False, "stale_ref")
