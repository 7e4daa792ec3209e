"""What set_date reports is what the field holds at rest, and no key reaches a calendar that it did not open."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import SetDate
from shared.contracts.results import ActionResult, ValueSet
from tests.browser.action_steps import POPUP, at, do, shown

# A field with a calendar. PICKED: what a press on a day does; ESCAPE: what the key does.
PICKER = f"""<label>Due<input id=i READONLY></label>BUTTON<div id=c hidden style='{POPUP};top:40px'><b>March 2026</b>
<table><tr id=r></tr></table>CONFIRM</div><p id=k></p><script>
for (let d = 1; d < 32; d++) r.innerHTML += `<td>${{d}}</td>`;
const put = text => {{ i.value = text }}, fade = () => {{ c.style.opacity = 0.5; setTimeout(() => {{ c.hidden = true;
  c.style.opacity = 1 }}, 300) }};
const open = () => {{ c.hidden = false }};
i.onclick = open; document.querySelectorAll('.open').forEach(b => {{ b.onclick = open }});
r.onclick = e => {{ const day = `2026-03-${{e.target.textContent.padStart(2, '0')}}`; PICKED }};
onkeydown = e => {{ k.append(e.key + ' '); if (e.key == 'Escape') {{ ESCAPE }} }}</script>"""


def picker(picked: str, *, escape: str = "", **parts: str) -> str:
    html = PICKER.replace("PICKED", picked).replace("ESCAPE", escape)
    for name in ("READONLY", "BUTTON", "CONFIRM"):
        html = html.replace(name, parts.get(name.lower(), ""))
    return html


async def set_due(session: PageSession, target: str = "Due") -> ActionResult:
    return await do(session, SetDate(target=at(target), date="2026-03-14"))


HELD = ValueSet(value="2026-03-14")


@pytest.mark.parametrize("readonly", ["", "readonly"])
async def test_a_calendar_that_fades_is_waited_for_and_gets_no_key(session: PageSession, readonly: str) -> None:
    await session.page.set_content(picker("put(day); fade()", escape="put('')", readonly=readonly))
    assert (await set_due(session)).effect == HELD
    assert await session.page.input_value("#i") == "2026-03-14"
    assert await shown(session, "#k") == ""


@pytest.mark.parametrize("escape", ["c.hidden = true; put('')", "c.hidden = true"])
async def test_a_key_that_closes_the_calendar_and_empties_the_field_is_made_good(
    session: PageSession, escape: str
) -> None:
    await session.page.set_content(picker("put(day)", escape=escape, readonly="readonly"))
    assert (await set_due(session)).effect == HELD
    assert await session.page.input_value("#i") == "2026-03-14"


async def test_a_calendar_that_was_open_before_gets_no_key(session: PageSession) -> None:
    await session.page.set_content(picker("put(day)", escape="put('')", readonly="readonly"))
    await session.page.click("#i")
    assert (await set_due(session)).effect == HELD
    assert await shown(session, "#k") == ""


async def test_a_field_that_is_emptied_a_moment_later_is_not_said_to_be_set(session: PageSession) -> None:
    taken_back = "put(day); c.hidden = true; setTimeout(() => put(''), 150)"
    await session.page.set_content(picker(taken_back, readonly="readonly"))
    lost = await set_due(session)
    assert (lost.ok, lost.code, lost.effect) == (False, "effect_not_seen", ValueSet(value=""))


async def test_a_typed_date_that_is_turned_round_a_moment_later_is_not_said_to_be_set(session: PageSession) -> None:
    await session.page.set_content(
        "<input aria-label=Due placeholder=DD/MM/YYYY onchange=\"setTimeout(() => this.value = '03/04/2026', 150)\">"
    )
    lost = await set_due(session)
    assert (lost.ok, lost.effect) == (False, ValueSet(value="03/04/2026"))


async def test_a_date_that_is_shown_late_is_waited_for(session: PageSession) -> None:
    await session.page.set_content(picker("fade(); setTimeout(() => put(day), 400)", readonly="readonly"))
    assert (await set_due(session)).effect == HELD


APPLY = '<button onclick="put(window.chosen); c.hidden = true">Apply</button>'


@pytest.mark.parametrize(("confirm", "held"), [(APPLY, "2026-03-14"), ("", "")])
async def test_a_mark_in_a_calendar_is_no_date_in_the_field(session: PageSession, confirm: str, held: str) -> None:
    """It has to be confirmed; the key that closes the calendar drops it."""
    marks = "e.target.setAttribute('aria-selected', 'true'); window.chosen = day"
    await session.page.set_content(picker(marks, escape="c.hidden = true", confirm=confirm))
    told = await set_due(session)
    assert (told.ok, told.effect) == (bool(held), ValueSet(value=held))


async def test_a_button_beside_the_field_opens_the_calendar(session: PageSession) -> None:
    button = "<button class=open aria-haspopup=dialog aria-label='Choose a day'>#</button>"
    page = picker("put(day); c.hidden = true", button=button).replace("i.onclick = open;", "")
    await session.page.set_content(page)
    assert (await set_due(session, "Choose a day")).ok
    assert await session.page.input_value("#i") == "2026-03-14"


async def test_the_calendar_of_another_field_is_not_pressed(session: PageSession) -> None:
    page = (
        picker("put(day)", readonly="readonly")
        + "<label style='position:absolute;top:900px'>Other<input readonly></label>"
    )
    await session.page.set_content(page)
    await session.page.click("#i")
    other = await set_due(session, "Other")
    assert not other.ok
    assert await session.page.input_value("#i") == ""


async def test_a_page_that_comes_to_life_late_is_told_as_it_is(session: PageSession) -> None:
    """Its script takes the field over after the first press."""
    late = "put(day); c.hidden = true"
    page = picker(late, readonly="readonly").replace(
        "i.onclick = open;", "setTimeout(() => { i.onclick = open }, 600);"
    )
    await session.page.set_content(page)
    told = await set_due(session)
    assert told.ok is (await session.page.input_value("#i") == "2026-03-14")
