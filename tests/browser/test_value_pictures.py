"""Each value that a person can come to see is on a stored picture, in its box; what nobody can see is on none."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass

import numpy as np
import pytest
from PIL import Image, ImageColor

from services.browser_pool.adapters.browser.chromium import PoolSession
from services.browser_pool.ports import Capture, OnPicture, PageCapture, WantedRefs
from shared.contracts.actions import Screenshot
from shared.contracts.results import Box
from tests.browser.conftest import Look
from tests.typed import expect

STYLE = """<style>
body { margin: 8px; font: 16px sans-serif } dl { margin: 8px } dd { margin: 4px 40px; width: fit-content }
td, th { padding: 4px 10px; white-space: nowrap } iframe { border: 5px solid #888 }
.box { overflow: auto; width: 600px; height: 250px; border: 1px solid #889; position: relative }
.clip { overflow: hidden; height: 100px } .first { position: sticky; left: 0; background: #eee; min-width: 300px }
.skipped { content-visibility: auto; contain-intrinsic-size: auto 300px } .skipped p { height: 500px }
.late { opacity: .01; transition: opacity .8s }
.cover { position: sticky; top: 0; height: 250px; overflow: hidden; background: #fff }
.chat { position: fixed; left: 0; right: 0; bottom: 20px; height: 400px; background: #247; color: #fff }
</style>"""
FAR, BELOW = "<div style='height:1500px'>above</div>", "<div style='height:1500px'>below</div>"
RED, BLUE, PINK, LIME = "#ff0000", "#0000ff", "#ff00ff", "#00ff00"
LEAST_INK = 12


def value(text: str, colour: str = RED) -> str:
    """Return a label and its value; nothing else on the page is drawn in its colour."""
    return f"<dl><dt>Amount</dt><dd id=v style='color:{colour}'>{text}</dd></dl>"


@dataclass(frozen=True)
class Shown:
    """What a capture says of a value: whether it is seen; how much of its colour its picture has in its box and beside
    it, in pixels, and whether that picture was taken for values."""

    ink: str
    inside: int = 0
    beside: int = 0
    of_values: bool | None = None


async def pictured(look: Look, session: PoolSession, html: str) -> dict[str, Shown]:
    """Take a picture of the page, capture its values, and return what the pictures show of them, by their texts."""
    await look(STYLE + html)
    return await captured(look, session, (await session.act(Screenshot(label="page"))).captures)


async def captured(look: Look, session: PoolSession, taken: tuple[Capture, ...]) -> dict[str, Shown]:
    page = await look()
    texts = {one.ref: one.name for one in page.elements if one.header == "Amount"}
    before = await session.page.evaluate(SCROLLED)
    wanted = WantedRefs(page.snapshot_id, tuple(texts), tuple(map(sha256, taken)))
    kept = expect(await session.capture((), wanted), PageCapture)
    assert await session.page.evaluate(SCROLLED) == before
    pictures = {sha256(one): one for one in (*taken, *kept.pictures)}
    found: dict[str, Shown] = {}
    for ref, ink in kept.ink.items():
        place = kept.on_picture.get(ref)
        if place is None or place.box is None:
            found[texts[ref]] = Shown(ink.state)
            continue
        picture = pictures[place.sha256]
        element = next(one for one in page.elements if one.ref == ref)
        colour = {"44.00": BLUE, "55.00": PINK, "66.00": LIME}.get(element.name, RED)
        found[texts[ref]] = Shown(ink.state, *inked(picture, place.box, colour), picture.of_values)
    return found


SCROLLED = """() => [scrollX, scrollY,
  ...[...document.querySelectorAll('*')].flatMap((el) => [el.scrollLeft, el.scrollTop])]"""
"""Where everything is scrolled to."""


def sha256(capture: Capture) -> str:
    return hashlib.sha256(expect(capture.data, bytes)).hexdigest()


def inked(picture: Capture, box: Box, colour: str) -> tuple[int, int]:
    """Return how many pixels of a picture have the colour, in the box and beside it."""
    with Image.open(io.BytesIO(expect(picture.data, bytes))) as image:
        pixels = np.asarray(image.convert("RGB"))
    area = expect(picture.area, Box)
    scale = pixels.shape[1] / area.width
    has = (pixels == ImageColor.getrgb(colour)).all(axis=2)
    left, top = (box.x - area.x) * scale, (box.y - area.y) * scale
    rows, columns = (slice(int(at), int(at + long * scale) + 1) for at, long in ((top, box.height), (left, box.width)))
    inside = int(has[rows, columns].sum())
    return inside, int(has.sum()) - inside


INNER = f"<div class=box><div style='width:1200px;padding-left:700px'>{FAR}{value('33.00')}{BELOW}</div></div>"
NESTED = f"<div class=box><div style='width:1500px;padding-left:800px'>{FAR}{INNER}{BELOW}</div></div>"
TABLE = (
    "<div class=box><table><tr><th class=first>Key<th>Note<th>Amount<th>Z<tr><td class=first>K-1"
    f"<td>{'n' * 150}<td style='color:{BLUE}'>44.00<td>{'z' * 150}</table></div>"
)
FRAME = f'<iframe width=500 height=200 srcdoc="{STYLE}{FAR}{value("55.00", PINK)}{BELOW}"></iframe>'
VIRTUAL = """<div class=box id=list><div id=all style='height:40000px;position:relative'></div></div><script>
const row = (n, label, text) => `<dl style='position:absolute;top:${40 * n}px'><dt>${label}</dt>${text}</dl>`;
const amount = "<dd style='color:#00ff00'>66.00</dd>";
list.onscroll = () => {
  const first = Math.max(0, Math.floor(list.scrollTop / 40) - 5), rows = [];
  for (let n = first; n < first + 20; n += 1)
    rows.push(n === 14 ? row(n, 'Amount', amount) : row(n, n, `<dd>${n}</dd>`));
  all.innerHTML = rows.join('');
};
list.onscroll();
</script>"""
SHELL = (
    "<style>body { margin: 0; height: 100vh; display: flex; flex-direction: column; overflow: hidden }"
    "main { overflow-y: auto; flex: 1 } header { position: sticky; top: 0; height: 420px; background: #fe8 }</style>"
    f"<nav style='height:60px'>Desk</nav><main><header>Record</header>{FAR}{value('33.00')}{BELOW}</main>"
)
SKIPPED = "".join(f"<section class=skipped><p>{n}</p></section>" for n in range(8))
FADES = (
    f"{FAR}<div class=late>{value('33.00')}</div><script>"
    "const shows = (all) => all.forEach((one) => { if (one.isIntersecting) one.target.style.opacity = 1 });"
    "new IntersectionObserver(shows).observe(document.querySelector('.late'))</script>"
)
BODY_SCROLLS = "<style>html, body { height: 100%; margin: 0; overflow: auto }</style>"
TURNED = (
    f"<script>document.dir = 'rtl'</script><div style='width:3000px'><div style='margin-right:2500px'>{value('33.00')}"
)


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        pytest.param(NESTED + TABLE + VIRTUAL + FRAME, {"33.00", "44.00", "55.00", "66.00"}, id="parts that scroll"),
        pytest.param(SHELL, {"33.00"}, id="under a head that stays, in the part that scrolls in place of the page"),
        pytest.param(
            f"<p style='height:600px'></p>{value('33.00')}{BELOW}<p class=chat>Chat", {"33.00"}, id="chat box"
        ),
        pytest.param(
            f"{SKIPPED}<section class=skipped>{value('33.00')}</section>", {"33.00"}, id="drawn only when it is near"
        ),
        pytest.param(FADES + BELOW, {"33.00"}, id="fades in"),
        pytest.param(f"{BODY_SCROLLS}{FAR}{value('33.00')}{BELOW}", {"33.00"}, id="the body scrolls in the page"),
        pytest.param(TURNED, {"33.00"}, id="right to left"),
        pytest.param(
            f"<div style='width:6000px'><div style='margin-left:5500px'>{value('33.00')}", {"33.00"}, id="wide"
        ),
    ],
)
async def test_a_value_that_can_be_scrolled_to_is_in_its_box_on_its_picture(
    look: Look, session: PoolSession, html: str, texts: set[str]
) -> None:
    found = await pictured(look, session, html)
    assert {text for text, one in found.items() if one.ink == "seen" and one.inside >= LEAST_INK} == texts
    assert {text: one for text, one in found.items() if one.beside or not one.of_values} == {}


async def test_pixels_of_the_screen_that_are_not_those_of_the_page(look: Look, session: PoolSession) -> None:
    protocol = await session.page.context.new_cdp_session(session.page)
    sized = {"width": 1280, "height": 900, "deviceScaleFactor": 2, "mobile": False}
    await protocol.send("Emulation.setDeviceMetricsOverride", sized)
    try:
        zoomed = f"<body style='zoom:1.5'>{value('33.00')}<div class=box>{FAR}{value('44.00', BLUE)}{BELOW}</div>"
        found = await pictured(look, session, zoomed)
    finally:
        await protocol.send("Emulation.clearDeviceMetricsOverride")
    assert {text: (one.ink, one.beside, one.of_values) for text, one in found.items()} == {
        "33.00": ("seen", 0, False),
        "44.00": ("seen", 0, True),
    }
    assert min(one.inside for one in found.values()) >= LEAST_INK


CHANGES = "list.onscroll = () => {{ {0} = list.scrollTop ? '{1}' : '{2}' }}"
UNSEEN = (
    f"<div class=clip>{FAR}{value('1.00')}</div>",
    f"<div class=box><div class=cover>{'over it all ' * 150}</div>{FAR}{value('2.00')}{BELOW}</div>",
    f"<div class=box>{FAR}{value('3.00', '#ffffff')}{BELOW}</div>",
    f"<div class=box>{FAR}<div style='position:relative'>{value('4.00')}"
    f"<canvas style='position:absolute;inset:0;background:#fff'></canvas></div>{BELOW}</div>",
    f"<div class=clip><iframe style='margin-top:200px' srcdoc=\"{value('5.00')}\"></iframe></div>",
)
OTHERS = (("v.textContent", "9.00", "6.00"), ("v.previousSibling.textContent", "Tax", "Amount"))


async def test_what_nobody_can_come_to_see_is_not_shown(look: Look, session: PoolSession) -> None:
    found = await pictured(look, session, "".join(UNSEEN))
    assert {text: one.ink for text, one in found.items() if one.ink == "seen" or one.inside} == {}
    assert len(found) >= 4
    for html in (
        f"<style>body {{ overflow: hidden }}</style>{FAR}{value('7.00')}",
        f"{value('8.00')}<div style='position:fixed;inset:0;background:#fff'></div>",
    ):
        assert {one.ink == "seen" for one in (await pictured(look, session, html)).values()} == {False}


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("changed", OTHERS, ids=["value", "record"])
async def test_what_is_something_else_when_it_is_scrolled_to_is_not_shown(
    look: Look, session: PoolSession, changed: tuple[str, str, str]
) -> None:
    scrolled = f"<div class=box id=list>{FAR}{value('6.00')}{BELOW}</div><script>{CHANGES.format(*changed)}</script>"
    assert await pictured(look, session, scrolled) == {"6.00": Shown("outside")}


async def test_a_state_or_a_named_picture_is_in_its_box_too(look: Look, session: PoolSession) -> None:
    ticked = f"<input type=checkbox checked aria-label=Approved style='accent-color:{RED};width:30px;height:30px'>"
    seal = f"<i role=img aria-label=Sealed style='display:inline-block;width:30px;height:30px;background:{BLUE}'></i>"
    for around, is_shown in (("box", True), ("clip", False)):
        await look(f"{STYLE}<div class={around}>{FAR}{ticked}{seal}{BELOW}</div>")
        taken = (await session.act(Screenshot(label="page"))).captures
        page = await look()
        refs = {one.role: one.ref for one in page.elements if one.name in ("Approved", "Sealed")}
        wanted = WantedRefs(page.snapshot_id, tuple(refs.values()), tuple(map(sha256, taken)))
        kept = expect(await session.capture((), wanted), PageCapture)
        assert kept.ink == {}  # no text stands for them
        pictures = {sha256(one): one for one in kept.pictures}
        assert (len(refs), len(pictures)) == (2, 1 if is_shown else 0)
        for role, colour in (("checkbox", RED), ("img", BLUE)):
            place = kept.on_picture[refs[role]]
            if is_shown:
                inside, beside = inked(pictures[place.sha256], expect(place.box, Box), colour)
                assert (inside > 200, beside) == (True, 0)
            else:
                assert place == OnPicture("")


async def test_a_text_that_does_not_fit_is_seen_part_by_part(look: Look, session: PoolSession) -> None:
    lines = [f"part{n}<br>" for n in range(30)]
    found = await pictured(look, session, f"<div class=box>{value(''.join(lines))}{BELOW}</div>")
    assert [(one.ink, one.of_values, one.beside) for one in found.values()] == [("seen", True, 0)]
    lines[25] = "<i style='color:#fff'>part25</i><br>"
    found = await pictured(look, session, f"<div class=box>{value(''.join(lines))}{BELOW}</div>")
    assert [one.ink == "seen" for one in found.values()] == [False]


async def test_an_empty_value_is_looked_at_too(look: Look, session: PoolSession) -> None:
    empty = f"<div class=box>{FAR}<dl><dt>Amount</dt><dd style='width:90px;height:20px'></dd></dl>{BELOW}</div>"
    assert await pictured(look, session, empty) == {"": Shown("absent", 0, 0, True)}


async def test_a_picture_of_the_page_is_that_of_a_value_as_long_as_it_shows_the_same(
    look: Look, session: PoolSession
) -> None:
    await look(STYLE + value("33.00") + FAR)
    taken = (await session.act(Screenshot(label="page"))).captures
    for moved_px, of_values in ((0, False), (40, True)):  # as by a picture above it that comes late
        await session.page.evaluate(f"document.body.style.paddingTop = '{moved_px}px'")
        (found,) = (await captured(look, session, taken)).values()
        assert (found.ink, found.of_values, found.beside) == ("seen", of_values, 0)
        assert found.inside >= LEAST_INK


async def test_without_pictures_of_the_page_only_what_is_scrolled_to_is_pictured(
    look: Look, session: PoolSession
) -> None:
    await look(f"{STYLE}{value('12.00')}<div class=box>{FAR}{value('33.00')}</div>")
    found = await captured(look, session, ())
    assert {text: (one.ink, one.of_values) for text, one in found.items()} == {
        "12.00": ("seen", None),
        "33.00": ("seen", True),
    }
