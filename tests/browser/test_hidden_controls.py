"""Controls for the keyboard that are hidden in what is drawn for them: the drawing is told and pressed."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import ByRef, Click, PickOption
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import CheckboxSet, ValueSet
from tests.browser.action_steps import HIDDEN, POPUP, at, do
from tests.browser.conftest import Look

FRAME = "position:relative;display:flex;width:240px;height:32px;border:1px solid"
FIELD = "<input id=i role=combobox readonly aria-haspopup=listbox aria-expanded=false aria-labelledby=n>"

# The list of a frame whose field is only for the keyboard. It opens by a press on the frame, as the mouse does it.
FRAMED = f"""<span id=n>Tags</span><div id=f style='{FRAME}'><div style='{HIDDEN}'>{FIELD}</div>
<div style='flex:1;padding:6px'><div id=v class=x-placeholder>HINT</div></div><i style='width:20px'>ARROW</i></div>
<ul id=l role=listbox aria-multiselectable=true hidden style='{POPUP}'><li role=option>urgent</li>
<li role=option>billing</li><li role=option>export</li></ul><script>
const chosen = [];
f.onclick = () => {{ l.hidden = !l.hidden; i.setAttribute('aria-expanded', !l.hidden); i.focus() }};
l.onclick = e => {{ const at = chosen.indexOf(e.target.textContent);
  if (at < 0) chosen.push(e.target.textContent); else chosen.splice(at, 1);
  for (const one of l.children) one.setAttribute('aria-selected', chosen.includes(one.textContent));
  v.className = chosen.length ? '' : 'x-placeholder'; v.textContent = chosen.join(', ') || 'HINT' }}</script>"""


def _ref(page: PageObserved, role: str) -> ByRef:
    [one] = [one for one in page.elements if one.role == role]
    return ByRef(ref=one.ref, snapshot_id=page.snapshot_id)


@pytest.mark.parametrize(
    ("hint", "hiding"), [("Any", HIDDEN), ('<span style="visibility:hidden">empty</span>', f"{HIDDEN};opacity:0")]
)
async def test_the_frame_of_a_field_that_nobody_sees_is_the_field(
    session: PageSession, look: Look, hint: str, hiding: str
) -> None:
    html = FRAMED.replace("HINT", hint).replace("ARROW", "").replace(HIDDEN, hiding)
    page = await look(html)
    assert [(one.role, one.name, one.value) for one in page.elements if one.role in ("combobox", "button")] == [
        ("combobox", "Tags", "")
    ]
    tags = _ref(page, "combobox")
    assert (await do(session, PickOption(target=tags, option="urgent"))).effect == ValueSet(value="urgent")
    assert (await do(session, PickOption(target=tags, option="export"))).ok
    assert await session.page.evaluate("chosen.join()") == "urgent,export"
    missing = await do(session, PickOption(target=tags, option="nothing"))
    assert (missing.code, await session.page.evaluate("chosen.join()")) == ("no_such_option", "urgent,export")
    again = await look()
    assert [one.value for one in again.elements if one.role == "combobox"] == ["urgent, export"]


async def test_a_field_that_nobody_sees_is_found_by_its_label(session: PageSession) -> None:
    await session.page.set_content(FRAMED.replace("HINT", "Any").replace("ARROW", ""))
    assert (await do(session, PickOption(target=at("Tags"), option="billing"))).effect == ValueSet(value="billing")


async def test_a_button_in_the_frame_of_a_hidden_field_is_a_button_of_its_own(look: Look) -> None:
    page = await look(FRAMED.replace("HINT", "Any").replace("ARROW", "<button aria-label=Clear>x</button>"))
    assert [(one.role, one.name) for one in page.elements if one.role in ("combobox", "button")] == [
        ("combobox", "Tags"),
        ("button", "Clear"),
    ]


STARS = f"""<div role=group aria-label=Rating>{
    "".join(
        f"<div class=o style='display:inline-block;width:20px;height:20px'><span style='{HIDDEN}'><input type=radio"
        f" name=r aria-label='{n} stars'></span><svg aria-hidden=true width=14 height=14><path d='M0 0h14v14z'/></svg>"
        "</div>"
        for n in (1, 2, 3)
    )
}</div><script>for (const one of document.querySelectorAll('.o'))
one.onclick = e => {{ const i = one.querySelector('input'); i.checked = true }}</script>"""


async def test_a_radio_button_without_a_label_is_pressed_by_its_picture(session: PageSession, look: Look) -> None:
    page = await look(STARS)
    told = [(one.role, one.name, one.states) for one in page.elements if one.role == "radio"]
    assert told == [("radio", f"{n} stars", ("unchecked",)) for n in (1, 2, 3)]
    two = next(one for one in page.elements if one.name == "2 stars")
    assert (await do(session, Click(target=ByRef(ref=two.ref, snapshot_id=page.snapshot_id)))).effect == CheckboxSet(
        checked=True
    )
    assert (await do(session, PickOption(target=at("Rating"), option="3 stars"))).effect == ValueSet(value="3 stars")
    assert await session.page.evaluate("[...document.querySelectorAll('input')].map(one => one.checked)") == [
        False,
        False,
        True,
    ]


SWITCH = """<div style='position:relative;width:40px;height:24px'><input id=s type=checkbox role=switch
style='position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0'><div style='position:absolute;inset:0;
cursor:pointer;background:#ccc'><div></div></div></div><label for=s>Alerts</label>"""


