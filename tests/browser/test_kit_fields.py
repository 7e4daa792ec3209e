"""Controls as widget kits build them: hidden in a box of their own, behind a frame, taken only when they are left."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import ByRef, Click, DragBy, PickOption, TypeText
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import CheckboxSet, PageChanged, ValueSet
from tests.browser.action_steps import HIDDEN, POPUP, at, do, shown
from tests.browser.conftest import Look


async def test_a_text_that_gives_the_focus_to_its_field_is_no_button(look: Look) -> None:
    page = await look(
        """<span id=a>Country</span><button id=b aria-haspopup=listbox aria-labelledby='b a'>Norway</button>
        <span id=c>Due</span><div role=group aria-labelledby=c><input aria-label=Day></div>
        <span id=d>Close</span><p id=e aria-labelledby=d></p><script>
        for (const [one, other] of [[a, b], [c, e], [d, e]]) one.onclick = () => other.focus()</script>"""
    )
    buttons = [one.name for one in page.elements if one.role == "button"]
    assert buttons == ["Norway Country", "Close"]


async def test_a_refused_choice_says_what_the_group_of_hidden_buttons_holds(session: PageSession) -> None:
    radios = "".join(
        f'<label><span style="{HIDDEN}"><input type=radio name=s {more}></span>{name}</label>'
        for name, more in (("Small", "checked"), ("Large", ""), ("Huge", "disabled"))
    )
    await session.page.set_content(f"<div role=radiogroup aria-label=Size>{radios}</div>")
    missing = [await do(session, PickOption(target=at("Size"), option=name)) for name in ("Huge", "Tiny")]
    assert [(one.code, one.effect) for one in missing] == [("not_editable", None), ("no_such_option", None)]


FRAMED = f"""<div id=f style='position:relative;width:200px;height:30px;border:1px solid'>
<span id=v style='position:absolute;inset:0'></span><label style='position:absolute;left:4px' for=i>Country</label>
<input id=i role=combobox readonly style='opacity:0;pointer-events:none;width:150px'>EXTRA</div>
<div id=l role=listbox hidden style='{POPUP}'><div role=option>Norway</div><div role=option>Chad</div></div><script>
f.onmousedown = () => {{ l.hidden = !l.hidden }};
l.onclick = e => {{ i.value = v.textContent = e.target.textContent; l.hidden = true }}</script>"""


async def test_a_field_that_lets_the_mouse_through_is_pressed_by_its_frame(session: PageSession) -> None:
    await session.page.set_content(FRAMED.replace("EXTRA", ""))
    picked = await do(session, PickOption(target=at("Country"), option="Norway"))
    assert (picked.ok, picked.effect, await shown(session, "#v")) == (True, ValueSet(value="Norway"), "Norway")


async def test_a_button_over_a_field_that_lets_the_mouse_through_is_not_the_field(session: PageSession) -> None:
    button = "<button id=b style='position:absolute;inset:0' onclick='this.textContent = 1'>Clear</button>"
    await session.page.set_content(FRAMED.replace("EXTRA", button))
    picked = await do(session, PickOption(target=at("Country"), option="Norway"))
    assert (picked.ok, picked.code, await shown(session, "#b")) == (False, "blocked", "Clear")


# An invisible field in an empty box, with its choice beside that box.
CHOSEN = f"""<label for=i>Country</label><div id=f style='position:relative;width:200px;height:30px;border:1px solid'>
<span style='position:absolute;inset:0'><input id=i role=combobox aria-haspopup=listbox readonly
style='opacity:0;width:190px'></span><span id=v style='position:absolute;inset:0'>VALUE</span></div>
<div id=l hidden style='{POPUP}'><div>Norway</div><div>Chad</div></div><script>
f.onmousedown = () => {{ l.hidden = !l.hidden }};
l.onclick = e => {{ v.textContent = e.target.textContent; v.className = ''; l.hidden = true }}</script>"""


async def test_the_choice_beside_an_invisible_field_is_its_value(session: PageSession, look: Look) -> None:
    page = await look(CHOSEN.replace("VALUE", "Chad"))
    assert [one.value for one in page.elements if one.role == "combobox"] == ["Chad"]
    picked = [await do(session, PickOption(target=at("Country"), option=name)) for name in ("Norway", "Norway", "Oslo")]
    assert [(one.ok, one.effect) for one in picked] == [(True, ValueSet(value="Norway"))] * 2 + [(False, None)]
    assert await shown(session, "#v") == "Norway"


# A list that stays open, beside one for screen readers that is hidden in its pop-up; each choice becomes a chip.
CHIPS = f"""<label for=i>Tags</label><div id=f style='width:200px;height:30px;border:1px solid'><span id=v></span>
<span><span><input id=i role=combobox aria-controls=s style='width:4px;border:0;padding:0'></span></span></div>
<div id=l hidden style='{POPUP}'><div id=s role=listbox style='height:0;width:0;overflow:hidden'>
<div role=option>urgent</div></div><div class=o>urgent</div><div class=o>export</div></div><script>
f.onmousedown = e => {{ if (l.hidden) l.hidden = false; i.focus(); e.preventDefault() }};
i.oninput = () => {{ for (const one of document.querySelectorAll('.o'))
  one.hidden = !one.textContent.includes(i.value) }};
