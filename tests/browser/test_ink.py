"""What pictures show of values: in real pages, and not in those that hide a text or draw another one."""

from __future__ import annotations

from services.browser_pool.adapters.browser.chromium import PoolSession
from services.browser_pool.ports import PageCapture, WantedRefs
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import Ink
from tests.browser.conftest import Look
from tests.typed import expect

SIGN = (
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='8' height='3'><rect width='8' height='3'/></svg>"
)
STYLE = f"""<style>
dd {{ width: 300px; margin: 4px }} .over {{ position: relative }}
.over b {{ position: absolute; inset: 0; background: #fff }}
.white {{ color: #fff }} .pale {{ color: #fdfdfd }}
.drawn {{ background: url("{SIGN}") no-repeat 0 8px; padding-left: 9px }}
.cut {{ width: 20px; overflow: hidden; white-space: nowrap }}
.zebra dd:nth-of-type(odd) {{ background: #eef }}
.badge {{ background: #264; color: #fff; padding: 2px 6px; border-radius: 8px }}
.shortened {{ width: 60px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }}
.bar {{ border-left: 3px solid #c00; padding-left: 6px }}
.crumb {{ width: 200px; overflow-wrap: anywhere }} .crumb::before {{ content: '/'; padding: 0 9px }}
.minus::before {{ content: '\\2212' }}
#sign {{ position: absolute; font: 16px serif }}
</style>"""
LAID_OVER = """<div id=sign>−</div><script>
const box = document.querySelector('.over').getBoundingClientRect();
sign.style.top = `${box.top}px`; sign.style.left = `${box.left + 60}px`;
</script>"""

LETTERS = """<style>
.block { display: inline-block } .moved { position: relative } .over-turned { rotate: 180deg }
.backward { display: inline-flex; flex-direction: row-reverse }
.bar { width: 9px; height: 2px; margin: 5px 4px; background: #000 }
.counted { counter-reset: c 1 } .counted::before { content: counter(c) }
.barred { position: relative; padding-left: 14px }
.barred::before { content: ''; position: absolute; left: 0; top: 9px; width: 10px; height: 2px; background: #000 }
</style>"""


def page_of(values: dict[str, str]) -> str:
    return f"{STYLE}<h1>R-1</h1><dl>{''.join(f'<dt>{name}</dt>{html}' for name, html in values.items())}</dl>"


async def ink_of(session: PoolSession, page: PageObserved) -> dict[str, str]:
    """Return the state of what the picture shows of each definition, by its term."""
    return {name: ink.state for name, ink in (await drawn_of(session, page)).items()}


async def drawn_of(session: PoolSession, page: PageObserved) -> dict[str, Ink]:
    """Return what the picture shows of each definition, by its term."""
    refs = {one.ref: one.header for one in page.elements if one.header}
    kept = expect(await session.capture((), WantedRefs(page.snapshot_id, tuple(refs))), PageCapture)
    return {refs[ref]: ink for ref, ink in kept.ink.items() if refs[ref]}


async def seen_in(session: PoolSession, page: PageObserved, *, seen: bool) -> set[str]:
    """Return the terms of the definitions that the picture shows, or does not show."""
    return {name for name, state in (await ink_of(session, page)).items() if (state == "seen") is seen}


async def test_what_can_be_read_is_seen(look: Look, session: PoolSession) -> None:
    values = {
        "plain": "<dd>1,250.00</dd>",
        "badge": "<dd><span class=badge>Open</span></dd>",
        "link": "<dd><a href=/x>Ann Lee</a></dd>",
        "icon": "<dd><svg width=12 height=12><circle cx=6 cy=6 r=5 /></svg> Open</dd>",
        "avatar": "<dd><span style='display:inline-block;width:20px;height:20px;background:#c60'></span> Ann Lee</dd>",
        "shortened": "<dd class=shortened>Annabelle Lee-Whitmore</dd>",
        "bar": "<dd class=bar>Quoted</dd>",
        "two lines": "<dd>one<br>two</dd>",
        "grey": "<dd style='color:#999'>quiet</dd>",
        "dark": "<dd style='background:#123;color:#eee'>night</dd>",
        "field": "<dd><input aria-label=field value='typed'></dd>",
        "minus": "<dd class=minus>120.00</dd>",
        "wrapped": "<dd style='width: 60px; white-space: pre-wrap'>Supply of lamps, lot 5</dd>",
        "long": f"<dd>{'a long way to go ' * 60}</dd>",
        "list": "<dd><ul><li>first</li></ul></dd>",
        "after a sign": "<dd><div class=crumb><a href=/x>run-count-50-of-the-import-of-rates</a></div></dd>",
        "no box": "<dd><div style='display: contents'><span>1,250.00</span></div></dd>",
    }
    page = await look(page_of(values).replace("<dl>", "<dl class=zebra>"))
    assert await seen_in(session, page, seen=False) == set()


