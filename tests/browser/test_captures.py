"""Screenshots: their content, redaction, and pages that are hard to capture."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import replace

import pytest

from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import tiles
from services.browser_pool.page.tiles import MAX_WIDTH_PX, TILE_HEIGHT_PX
from services.browser_pool.ports import Capture, PageCapture, PerformedAction
from shared.contracts.actions import ByCss, Goto, Screenshot, ScreenshotElement, ScreenshotViews, Scroll
from shared.contracts.results import Captured
from tests.browser.conftest import Look
from tests.browser.site import Site

PIXELS = """async ([first, second]) => {
  const strip = async (pictures) => {
    const drawn = await Promise.all(pictures.map(async (data) =>
      createImageBitmap(await (await fetch('data:image/png;base64,' + data)).blob())));
    const canvas = new OffscreenCanvas(drawn[0].width, drawn.reduce((sum, one) => sum + one.height, 0));
    const pen = canvas.getContext('2d');
    let top = 0;
    for (const one of drawn) { pen.drawImage(one, 0, top); top += one.height; }
    return pen.getImageData(0, 0, canvas.width, canvas.height);
  };
  const [a, b] = [await strip(first), await strip(second)];
  if (a.width !== b.width || a.height !== b.height) return [a.width, a.height, b.width, b.height];
  let different = 0;
  for (let i = 0; i < a.data.length; i += 1) different += a.data[i] !== b.data[i];
  return different;
}"""
COLOURS = """async ([data, points]) => {
  const one = await createImageBitmap(await (await fetch('data:image/png;base64,' + data)).blob());
  const pen = new OffscreenCanvas(one.width, one.height).getContext('2d');
  pen.drawImage(one, 0, 0);
  return points.map(([x, y]) => [...pen.getImageData(x, y, 1, 1).data.slice(0, 3)].join(','));
}"""
RED, GREEN, BLUE, BLACK, WHITE = "255,0,0", "0,128,0", "0,0,255", "0,0,0", "255,255,255"
ROWS = "".join(f"<p style='margin:4px'>Row {n} <b>of many</b> <input value={n}></p>" for n in range(60))
BANNER = "<div style='position:fixed;top:0;left:0;right:0;height:40px;background:#fd8'>Banner</div>"


def png(capture: Capture) -> bytes:
    assert isinstance(capture.data, bytes)
    return capture.data


def size_of(capture: Capture) -> tuple[int, int]:
    data = png(capture)
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def text_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


async def different(session: PageSession, first: list[bytes], second: list[bytes]) -> object:
    """How many colour values differ between two strips of pictures."""
    page = await session.page.context.new_page()
    try:
        return await page.evaluate(PIXELS, [[text_of(one) for one in first], [text_of(one) for one in second]])
    finally:
        await page.close()


async def colours(session: PageSession, capture: Capture, *points: tuple[int, int]) -> list[str]:
    page = await session.page.context.new_page()
    try:
        return await page.evaluate(COLOURS, [text_of(png(capture)), [list(point) for point in points]])
    finally:
        await page.close()


async def shoot(session: PageSession, *, full_page: bool = True) -> PerformedAction:
    acted = await session.act(Screenshot(label="Page", full_page=full_page))
    assert acted.result.ok, acted.result.message
    assert acted.result.effect == Captured()
    return acted


@pytest.mark.parametrize(
    ("height", "full_page", "expected"),
    [
        (300, True, [(1280, 900)]),
        (2000, False, [(1280, 900)]),
        (TILE_HEIGHT_PX + 1, True, [(1280, TILE_HEIGHT_PX), (1280, 1)]),
    ],
)
async def test_sizes_and_parts(
    look: Look, session: PageSession, height: int, full_page: bool, expected: list[tuple[int, int]]
) -> None:
    await look(f"<body style='margin:0'><div style='height:{height}px'></div>")
    acted = await shoot(session, full_page=full_page)
    assert [size_of(one) for one in acted.captures] == expected
    assert {(one.media_type, one.label, one.suffix) for one in acted.captures} == {("image/png", "Page", ".png")}
    assert [(one.part, one.parts) for one in acted.captures] == [
        (n, len(expected)) for n in range(1, len(expected) + 1)
    ]
    assert (f"in {len(expected)} parts" in acted.result.message) == (len(expected) > 1)


async def test_a_page_beyond_all_bounds_is_cut_and_that_is_said(
    look: Look, session: PageSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiles, "MAX_TILES", 1)
    height = TILE_HEIGHT_PX + 500
    await look(f"<body style='margin:0'><div style='height:{height}px'></div>")
    acted = await shoot(session)
    assert len(acted.captures) == 1
    assert f"{height} px high" in acted.result.message
    await look("<body style='margin:0'><div style='width:50000px;height:10px'></div>")
    wide = await shoot(session)
    assert [size_of(one)[0] for one in wide.captures] == [MAX_WIDTH_PX]
    assert "50000 px wide" in wide.result.message
    await look("<body dir=rtl style='margin:0'><div style='width:2000px;height:10px'></div>")
    turned = await shoot(session)
    assert [size_of(one)[0] for one in turned.captures] == [1280]
    assert "720 px to the left" in turned.result.message


async def test_the_same_pixels_as_playwrights_own_picture(look: Look, session: PageSession) -> None:
    await look(f"{BANNER}<div style='height:100vh;background:linear-gradient(red,blue)'></div>{ROWS}")
    await session.page.evaluate("scrollTo(0, 700)")
    whole = [png(one) for one in (await shoot(session)).captures]
    theirs = await session.page.screenshot(full_page=True, animations="disabled", caret="hide")
    assert await different(session, whole, [theirs]) == 0
    view = [png(one) for one in (await shoot(session, full_page=False)).captures]
    theirs = await session.page.screenshot(animations="disabled", caret="hide")
    assert await different(session, view, [theirs]) == 0
    assert await session.page.evaluate("scrollY") == 700


async def test_parts_touch_and_do_not_overlap(
    look: Look, session: PageSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    await look(f"{BANNER}{ROWS}")
    theirs = await session.page.screenshot(full_page=True, animations="disabled", caret="hide")
    monkeypatch.setattr(tiles, "TILE_HEIGHT_PX", 700)
    parts = (await shoot(session)).captures
    assert len(parts) > 2
    assert await different(session, [png(one) for one in parts], [theirs]) == 0


SECRETS = """<style>input {{ color: red !important; background: #fff !important }}</style>{0}
<iframe srcdoc="{0}"></iframe><div id=host></div><dialog id=d>{0}</dialog>
<script>host.attachShadow({{mode: 'open'}}).innerHTML = `{0}`; d.showModal()</script>"""


async def test_password_fields_are_covered_everywhere(look: Look, session: PageSession) -> None:
    taken: dict[str, list[bytes]] = {}
    for typed in ("a", "abcdefgh"):
        field = f"<input type=password aria-label=Password value={typed} style='width:200px'>"
        await look(f"<main>{SECRETS.format(field)}<p style='height:1500px'></main>")
        await session.page.evaluate("scrollTo(0, 0)")
        whole, view = await shoot(session), await shoot(session, full_page=False)
        views = await session.act(ScreenshotViews(label="x"))
        element = await session.act(ScreenshotElement(target=ByCss(css="main"), label="x"))
        acted = (whole, view, views, element)
        assert all(one.result.ok for one in acted)
        assert whole.result.change.appeared == ()
        taken[typed] = [png(capture) for one in acted for capture in one.captures]
    assert taken["a"] == taken["abcdefgh"]


async def test_a_covered_field_is_black_and_as_before_afterwards(look: Look, session: PageSession) -> None:
    style = "position:absolute;left:100px;top:100px;width:200px;height:40px;border:0;color:red"
    await look(f"<body style='margin:0'><input type=password value=secret style='{style}'>")
    capture = (await shoot(session)).captures[0]
    assert await colours(session, capture, (110, 120), (290, 120), (310, 120)) == [BLACK, BLACK, WHITE]
    assert await session.page.get_attribute("input", "style") == style
    assert await session.page.input_value("input") == "secret"


async def test_what_moves_is_held_still_and_goes_on(look: Look, session: PageSession) -> None:
    await look(
        "<style>body { margin: 0 } div { width: 100px; height: 100px; background: red }"
        "@keyframes turn { from { background: red } to { background: green } }"
        "#ends { animation: turn 100s forwards } #never { animation: turn 100s infinite; background: blue }</style>"
        "<div id=ends></div><div id=never></div>"
    )
    capture = (await shoot(session)).captures[0]
    assert await colours(session, capture, (50, 50), (50, 150)) == [GREEN, BLUE]
    states = await session.page.evaluate("document.getAnimations().map((one) => one.playState)")
    assert "running" in states


EDITABLE = "<div contenteditable style='width:200px;height:40px;outline:none'>x</div>"


@pytest.mark.parametrize(
    ("html", "prepared", "focused"),
    [
        ("<input value=x style='outline:none;border:1px solid'>", "", "document.querySelector('input')"),
        (EDITABLE, "", "document.querySelector('div')"),
        ("<style>body { outline: none }</style>x", "document.body.contentEditable = 'true'", "document.body"),
        ("x", "document.designMode = 'on'", "document.body"),
        (
            "<p></p>",
            f"document.querySelector('p').attachShadow({{ mode: 'open' }}).innerHTML = `{EDITABLE}`",
            "document.querySelector('p').shadowRoot.firstChild",
        ),
    ],
    ids=["input", "part", "body", "design mode", "shadow root"],
)
async def test_no_caret_is_seen(look: Look, session: PageSession, html: str, prepared: str, focused: str) -> None:
    await look(html)
    await session.page.evaluate(f"() => {{ {prepared} }}")
    apart = png((await shoot(session)).captures[0])
    await session.page.evaluate(
        f"() => {{ {focused}.focus(); window.getSelection().modify('move', 'forward', 'line'); }}"
    )
    assert await different(session, [apart], [png((await shoot(session)).captures[0])]) == 0


DOT = (
    "<svg xmlns='http://www.w3.org/2000/svg' width='100' height='100'>"
    "<rect width='100' height='100' fill='green'/></svg>"
)


async def test_pictures_that_load_late_are_waited_for(session: PageSession, site: Site) -> None:
    site.add("/dot.svg", DOT, content_type="image/svg+xml")
    lazy = "<img loading=lazy src=/dot.svg style='position:absolute;left:0;top:6000px'>"
    await session.act(Goto(url=site.add("/lazy", f"<body style='margin:0'>{lazy}")))
    capture = (await shoot(session)).captures[0]
    assert await colours(session, capture, (50, 6050)) == [GREEN]


async def test_a_picture_that_never_comes_holds_nobody_up(session: PageSession, site: Site) -> None:
    site.add("/never.svg", DOT, gate=asyncio.Event())
    late = "setTimeout(() => { document.body.innerHTML += '<img src=/never.svg>' }, 0)"
    site.add("/waits", f"<p>Text<script>{late}</script>")
    await session.act(Goto(url=f"{site.url}/waits"))
    assert len((await shoot(session)).captures) == 1


async def test_pages_of_other_kinds(look: Look, session: PageSession, site: Site) -> None:
    await look("<html style='height:0;overflow:hidden'><body style='height:0;margin:0'></body></html>")
    assert [size_of(one) for one in (await shoot(session)).captures] == [(1280, 900)]
    fill = "c.getContext('2d').fillRect(0, 0, 300, 1200)"
    await look(f"<canvas id=c width=300 height=1200></canvas><script>{fill}</script>")
    assert await colours(session, (await shoot(session)).captures[0], (100, 1100)) == [BLACK]
    await session.act(Goto(url=site.add("/dot.svg", DOT, content_type="image/svg+xml")))
    assert await colours(session, (await shoot(session)).captures[0], (50, 50)) == [GREEN]


async def test_one_element(look: Look, session: PageSession) -> None:
    boxes = "<div id=a style='height:3000px'></div><div id=b style='width:300px;height:200px;background:green'></div>"
    await look(f"<body style='margin:0;background:red'>{boxes}")
    acted = await session.act(ScreenshotElement(target=ByCss(css="#b"), label="Box"))
    assert (acted.result.ok, acted.result.effect) == (True, Captured())
    (capture,) = acted.captures
    assert (capture.label, size_of(capture)) == ("Box", (300, 200))
    assert await colours(session, capture, (0, 0), (299, 199)) == [GREEN, GREEN]
    assert acted.result.target is not None
    tall = await session.act(ScreenshotElement(target=ByCss(css="#a"), label="Tall"))
    assert [size_of(one) for one in tall.captures] == [(1280, 3000)]


async def test_one_element_in_a_frame_that_is_scrolled(look: Look, session: PageSession) -> None:
    box = "<div id=b style='width:90px;height:50px;background:blue'></div>"
    inner = f"<body style='margin:0'><p style='height:900px'></p>{box}"
    frame = f'<iframe style="width:400px;height:300px;border:0" srcdoc="{inner}"></iframe>'
    await look(f'<p style="height:1500px"></p>{frame}')
    acted = await session.act(ScreenshotElement(target=ByCss(css="#b"), label="Box"))
    assert acted.result.ok, acted.result.message
    assert [size_of(one) for one in acted.captures] == [(90, 50)]
    assert await colours(session, acted.captures[0], (1, 1), (88, 48)) == [BLUE, BLUE]


async def test_an_element_without_a_box(look: Look, session: PageSession) -> None:
    await look("<p id=a hidden>x</p><p id=b style='height:0;margin:0'></p>")
    for css in ("#a", "#b"):
        acted = await session.act(ScreenshotElement(target=ByCss(css=css), label="x"))
        assert (acted.result.ok, acted.result.code, acted.captures) == (False, "failed", ())
        assert "no room" in acted.result.message
    missing = await session.act(ScreenshotElement(target=ByCss(css="#c"), label="x"))
    assert (missing.result.ok, missing.result.code) == (False, "not_found")


async def test_views_from_the_top_down_and_back(look: Look, session: PageSession) -> None:
    await look("<body style='margin:0'><div style='height:2500px;background:linear-gradient(red,blue)'></div>")
    await session.act(Scroll(amount_px=300))
    acted = await session.act(ScreenshotViews(label="Views"))
    assert acted.result.ok
    assert [size_of(one) for one in acted.captures] == [(1280, 900)] * 3
    assert [(one.part, one.parts) for one in acted.captures] == [(1, 3), (2, 3), (3, 3)]
    assert [one.area.y for one in acted.captures if one.area] == [0, 810, 1600]
    assert isinstance(acted.page, PageCapture)
    assert await colours(session, acted.captures[0], (5, 0)) == [RED]
    assert await colours(session, acted.captures[2], (5, 899)) == [BLUE]
    assert await session.page.evaluate("scrollY") == 300


async def test_views_of_a_page_whose_main_part_scrolls(look: Look, session: PageSession) -> None:
    inner = "<div style='height:2000px;background:linear-gradient(red,blue)'></div>"
    await look(f"<body style='margin:0'><div id=box style='height:800px;overflow:auto'>{inner}</div>")
    acted = await session.act(ScreenshotViews(label="Views"))
    assert [one.area is not None for one in acted.captures] == [True, False, False]  # the others show other contents
    assert await colours(session, acted.captures[0], (5, 0)) == [RED]
    assert await colours(session, acted.captures[2], (5, 799)) == [BLUE]
    assert await session.page.evaluate("box.scrollTop") == 0


async def test_a_page_of_which_one_part_scrolls_is_shown_to_its_end(look: Look, session: PageSession) -> None:
    inner = "<div style='height:2000px;background:linear-gradient(red,blue)'></div>"
    await look(f"<body style='margin:0'><main style='height:100vh;overflow:auto'>{inner}</main>")
    acted = await shoot(session)
    assert [size_of(one) for one in acted.captures] == [(1280, 900)] * 3
    assert [one.area is not None for one in acted.captures] == [True, False, False]
    assert await colours(session, acted.captures[2], (5, 899)) == [BLUE]
    assert len((await shoot(session, full_page=False)).captures) == 1
    await look(f"<body style='margin:0'><div style='height:200px;overflow:auto'>{inner}</div>")
    assert len((await shoot(session)).captures) == 1  # a small part is not the page


async def test_views_of_a_page_that_loads_as_it_is_scrolled_are_bounded(
    look: Look, session: PageSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiles, "MAX_VIEWS", 5)
    more = "() => { const p = document.createElement('p'); p.style.height = '3000px'; document.body.append(p); }"
    await look(f"<body><script>const more = {more}; more(); addEventListener('scroll', more)</script>")
    acted = await session.act(ScreenshotViews(label="Views"))
    assert acted.result.ok
    assert len(acted.captures) == 5
    assert "the page goes on below" in acted.result.message
    assert await session.page.evaluate("scrollY") == 0


async def test_a_page_that_does_not_answer_is_a_result(look: Look, session: PageSession) -> None:
    session.limits = replace(session.limits, action_s=0.5, rest_s=0.5)
    await look("<p>Fine")
    await session.page.evaluate("setTimeout(() => { for (;;); }, 0)")
    acted = await session.act(Screenshot(label="x"))
    assert (acted.result.ok, acted.result.code, acted.captures) == (False, "timeout", ())