l.onclick = e => {{ if (!e.target.matches('.o')) return;
  const chip = [...v.children].find(x => x.innerText == e.target.innerText);
  if (chip) chip.remove(); else v.insertAdjacentHTML('beforeend', `<span>${{e.target.textContent}}</span> `);
  i.value = ''; i.oninput() }}</script>"""


async def test_a_list_that_stays_open_is_picked_from_again(session: PageSession) -> None:
    await session.page.set_content(CHIPS)
    picked = [await do(session, PickOption(target=at("Tags"), option=name)) for name in ("urgent", "export", "nothing")]
    held = [ValueSet(value="urgent"), ValueSet(value="urgent export"), None]
    assert [(one.code, one.effect) for one in picked] == list(zip(["ok", "ok", "no_such_option"], held, strict=True))
    assert await session.page.locator("#v > span").all_inner_texts() == ["urgent", "export"]


# A menu that the button names, and a submenu drawn elsewhere that the item names while it is open.
MENUS = f"""<button id=b aria-haspopup=menu aria-controls=m>Actions</button><p id=o></p>
<div id=m role=menu hidden style='{POPUP}'><div role=menuitem>Copy</div><div id=x role=menuitem aria-haspopup=menu
aria-controls=n aria-expanded=false>Export</div></div><div id=n role=menu hidden style='{POPUP};left:200px;top:60px'>
<div role=menuitem>As table</div></div><script>b.onclick = () => {{ m.hidden = !m.hidden }};
x.onmouseenter = () => {{ n.hidden = false; x.ariaExpanded = 'true' }};
m.onclick = n.onclick = e => {{ o.textContent = e.target.textContent; m.hidden = n.hidden = true }}</script>"""


async def test_a_submenu_that_is_drawn_elsewhere_is_walked_into(session: PageSession) -> None:
    await session.page.set_content(MENUS)
    picked = await do(session, PickOption(target=at("Actions"), option="Export > As table"))
    assert (picked.code, await shown(session, "#o")) == ("ok", "As table")


async def test_an_announcement_that_nobody_sees_offers_nothing(session: PageSession) -> None:
    await session.page.set_content(
        f"""<input id=i role=combobox aria-label=Customer aria-autocomplete=list><div id=l role=listbox hidden
        style='{POPUP}'><div role=option>Acme</div></div><script>
        i.oninput = () => {{ l.hidden = !'Acme'.startsWith(i.value); if (l.hidden) document.body.insertAdjacentHTML(
          'beforeend', `<div style="{HIDDEN}"><div role=log>0 options available.</div></div>`) }}</script>"""
    )
    missing = await do(session, PickOption(target=at("Customer"), option="Nobody"))
    assert (missing.code, "available" in missing.message) == ("no_such_option", False), missing.message


async def test_a_hint_beside_an_invisible_field_is_no_value(look: Look) -> None:
    page = await look(CHOSEN.replace("<span id=v ", "<span id=v class=kit-placeholder ").replace("VALUE", "Choose one"))
    assert [one.value for one in page.elements if one.role == "combobox"] == [""]


async def test_a_field_that_wants_no_keyboard_is_not_typed_into_to_find_an_option(session: PageSession) -> None:
    typed = FRAMED.replace("EXTRA", "").replace("readonly", "inputmode=none oninput='v.textContent = \"Chad\"'")
    await session.page.set_content(typed)
    missing = await do(session, PickOption(target=at("Country"), option="Oslo"))
    assert (missing.code, await shown(session, "#v")) == ("no_such_option", "")


# A field that takes a number, keeps it in its limits, or refuses it, when it is left.
LEFT = """<label>Copies<input id=i inputmode=numeric value=3></label><p id=o>3</p><script>
i.onchange = () => { const n = Number(i.value); if (!Number.isNaN(n)) o.textContent = Math.min(20, n);
  i.value = o.textContent }</script>"""


@pytest.mark.parametrize(("typed", "ok", "held"), [("12", True, "12"), ("99", False, "20"), ("many", False, "3")])
async def test_a_number_is_read_back_after_its_field_was_left(
    session: PageSession, typed: str, held: str, *, ok: bool
) -> None:
    await session.page.set_content(LEFT)
    told = await do(session, TypeText(target=at("Copies"), text=typed))
    assert (told.ok, told.effect, await shown(session, "#o")) == (ok, ValueSet(value=held), held)
    assert await session.page.evaluate("document.activeElement === i")


# A list with a scroll bar of its own, which draws only what is in view.
VIRTUAL = f"""<button id=b aria-haspopup=listbox>City</button><div id=p hidden style='{POPUP}'>
<div id=l style='height:100px;overflow:hidden'><div id=c style='height:4000px;width:200px;position:relative'></div>
</div></div><script>
function draw() {{ const top = Math.floor(l.scrollTop / 20); c.innerHTML = Array.from({{ length: 6 }}, (_, n) =>
  `<div style='position:absolute;top:${{(top + n) * 20}}px'>City ${{top + n}}</div>`).join('') }}
