"""Drag and drop, file upload, typing into unusual fields, scrolling."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import Drag, DragBy, Scroll, TypeText, Upload
from shared.contracts.results import FilesGiven, NotSeen, PageChanged, Scrolled, ValueSet
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


@pytest.mark.parametrize("target", ["Field", "Label", "Choose", "css=#z"])
async def test_a_file_reaches_the_page(giving: PageSession, target: str) -> None:
    await giving.page.set_content(UPLOADS)
    given = await do(giving, Upload(target=at(target), file="a.txt"))
    assert (given.ok, given.effect) == (True, FilesGiven(names=("a.txt",)))


@pytest.mark.parametrize("name", ["../secret.txt", "/etc/passwd", "out.txt", "b.txt", "", ".", "..", "..\\a.txt"])
async def test_nothing_but_a_name_in_the_folder_is_given(giving: PageSession, name: str) -> None:
    await giving.page.set_content(UPLOADS)
    refused = await do(giving, Upload(target=at("Field"), file=name))
    assert (refused.ok, refused.code) == (False, "no_such_file")


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
        ("<input aria-label=F maxlength=3>", "abcdef"),
        ("<input type=range aria-label=F max=100>", "170"),
    ],
)
async def test_a_field_that_makes_something_else_of_it(session: PageSession, field: str, typed: str) -> None:
    await session.page.set_content(field)
    assert (await do(session, TypeText(target=at("F"), text=typed))).code == "effect_not_seen"


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
