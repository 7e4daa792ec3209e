"""Sliders and spin buttons, native and made of other elements: set by keys, dragged by their thumb, and read back."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import DragBy, TypeText
from shared.contracts.results import ActionResult, ValueSet
from tests.browser.action_steps import at, do

# A slider or spin button of keys. DIRECTION: 1, or -1 where the keys to the left and right change places.
OWN = """<div id=s role=ROLE tabindex=0 aria-label=Level aria-valuemin=MIN aria-valuemax=MAX NOW
style='width:20px;height:20px;background:#ccc'></div><script>
const names = NAMES, set = v => { v = Math.min(MAX, Math.max(MIN, v)); s.setAttribute('aria-valuenow', v);
  if (names) s.setAttribute('aria-valuetext', names[v]) };
const now = () => Number(s.getAttribute('aria-valuenow') ?? MIN - STEP); if (names) set(now());
s.onkeydown = e => { const by = { ArrowUp: UPDOWN, ArrowDown: -(UPDOWN), ArrowRight: DIRECTION, ArrowLeft: -(DIRECTION),
  PageUp: PAGE, PageDown: -PAGE }[e.key];
  if (by) set(Number((now() + by * STEP).toFixed(6))); if (e.key == 'Home') set(MIN); if (e.key == 'End') set(MAX) }
</script>"""
USUAL = {"ROLE": "slider", "MIN": "0", "MAX": "100", "NOW": "aria-valuenow=20", "NAMES": "null", "UPDOWN": "1"}
USUAL.update({"DIRECTION": "1", "PAGE": "10", "STEP": "1"})


def own(**parts: str) -> str:
    html = OWN
    for name, value in {**USUAL, **parts}.items():
        html = html.replace(name, value)
    return html


async def set_level(session: PageSession, text: str) -> ActionResult:
    return await do(session, TypeText(target=at("Level"), text=text))


@pytest.mark.parametrize(
    ("html", "typed", "held"),
    [
        (own(), "70", "70"),
        (own(), "3", "3"),
        (own(), "20", "20"),
        (own(ROLE="spinbutton"), "23", "23"),
        (own(ROLE="spinbutton", NOW=""), "7", "7"),
        (own(STEP="0.25", MIN="-5", MAX="5", NOW="aria-valuenow=0"), "-1.75", "-1.75"),
        (own(UPDOWN="0"), "24", "24"),
        (own(UPDOWN="0", DIRECTION="-1"), "24", "24"),
        (own(PAGE="0"), "55", "55"),
        (own(MAX="5000", PAGE="100"), "4321", "4321"),
        (own(MAX="2", NOW="aria-valuenow=0", NAMES="['Low', 'Medium', 'High']"), "Medium", "Medium"),
        ("<input type=range aria-label=Level min=0 max=10 step=0.5 value=2>", "7.5", "7.5"),
        (
            "<input type=range aria-label=Level value=20 oninput='this.value = this.v ?? 20' "
            "onkeyup='this.v = this.value = Number(this.v ?? 20) + (event.key == \"ArrowUp\") * 2'>",
            "24",
            "24",
        ),
        ("<input type=number aria-label=Level value=3>", "12", "12"),
        (f"<div role=group aria-label=Level>{own().replace('aria-label=Level', '')}</div>", "25", "25"),
    ],
)
async def test_a_number_is_set(session: PageSession, html: str, typed: str, held: str) -> None:
    await session.page.set_content(html)
    told = await set_level(session, typed)
    assert (told.ok, told.effect) == (True, ValueSet(value=held)), told.message


@pytest.mark.parametrize(
    ("html", "typed", "held"),
    [
        (own(), "170", "20"),
        (own(STEP="5"), "33", None),
        (own(UPDOWN="0", DIRECTION="0", PAGE="0"), "50", "20"),
        (own(MAX="2", NOW="aria-valuenow=0", NAMES="['Low', 'Medium', 'High']"), "Huge", "High"),
        ("<input type=range aria-label=Level min=0 max=10 value=2>", "11", "2"),
    ],
)
async def test_what_it_cannot_take_is_told_with_what_it_holds(
    session: PageSession, html: str, typed: str, held: str | None
) -> None:
    await session.page.set_content(html)
    told = await set_level(session, typed)
    now = await session.page.evaluate(
        "e => { e = document.querySelector('[aria-label=Level]');"
        " return e.getAttribute('aria-valuetext') ?? e.getAttribute('aria-valuenow') ?? e.value }"
    )
    assert (told.ok, told.code, told.effect) == (False, "effect_not_seen", ValueSet(value=now))
    assert held is None or now == held


async def test_a_slider_that_is_disabled_is_not_set(session: PageSession) -> None:
    await session.page.set_content(own().replace("tabindex=0", "tabindex=0 aria-disabled=true"))
    assert (await set_level(session, "50")).code == "not_editable"


# A slider whose role is on the track, with a thumb that follows the mouse from where it was held.
TRACK = """<div id=t TRACKROLE style='position:relative;width:320px;height:20px;background:#ddd'><span id=h THUMBROLE
style='position:absolute;top:0;left:60px;width:20px;height:20px;background:#333'></span></div><script>
const at = document.querySelector('[role=slider]'); let from = null;
h.onmousedown = e => { from = e.clientX - h.offsetLeft; e.preventDefault() }; onmouseup = () => { from = null };
onmousemove = e => { if (from !== null) { const x = Math.min(300, Math.max(0, e.clientX - from));
  h.style.left = x + 'px';
  at.setAttribute('aria-valuenow', Math.round(x / 3)) } }</script>"""
SAYS = "role=slider tabindex=0 aria-label=Level aria-valuemin=0 aria-valuemax=100 aria-valuenow=20"


@pytest.mark.parametrize(
    ("html", "target"),
    [
        (TRACK.replace("TRACKROLE", SAYS).replace("THUMBROLE", ""), "Level"),
        (TRACK.replace("TRACKROLE", "").replace("THUMBROLE", SAYS), "Level"),
        (TRACK.replace("TRACKROLE", "").replace("THUMBROLE", SAYS), "css=#t"),
    ],
)
async def test_a_slider_is_dragged_by_its_thumb(session: PageSession, html: str, target: str) -> None:
    await session.page.set_content(html)
    assert (await do(session, DragBy(target=at(target), right_px=90))).effect == ValueSet(value="50")