async def test_letters_in_another_order_with_a_gap_or_turned_over_are_not_seen(
    look: Look, session: PoolSession
) -> None:
    values = {
        "counter": "<dd class=counted>20.50</dd>",
        "mirrored": "<dd><span class=block style='transform: scaleX(-1)'>120.50</span></dd>",
        "mirrored around": "<dd style='scale: -1 1'><span>120.50</span></dd>",
        "upside down": "<dd><span class=block style='rotate: 180deg'>69.00</span></dd>",
        "moved": "<dd><b class=moved style='left: 50px'>.50</b><b class=moved style='left: -20px'>120</b></dd>",
        "a gap": "<dd>1<span style='opacity: 0'>9</span>20.50</dd>",
        "another gap": "<dd>1<span style='visibility: hidden'>9</span>20.50</dd>",
        "a bar": "<dd><i class='block bar'></i>120.50</dd>",
        "a drawn bar": "<dd class=barred>120.50</dd>",
    }
    page = await look(page_of(values) + LETTERS)
    assert await seen_in(session, page, seen=True) == set()


async def test_letters_that_are_drawn_as_they_are_read_are_seen(look: Look, session: PoolSession) -> None:
    values = {
        "turned and back": "<dd class='block over-turned'><span class='block over-turned'>1</span></dd>",
        "scaled": "<dd style='transform: scale(.8) rotate(8deg)'>120.50</dd>",
        "spaced": "<dd style='letter-spacing: 4px'>1<b>20.50</b></dd>",
        "laid out backward": "<dd class=backward><span>.50</span><span>120</span></dd>",
        "two columns": "<dd style='columns: 2; width: 200px'>Ann Lee<br>Bo Chan<br>Cy Dunn<br>Di East</dd>",
        "from the right": "<dd dir=rtl>שלום עולם 120</dd>",
        "unit": "<dd>1<span style='margin-left: 12px'>kg</span></dd>",
        "legend": "<dd><i class=block style='width: 9px; height: 9px; background: #c00'></i> 120.50</dd>",
        "numbered": "<dd class=counted>Terms</dd>",
    }
    page = await look(page_of(values) + LETTERS)
    assert await seen_in(session, page, seen=False) == set()


async def test_a_value_below_the_view_is_seen(look: Look, session: PoolSession) -> None:
    page = await look(page_of({"plain": "<dd style='margin-top:4000px'>1,250.00</dd>", "next": "<dd>12</dd>"}))
    assert await ink_of(session, page) == {"plain": "seen", "next": "seen"}


async def test_a_text_that_nobody_can_see_has_no_ink(look: Look, session: PoolSession) -> None:
    values = {
        "covered": "<dd class=over>1,250.00<b></b></dd>",
        "white": "<dd class=white>1,250.00</dd>",
        "pale": "<dd class=pale>1,250.00</dd>",
        "partly white": "<dd>1,250<span class=white>.00</span></dd>",
        "cut": "<dd class=cut>1,250.00 and more</dd>",
        "dots": "<dd style='-webkit-text-security: disc'>1,250.00</dd>",
        "picture": "<dd><canvas width=80 height=20 role=img aria-label='1,250.00'></canvas></dd>",
    }
    page = await look(page_of(values))
    assert {name: state for name, state in (await ink_of(session, page)).items() if state != "absent"} == {}


async def test_what_is_drawn_beside_a_value_is_not_explained(look: Look, session: PoolSession) -> None:
    values = {"painted sign": "<dd class=drawn>120.00</dd>", "laid over": "<dd class=over>120.00</dd>"}
    page = await look(page_of(values) + LAID_OVER)
    assert await ink_of(session, page) == {"painted sign": "unexplained", "laid over": "unexplained"}


async def test_a_value_that_is_cut_off_by_a_box_is_outside_unless_the_box_scrolls(
    look: Look, session: PoolSession
) -> None:
    far = "<div style='height:500px'></div><dl><dt>far</dt><dd>12</dd></dl>"
    for overflow, state in (("hidden", "outside"), ("auto", "seen")):
        page = await look(f"{STYLE}<div style='height:60px;overflow:{overflow}'>{far}</div>")
        assert await ink_of(session, page) == {"far": state}


WITHOUT_GLYPHS = "\u0379\u0530"
"""Characters that are in no script, so that no font of any machine has them."""


async def test_a_text_that_no_font_has_is_not_seen(look: Look, session: PoolSession) -> None:
    values = {
        "author": f"<dd>{WITHOUT_GLYPHS}</dd>",
        "within": "<dd>Ann <b>L\u0379e</b></dd>",
        "typed": f"<dd><input aria-label=typed value='{WITHOUT_GLYPHS}'></dd>",
        "added": "<dd><span class=added>12</span></dd>",
        "plain": "<dd>Ann Lee, née Crème\u00a0– 12 €</dd>",
        "unseen marks": "<dd>Ann\u200b Lee\u00ad\u2060</dd>",
        "decomposed": "<dd>Cre\u0300me</dd>",
    }
    style = "<style>.added::after { content: ' L\\0379' }</style>"
    page = await look(style + page_of(values))
    drawn = await drawn_of(session, page)
    assert {name: one.glyphless for name, one in drawn.items() if one.glyphless} == {
        "author": 2, "within": 1, "typed": 2, "added": 1
    }  # fmt: skip
    assert {one.said for one in drawn.values() if not one.glyphless} == {"seen"}
    assert {one.state for one in drawn.values() if one.glyphless} == {"absent"}