b.onclick = () => {{ p.hidden = !p.hidden; draw() }}; l.onscroll = draw;
l.onclick = e => {{ b.textContent = e.target.textContent; p.hidden = true }}</script>"""


async def test_a_list_with_a_scroll_bar_of_its_own_is_scrolled(session: PageSession) -> None:
    await session.page.set_content(VIRTUAL)
    picked = await do(session, PickOption(target=at("City"), option="City 77"))
    assert (picked.effect, await shown(session, "#b")) == (ValueSet(value="City 77"), "City 77")


async def test_an_option_is_known_by_what_is_shown_of_it_as_the_choice(session: PageSession) -> None:
    await session.page.set_content(
        f"""<div id=w><input id=i role=combobox aria-label=Unit readonly aria-haspopup=listbox><span id=v></span></div>
        <div id=l role=tree hidden style='{POPUP}'><div role=treeitem><span role=img aria-label=arrow>></span>
        <span>Audit</span></div><div role=treeitem><span>Tax</span></div></div><script>
        i.onclick = () => {{ l.hidden = !l.hidden }};
        l.onclick = e => {{ v.textContent = e.target.textContent; l.hidden = true }}</script>"""
    )
    picked = await do(session, PickOption(target=at("Unit"), option="Audit"))
    assert (picked.effect, await shown(session, "#v")) == (ValueSet(value="Audit"), "Audit")


# A chip that is painted by an element over it: under the mouse, and stronger while it is chosen.
CHIP = """<style>#k { position:relative;display:inline-block;padding:8px }
#k i { position:absolute;inset:0;opacity:0;background:#36c;transition:opacity .1s }
#k:hover i { opacity:0.05 } #k.chosen i { opacity:0.3 }</style>
<div id=k role=button tabindex=0>Green<i></i></div><script>k.onclick = () => SETS</script>"""


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(("sets", "changed"), [("k.classList.toggle('chosen')", True), ("{}", False)])
async def test_what_is_painted_because_of_a_new_mark_is_a_change(
    session: PageSession, sets: str, *, changed: bool
) -> None:
    await session.page.set_content(CHIP.replace("SETS", sets))
    told = await do(session, Click(target=at("Green")))
    assert isinstance(told.effect, PageChanged) == changed


# A slider of keys that is hidden in the handle which is drawn for it and follows the mouse.
SLIDER = """<div id=t style='position:relative;width:300px;height:20px;background:#ddd'><div id=h
style='position:absolute;left:60px;width:20px;height:20px;background:#333'>INPUT</div></div><script>
const put = v => { i.value = v; h.style.left = i.value * 3 - 10 + 'px' }; put(20); let held = false;
i.oninput = () => put(i.value); h.onmousedown = e => { held = true; e.preventDefault() };
onmouseup = () => { held = false };
onmousemove = e => { if (held) put(Math.round((e.clientX - t.getBoundingClientRect().left) / 3)) }</script>"""
RANGE = "<input id=i type=range aria-label=Level min=0 max=100 STYLE>"


@pytest.mark.parametrize(
    "inner",
    [
        f'<span style="{HIDDEN}">{RANGE}</span>',
        RANGE.replace("STYLE", 'style="position:absolute;clip:rect(0 0 0 0);width:100%;height:100%;margin:-1px"'),
    ],
)
async def test_a_slider_that_is_hidden_in_its_handle_is_told_and_set(
    session: PageSession, look: Look, inner: str
) -> None:
    page = await look(SLIDER.replace("INPUT", inner))
    assert [(one.role, one.name, one.value) for one in page.elements] == [("slider", "Level", "20")]
    level = ByRef(ref=page.elements[0].ref, snapshot_id=page.snapshot_id)
    assert (await do(session, TypeText(target=level, text="45"))).effect == ValueSet(value="45")
    assert (await do(session, DragBy(target=level, right_px=90))).effect == ValueSet(value="75")
    assert await session.page.input_value("#i") == "75"


async def test_what_only_a_search_in_the_page_would_show_is_not_told(look: Look) -> None:
    page = await look("<p hidden=until-found>Made in 1951</p><p hidden style='display:block'>Made in Oslo</p>")
    assert [one.name for one in page.elements] == ["Made in Oslo"]


async def test_the_hint_of_an_empty_part_of_a_date_is_no_value(look: Look) -> None:
    part = "<span role=spinbutton contenteditable aria-label=Month {}>mm</span>"
    page = await look(part.format("data-placeholder=true aria-valuetext=Empty") + part.format("aria-valuenow=3"))
    assert [one.value for one in page.elements] == ["", "mm"]


# --- controls for the keyboard that are hidden in what is drawn for them


FRAME = "position:relative;display:flex;width:240px;height:32px;border:1px solid"
FIELD = "<input id=i role=combobox readonly aria-haspopup=listbox aria-expanded=false aria-labelledby=n>"

# The list of a frame whose field is only for the keyboard. It opens by a press on the frame, as the mouse does it.
HIDDEN_FIELD = f"""<span id=n>Tags</span><div id=f style='{FRAME}'><div style='{HIDDEN}'>{FIELD}</div>
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
    html = HIDDEN_FIELD.replace("HINT", hint).replace("ARROW", "").replace(HIDDEN, hiding)
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
    await session.page.set_content(HIDDEN_FIELD.replace("HINT", "Any").replace("ARROW", ""))
    assert (await do(session, PickOption(target=at("Tags"), option="billing"))).effect == ValueSet(value="billing")


async def test_a_button_in_the_frame_of_a_hidden_field_is_a_button_of_its_own(look: Look) -> None:
    page = await look(HIDDEN_FIELD.replace("HINT", "Any").replace("ARROW", "<button aria-label=Clear>x</button>"))
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


PEOPLE = f"""<label for=i>People</label><ul id=u role=listbox style='display:flex;list-style:none'>
<li role=option><input id=i role=combobox aria-autocomplete=list aria-controls=l></li></ul>
<ul id=l role=listbox hidden style='{POPUP}'></ul><script>
const has = one => one.toLowerCase().includes(i.value.toLowerCase());
i.oninput = () => {{ l.innerHTML = ['Acme', 'Northwind'].filter(has)
  .map(one => '<li role=option>' + one + '</li>').join(''); l.hidden = false }};
l.onclick = e => {{ const chip = '<li role=option>' + e.target.textContent + '</li>';
  i.parentElement.insertAdjacentHTML('beforebegin', chip);
  i.value = ''; l.hidden = true }}</script>"""


async def test_a_chip_that_takes_the_place_of_what_was_typed_is_the_choice(session: PageSession, look: Look) -> None:
    page = await look(PEOPLE)
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