async def test_the_picture_of_a_switch_is_no_button(session: PageSession, look: Look) -> None:
    page = await look(SWITCH)
    assert [(one.role, one.name) for one in page.elements] == [("switch", "Alerts")]
    alerts = _ref(page, "switch")
    assert (await do(session, Click(target=alerts))).effect == CheckboxSet(checked=True)


async def test_a_link_for_the_keyboard_is_not_its_surroundings(look: Look) -> None:
    page = await look(f"<div style='{FRAME}'><a href=#m style='{HIDDEN}'>Skip</a>Orders</div>")
    assert [(one.role, one.name) for one in page.elements] == [("text", "Orders")]


CHIPS = f"""<label for=i>People</label><ul id=u role=listbox style='display:flex;list-style:none'>
<li role=option><input id=i role=combobox aria-autocomplete=list aria-controls=l></li></ul>
<ul id=l role=listbox hidden style='{POPUP}'></ul><script>
const has = one => one.toLowerCase().includes(i.value.toLowerCase());
i.oninput = () => {{ l.innerHTML = ['Acme', 'Northwind'].filter(has)
  .map(one => '<li role=option>' + one + '</li>').join(''); l.hidden = false }};
l.onclick = e => {{ const chip = '<li role=option>' + e.target.textContent + '</li>';
  i.parentElement.insertAdjacentHTML('beforebegin', chip);
  i.value = ''; l.hidden = true }}</script>"""


async def test_a_chip_that_takes_the_place_of_what_was_typed_is_the_choice(session: PageSession, look: Look) -> None:
    page = await look(CHIPS)
    # The place in the list where one types is no option.
    assert [(one.role, one.name) for one in page.elements] == [("combobox", "People")]
    told = await do(session, PickOption(target=at("People"), option="Northwind"))
    assert (told.code, told.effect) == ("ok", ValueSet(value="Northwind"))
    assert await session.page.evaluate("u.textContent.trim()") == "Northwind"


async def test_the_colour_of_a_drawn_text_is_the_one_that_is_seen(look: Look) -> None:
    page = await look(
        """<style>:root { --ink: rgb(0, 128, 0) }</style><svg width=80 height=30 onclick=1>
        <text x=9 y=20 fill="var(--ink)">40</text></svg>"""
    )
    assert [one.name for one in page.elements if one.role == "text"] == ["40, rgb(0, 128, 0)"]


NOTHING_FOUND = f"""<label for=i>Customer</label> <input id=i role=combobox aria-controls=l aria-expanded=false>
<ul id=l role=listbox hidden style='{POPUP}'></ul><script>
i.onfocus = i.oninput = () => {{ const found = ['Acme', 'No data'].filter(one => one.startsWith(i.value));
  l.innerHTML = (found.length ? found : ['No results found']).map(one => '<li role=option>' + one + '</li>').join('');
  l.hidden = false }};
l.onmousedown = e => {{ i.value = e.target.textContent; l.hidden = true; e.preventDefault() }};
i.onblur = () => {{ l.hidden = true }}</script>"""


async def test_what_says_that_a_search_found_nothing_is_no_option(session: PageSession) -> None:
    await session.page.set_content(NOTHING_FOUND)
    told = await do(session, PickOption(target=at("Customer"), option="Zenith"))
    assert (told.code, "No results found" in told.message) == ("no_such_option", False)
    assert (await do(session, PickOption(target=at("Customer"), option="No results found"))).code == "no_such_option"
    assert (await do(session, PickOption(target=at("Customer"), option="No data"))).effect == ValueSet(value="No data")


async def test_a_button_that_is_disabled_and_lets_the_mouse_through_is_said_to_be_disabled(
    session: PageSession,
) -> None:
    await session.page.set_content("<div><button disabled style='pointer-events:none'>First page</button></div>")
    told = await do(session, Click(target=at("First page")))
    assert (told.code, told.message) == ("blocked", 'button "First page" is disabled')
