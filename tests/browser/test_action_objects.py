"""Drag and drop, file upload, typing into unusual fields, scrolling."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import Drag, DragBy, Scroll, TypeText, Upload
from shared.contracts.results import ActionResult, FilesGiven, NotSeen, PageChanged, Scrolled, ValueSet
from tests.browser.action_steps import at, do, shown

BOX = "width:60px;height:60px;background:#ddd"


async def test_what_the_browser_itself_drags_onto_what_is_out_of_view(session: PageSession) -> None:
    await session.page.set_content(
        f"""<div id=a draggable=true style='{BOX}'>A</div><div id=b style='{BOX};margin-top:1500px'>Drop</div><script>
        a.ondragstart = e => e.dataTransfer.setData('text', 'it'); b.ondragover = e => e.preventDefault();
        b.ondrop = e => {{ b.textContent = 'got ' + e.dataTransfer.getData('text') }}</script>"""
    )
    dragged = await do(session, Drag(target=at("css=#a"), onto=at("css=#b")))
    assert (dragged.ok, dragged.effect) == (True, PageChanged())
    assert await shown(session, "#b") == "got it"


async def test_what_a_script_drags_with_the_mouse(session: PageSession) -> None:
    await session.page.set_content(
        f"""<div id=a style='{BOX};position:absolute'>A</div><div id=b style='{BOX};margin:300px'>Drop</div><script>
        let held = 0, moves = 0; a.onmousedown = e => {{ held = 1; e.preventDefault() }};
        onmousemove = e => {{ if (held) {{ moves++; a.style.left = e.clientX - 70 + 'px';
        a.style.top = e.clientY + 'px' }} }};
        onmouseup = e => {{ held = 0; if (moves > 5 && document.elementFromPoint(e.clientX, e.clientY) === b)
        b.textContent = 'got it' }}</script>"""
    )
    assert (await do(session, Drag(target=at("css=#a"), onto=at("css=#b")))).effect == PageChanged()
    assert await shown(session, "#b") == "got it"


async def test_sliders_and_what_cannot_be_dragged(session: PageSession) -> None:
    await session.page.set_content(
        "<input type=range aria-label=Loud min=0 max=100 value=20 style='width:216px'><p>Dead</p>"
        "<p id=h style='display:none'>Hidden</p>"
    )
    assert (await do(session, DragBy(target=at("Loud"), right_px=60))).effect == ValueSet(value="50")
    assert (await do(session, DragBy(target=at("Dead"), right_px=60))).effect == NotSeen()
    assert (await do(session, Drag(target=at("Dead"), onto=at("css=#h")))).code == "blocked"


@pytest.fixture
def giving(session: PageSession, tmp_path: Path) -> PageSession:
    folder = tmp_path / "upload"
    folder.mkdir()
    (folder / "a.txt").write_text("content")
    (tmp_path / "secret.txt").write_text("not to be given")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    session.limits = replace(session.limits, upload_dir=folder)
    return session


UPLOADS = """<input type=file aria-label=Field><label>Label<input type=file hidden></label>
<button onclick='h.click()'>Choose</button><div><div id=z>Drop here</div><input type=file id=h style='display:none'
onchange="this.parentElement.append(this.files[0].name); this.value = ''"></div><button>Dead</button>
<input type=file aria-label=Loses onchange="this.value = ''">"""


async def test_a_file_reaches_the_page(giving: PageSession) -> None:
    await giving.page.set_content(UPLOADS)
    for target in ("Field", "Label", "Choose", "css=#z"):
        given = await do(giving, Upload(target=at(target), file="a.txt"))
        assert (given.ok, given.effect) == (True, FilesGiven(names=("a.txt",))), target


async def test_nothing_but_a_name_in_the_folder_is_given(giving: PageSession) -> None:
    await giving.page.set_content(UPLOADS)
    for name in ("../secret.txt", "/etc/passwd", "out.txt", "b.txt", "", ".", "..", "..\\a.txt"):
        refused = await do(giving, Upload(target=at("Field"), file=name))
        assert (refused.ok, refused.code) == (False, "no_such_file"), name


async def test_a_file_that_is_not_taken(giving: PageSession) -> None:
    await giving.page.set_content(UPLOADS)
    assert (await do(giving, Upload(target=at("Dead"), file="a.txt"))).code == "not_editable"
    lost = await do(giving, Upload(target=at("Loses"), file="a.txt"))
    assert (lost.code, lost.effect) == ("effect_not_seen", FilesGiven(names=()))


@pytest.mark.parametrize(
    ("field", "typed", "held"),
    [
        ("<input aria-label=F onkeyup='o.textContent = this.value'>", "hello", "hello"),
        (
            "<input aria-label=F oninput=\"const d = this.value.replace(/\\D/g, '').slice(0, 7); "
            "this.value = d.slice(0, 3) + '-' + d.slice(3)\">",
            "5551234",
            "555-1234",
        ),
        ("<input aria-label=F oninput=\"if (event.data.length > 1) this.value = ''\">", "keys", "keys"),
        ("<input aria-label=F oninput='this.value = this.value.toUpperCase()'>", "abc", "ABC"),
        ("<input type=range aria-label=F>", "70", "70"),
        ("<input type=color aria-label=F>", "#ff0000", "#ff0000"),
        ("<input type=number aria-label=F>", "-1.5", "-1.5"),
        ("<textarea aria-label=F></textarea>", "a\nb\n", "a\nb\n"),
        ("<div contenteditable=true aria-label=F><p>old</p></div>", "new text", "new text"),
        ("<div role=group aria-label=F><span><input></span></div>", "inside", "inside"),
    ],
)
async def test_typing_into_fields_of_all_kinds(session: PageSession, field: str, typed: str, held: str) -> None:
    await session.page.set_content(f"<p id=o></p>{field}")
    assert (await do(session, TypeText(target=at("F"), text=typed))).effect == ValueSet(value=held)


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("<input aria-label=F oninput=\"this.value = (this.value.replace(/\\D/g, '') / 100).toFixed(2)\">", "150"),
        ("<input aria-label=F oninput=\"this.value = this.value.replace('-', '')\">", "-5"),
        ("<input aria-label=F oninput=\"this.value = ''\">", "abc"),
        ("<input aria-label=F maxlength=3>", "abcdef"),
        ("<input type=range aria-label=F max=100>", "170"),
    ],
)
async def test_a_field_that_makes_something_else_of_it(session: PageSession, field: str, typed: str) -> None:
    await session.page.set_content(field)
    assert (await do(session, TypeText(target=at("F"), text=typed))).code == "effect_not_seen"


async def test_what_takes_no_text_is_not_typed_into(session: PageSession) -> None:
    await session.page.set_content("<input aria-label=Fixed readonly value=1><button>Save</button>")
    for name in ("Fixed", "Save"):
        assert (await do(session, TypeText(target=at(name), text="2"))).code == "not_editable"


@pytest.mark.parametrize(
    ("html", "where"),
    [
        (
            "<div role=list aria-label=Inbox style='height:300px;overflow:auto'><p style='height:3000px'>x</p></div>",
            "Inbox",
        ),
        (
            "<p style='height:3000px'>x</p><div role=dialog aria-label=Terms style='position:fixed;inset:100px;"
            "background:#fff;overflow:auto'><p style='height:2000px'>t</p></div>",
            "Terms",
        ),
        (
            "<!doctype html><style>html, body { height: 100%; margin: 0 } html { overflow: hidden }"
            " body { overflow: auto }</style><p style='height:3000px'>x</p>",
            "",
        ),
        ("<iframe style='width:100%;height:400px' srcdoc=\"<p style='height:3000px'>x</p>\"></iframe>", ""),
    ],
)
async def test_what_is_scrolled_is_what_can_be(session: PageSession, html: str, where: str) -> None:
    await session.page.set_content(html)
    down = await do(session, Scroll(amount_px=500))
    assert isinstance(down.effect, Scrolled)
    assert (down.effect.y_px, where in down.message) == (500, True)
    await do(session, Scroll(amount_px=99_999))
    assert "already at the bottom" in (await do(session, Scroll())).message
    await do(session, Scroll(direction="up", amount_px=99_999))
    assert "already at the top" in (await do(session, Scroll(direction="up"))).message


# --- sliders and spin buttons: set by keys, dragged by their thumb, read back


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
