"""Selecting an option in any kind of control: success means that the control shows it afterwards."""

from __future__ import annotations

import asyncio

import pytest

from services.browser_pool.adapters.actions.select import long_lists
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page.matching import MAX_OPTIONS_LISTED
from shared.contracts.actions import Click, PickOption, SelectOption, TypeText
from shared.contracts.results import ActionResult, ValueSet
from tests.browser.action_steps import POPUP, at, do, shown
from tests.browser.site import Site


async def pick(session: PageSession, target: str, option: str) -> ActionResult:
    return await do(session, PickOption(target=at(target), option=option))


async def test_native_lists(session: PageSession) -> None:
    await session.page.set_content(
        "<select aria-label=Size><option value=s>Small<option>Large<option>Large<option disabled>Huge</select>"
        "<select multiple aria-label=Tags><option>A<option>B<option>C</select>"
    )
    assert (await pick(session, "Size", "small")).effect == ValueSet(value="Small")
    assert (await pick(session, "Size", "Large")).code == "ambiguous"
    missing = await pick(session, "Size", "Tiny")
    assert (missing.code, '"Small", "Large"' in missing.message) == ("no_such_option", True)
    assert (await pick(session, "Size", "Huge")).code == "not_editable"
    assert (await do(session, SelectOption(target=at("Size"), option="s"))).effect == ValueSet(value="Small")
    await pick(session, "Tags", "A")
    assert (await pick(session, "Tags", "C")).effect == ValueSet(value="A, C")


async def test_an_option_with_a_comma_beside_another(session: PageSession) -> None:
    await session.page.set_content(
        "<select multiple aria-label=Cities><option>Paris, France<option>Rome<option>Paris</select>"
    )
    assert (await pick(session, "Cities", "Rome")).ok
    result = await pick(session, "Cities", "Paris, France")
    assert (result.code, result.effect) == ("ok", ValueSet(value="Paris, France, Rome"))


async def test_a_part_of_a_selected_option_is_not_itself_selected(session: PageSession) -> None:
    await session.page.set_content(
        "<select multiple aria-label=Cities onchange='this.options[1].selected = false'>"
        "<option selected>Paris, France<option>France</select>"
    )
    result = await pick(session, "Cities", "France")
    assert (result.code, result.effect) == ("effect_not_seen", ValueSet(value="Paris, France"))


@pytest.mark.usefixtures("patient")
async def test_a_list_that_depends_on_another(session: PageSession) -> None:
    await session.page.set_content(
        """<select aria-label=Land onchange="setTimeout(() => { c.innerHTML = '<option>Paris<option>Lyon' }, 100)">
        <option>-<option>France</select><select id=c aria-label=City></select>"""
    )
    await pick(session, "Land", "France")
    assert (await do(session, SelectOption(target=at("City"), option="Lyon"))).effect == ValueSet(value="Lyon")


DIVS = f"""<div id=d onclick="m.hidden = !m.hidden" style='border:1px solid;width:99px;cursor:pointer'>Choose</div>
<div id=m hidden style='{POPUP}'><div onclick="go('Red')">Red</div><div onclick="go('Dark red')">Dark red</div>
<div onclick="go('Red')">Blue</div><div class=disabled>Gone</div></div>
<script>function go(text) {{ d.textContent = text; m.hidden = true }}</script>"""


async def test_a_dropdown_made_of_divs(session: PageSession) -> None:
    await session.page.set_content(DIVS)
    assert (await pick(session, "css=#d", "Red")).effect == ValueSet(value="Red")
    assert (await pick(session, "css=#d", "dark RED")).effect == ValueSet(value="Dark red")
    part = await pick(session, "css=#d", "Dark")
    assert (part.ok, part.code) == (False, "no_such_option")
    assert '"Red", "Dark red", "Blue"' in part.message
    assert (await pick(session, "css=#d", "Gone")).code == "not_editable"


async def test_a_control_that_takes_another_choice_is_found_out(session: PageSession) -> None:
    await session.page.set_content(DIVS)
    await pick(session, "css=#d", "Dark red")
    wrong = await pick(session, "css=#d", "Blue")
    assert (wrong.ok, wrong.code, wrong.effect) == (False, "effect_not_seen", ValueSet(value="Red"))


async def test_a_list_drawn_elsewhere_in_the_document(session: PageSession) -> None:
    await session.page.set_content(
        f"""<button id=b aria-haspopup=listbox>Pick one</button><script>b.onclick = () => {{
        const list = document.createElement('ul'); list.setAttribute('role', 'listbox');
        list.style = '{POPUP};top:300px';
        list.innerHTML = [...Array(40).keys()].map(i => `<li role=option>Item ${{i}}</li>`).join('');
        document.body.append(list); list.onclick = e => {{ b.textContent = e.target.textContent; list.remove() }}
        }}</script>"""
    )
    assert (await pick(session, "Pick one", "Item 7")).effect == ValueSet(value="Item 7")


AUTOCOMPLETE = f"""<label>City<input id=i role=combobox autocomplete=off></label>
<ul id=u hidden role=listbox style='{POPUP}'></ul><script>
const all = ['Berlin', 'Bern', 'Bergen', 'Paris']; let timer;
i.onkeyup = () => {{ clearTimeout(timer); timer = setTimeout(() => {{
  const fit = i.value ? all.filter(x => x.toLowerCase().includes(i.value.toLowerCase())) : [];
  u.innerHTML = fit.map(x => `<li role=option><b>${{x}}</b> <i>EU</i></li>`).join('');
        u.hidden = !fit.length }}, WAIT) }};
u.onmousedown = e => {{ i.value = e.target.closest('li').querySelector('b').textContent; u.hidden = true;
        e.preventDefault() }}
</script>"""


@pytest.mark.usefixtures("patient")
async def test_a_field_that_suggests_while_one_types(session: PageSession) -> None:
    await session.page.set_content(AUTOCOMPLETE.replace("WAIT", "50"))
    assert (await pick(session, "City", "Bern")).effect == ValueSet(value="Bern")
    assert (await pick(session, "City", "paris")).effect == ValueSet(value="Paris")
    missing = await pick(session, "City", "Rome")
    assert (missing.code, "Rome" in missing.message) == ("no_such_option", True)


SERVER_SUGGESTS = f"""<label>City<input id=i role=combobox autocomplete=off></label>
<ul id=u hidden role=listbox style='{POPUP}'></ul><script>let timer;
i.oninput = () => {{ clearTimeout(timer); timer = setTimeout(async () => {{
  const all = await (await fetch('/cities?' + i.value)).json();
  setTimeout(() => {{ u.innerHTML = all.map(x => `<li role=option>${{x}}</li>`).join(''); u.hidden = false }}, 100)
  }}, 250) }};
u.onmousedown = e => {{ i.value = e.target.textContent; u.hidden = true; e.preventDefault() }}
</script>"""


async def test_a_field_whose_suggestions_a_slow_server_brings(session: PageSession, site: Site) -> None:
    """Longer than a page is waited for that loads something nobody asked for; drawn a while after that."""
    gate = asyncio.Event()
    site.add("/cities", '["Berlin", "Bern"]', gate=gate)
    await session.page.goto(site.add("/", SERVER_SUGGESTS))
    asked = asyncio.create_task(site.asked_for("/cities").wait())
    asked.add_done_callback(lambda _: asyncio.get_running_loop().call_later(2.5, gate.set))
    assert (await pick(session, "City", "Bern")).effect == ValueSet(value="Bern")
    await asked


VIRTUAL = f"""<button id=b>State</button><div id=p hidden style='{POPUP}'>SEARCH
<div id=l style='height:100px;width:200px;overflow:auto;position:relative'></div></div><script>
const all = [...Array(40).keys()].map(i => 'State ' + i);
function draw() {{ const fit = all.filter(x => !window.q || x.includes(q.value)), top = Math.floor(l.scrollTop / 20);
  l.innerHTML = `<div style="height:${{fit.length * 20}}px"></div>` + fit.slice(top, top + 7).map((x, k) =>
  `<div style="position:absolute;height:20px;top:${{(top + k) * 20}}px">${{x}}</div>`).join('') }}
l.onscroll = draw; p.oninput = draw; l.onclick = e => {{ b.textContent = e.target.textContent; p.hidden = true }};
b.onclick = () => {{ p.hidden = !p.hidden; l.innerHTML = 'Loading...'; setTimeout(draw, 50) }}</script>"""


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("search", ["", "<input id=q placeholder=Search>"])
async def test_a_list_that_loads_late_and_draws_only_what_is_in_view(session: PageSession, search: str) -> None:
    await session.page.set_content(VIRTUAL.replace("SEARCH", search))
    assert (await pick(session, "css=#b", "State 3")).effect == ValueSet(value="State 3")
    assert (await pick(session, "css=#b", "State 27")).effect == ValueSet(value="State 27")
    assert (await pick(session, "css=#b", "Nowhere")).code == "no_such_option"


LONG = f"""<button id=b aria-haspopup=listbox>Row</button><div id=p hidden style='{POPUP}'>SEARCH
<div id=l LIST style='height:300px;width:200px;overflow:auto;position:relative'><div id=t></div></div></div><script>
{{ const all = [...Array(COUNT).keys()].map(i => 'Row ' + (COUNT - i)); let waits;
const fits = () => all.filter(x => !window.q || x.includes(q.value));
function draw() {{ const top = Math.max(0, Math.floor(l.scrollTop / 35) - 1);
  t.style.height = fits().length * 35 + 'px'; t.innerHTML = fits().slice(top, top + 11).map((x, k) =>
  `<div ROW style="position:absolute;height:35px;top:${{(top + k) * 35}}px">${{x}}</div>`).join('') }}
l.onscroll = () => {{ cancelAnimationFrame(waits); waits = requestAnimationFrame(draw) }};
p.oninput = () => {{ l.scrollTop = 0; draw() }};
l.onclick = e => {{ b.textContent = e.target.textContent; p.hidden = true }};
b.onclick = () => {{ p.hidden = !p.hidden; draw() }} }}</script>"""


def long_list(count: int, *, roles: bool = False, search: str = "") -> str:
    page = LONG.replace("COUNT", str(count)).replace("SEARCH", search)
    return page.replace("LIST", "role=listbox" if roles else "").replace("ROW", "role=option" if roles else "")


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("roles", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_a_list_of_rows_that_are_placed_is_looked_through_to_its_end(
    session: PageSession, *, roles: bool
) -> None:
    await session.page.set_content(long_list(160, roles=roles))
    assert (await pick(session, "css=#b", "Row 7")).effect == ValueSet(value="Row 7")
    none = await pick(session, "css=#b", "Row 161")
    more = 160 - MAX_OPTIONS_LISTED
    assert (none.code, f" and {more} more" in none.message) == ("no_such_option", True), "each row was seen"


@pytest.mark.usefixtures("patient")
async def test_what_a_page_has_drawn_of_another_place_is_not_what_was_scrolled_to(session: PageSession) -> None:
    """It draws a moment after it was scrolled, and what was picked first stands at the end of the list."""
    late = long_list(160).replace(
        "cancelAnimationFrame(waits); waits = requestAnimationFrame(draw)",
        "clearTimeout(waits); waits = setTimeout(draw, 120)",
    )
    await session.page.set_content(late)
    assert (await pick(session, "css=#b", "Row 3")).effect == ValueSet(value="Row 3")
    assert (await pick(session, "css=#b", "Row 150")).effect == ValueSet(value="Row 150")
    none = await pick(session, "css=#b", "Row 161")
    assert (none.code, f" and {160 - MAX_OPTIONS_LISTED} more" in none.message) == ("no_such_option", True)


@pytest.mark.usefixtures("patient")
async def test_what_a_search_has_narrowed_is_looked_through_as_well(session: PageSession) -> None:
    """Of all that have a 1 the one that is called so is the last."""
    await session.page.set_content(long_list(199, search="<input id=q placeholder=Search>"))
    assert (await pick(session, "css=#b", "Row 1")).effect == ValueSet(value="Row 1")


async def test_a_list_without_end_is_not_said_to_lack_an_option(
    session: PageSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_lists, "SCROLL_BOUND_S", 0.3)  # clock: it is meant to expire
    await session.page.set_content(long_list(100_000))
    unseen = await pick(session, "css=#b", "Row 1")
    assert (unseen.ok, unseen.code) == (False, "failed")
    assert "the list goes on" in unseen.message


GROWS = f"""<button id=b aria-haspopup=listbox>City</button><div id=l hidden style='{POPUP};height:200px;overflow:auto'>
</div><script>let n = 0, asked = false;
const more = () => {{ for (let k = 0; k < 20 && n < 40; k++) l.append(Object.assign(document.createElement('p'),
  {{ textContent: `City ${{n++}}` }})) }};
l.onscroll = () => {{ if (!asked && l.scrollTop + l.clientHeight > l.scrollHeight - 5) {{ asked = true;
  setTimeout(() => {{ more(); asked = false }}, 300) }} }};
l.onclick = e => {{ b.textContent = e.target.textContent; l.hidden = true }};
b.onclick = () => {{ l.hidden = !l.hidden; if (!n) more() }}</script>"""


@pytest.mark.usefixtures("patient")
async def test_a_list_that_grows_late_at_its_end(session: PageSession) -> None:
    await session.page.set_content(GROWS)
    assert (await pick(session, "css=#b", "City 31")).effect == ValueSet(value="City 31")
    assert (await pick(session, "css=#b", "City 40")).code == "no_such_option"


async def test_groups_in_which_all_choices_are_there(session: PageSession) -> None:
    await session.page.set_content(
        """<fieldset><legend>Pay</legend><label><input type=radio name=p>Card</label>
        <label><input type=radio name=p>Cash
        </label></fieldset><div role=radiogroup aria-label=Speed><div role=radio tabindex=0 aria-checked=false
        onclick="this.setAttribute('aria-checked', 'true')">Fast</div>
        <div role=radio tabindex=0 aria-checked=false>Slow</div>
        </div>"""
    )
    assert (await pick(session, "css=fieldset", "Cash")).effect == ValueSet(value="Cash")
    assert await session.page.locator("input").nth(1).is_checked()
    assert (await pick(session, "css=[role=radiogroup]", "Fast")).effect == ValueSet(value="Fast")
    dead = await pick(session, "css=[role=radiogroup]", "Slow")
    assert (dead.ok, dead.code) == (False, "effect_not_seen")


async def test_menus_and_the_menus_in_them(session: PageSession) -> None:
    await session.page.set_content(
        f"""<p id=o></p><button aria-haspopup=menu onclick="m.hidden = !m.hidden">File</button>
        <ul id=m role=menu hidden style='{POPUP}'><li role=menuitem onclick="o.textContent = 'new';
        m.hidden = true">New</li>
        <li role=menuitem aria-haspopup=true onmouseenter="s.hidden = false">Export<ul id=s role=menu hidden
        style='{POPUP};left:80px'><li role=menuitem onclick="o.textContent = 'pdf'">PDF</li></ul></li></ul>"""
    )
    assert (await pick(session, "File", "New")).ok
    assert await shown(session, "#o") == "new"
    assert (await pick(session, "File", "Export > PDF")).ok
    assert await shown(session, "#o") == "pdf"


async def test_suggestions_of_a_plain_field(session: PageSession) -> None:
    await session.page.set_content(
        "<label>Fruit<input list=d></label><datalist id=d><option value=Apple><option value=Pear></datalist>"
    )
    assert (await pick(session, "Fruit", "pear")).effect == ValueSet(value="Pear")
    assert (await pick(session, "Fruit", "Fig")).code == "no_such_option"


async def test_several_chips(session: PageSession) -> None:
    await session.page.set_content(
        f"""<div id=w><span id=c></span><input id=i placeholder=Tags></div><ul id=u hidden role=listbox
        aria-multiselectable=true style='{POPUP}'><li role=option>Alpha</li><li role=option>Beta</li></ul><script>
        i.onfocus = () => {{ u.hidden = false }}; u.onclick = e =>
        {{ c.innerHTML += `<b>${{e.target.textContent}}</b> `;
        e.target.setAttribute('aria-selected', 'true') }}</script>"""
    )
    assert (await pick(session, "css=#i", "Alpha")).ok
    assert (await pick(session, "css=#i", "Beta")).ok
    assert "is picked already" in (await pick(session, "css=#i", "Beta")).message
    assert (await shown(session, "#c")).split() == ["Alpha", "Beta"]


async def test_two_of_the_same_name_are_for_a_person_to_tell_apart(session: PageSession) -> None:
    await session.page.set_content(
        f"""<button id=b>Who</button><div id=p hidden style='{POPUP}'><div><b>Ann</b> <i>HR</i></div><div><b>Ann</b>
        <i>IT</i></div></div><script>b.onclick = () => {{ p.hidden = !p.hidden }};
        p.onclick = e => {{ b.textContent = e.target.closest('div').textContent; p.hidden = true }}</script>"""
    )
    both = await pick(session, "css=#b", "Ann")
    assert (both.code, '"Ann HR", "Ann IT"' in both.message) == ("ambiguous", True)
    assert (await pick(session, "css=#b", "Ann IT")).effect == ValueSet(value="Ann IT")


async def test_what_offers_nothing(session: PageSession) -> None:
    await session.page.set_content("<button>Dead</button><button disabled>Off</button>")
    assert (await do(session, SelectOption(target=at("Dead"), option="Any"))).code == "not_editable"
    assert (await pick(session, "Dead", "Any")).code == "no_such_option"
    assert (await pick(session, "Off", "Any")).code == "not_editable"


LIST_INSIDE = """<div id=c role=combobox tabindex=0 aria-haspopup=true aria-expanded=false aria-label=Country>
<div id=v>Choose</div><div id=m hidden>SEARCH<div class=all>
<div ROLE class=o>Austria</div><div ROLE class=o>Norway</div></div></div></div><script>
function keep(text) { v.textContent = text; m.hidden = true }
c.onclick = e => { const o = e.target.closest(".o"); if (o) { PICKED }
  else if (e.target.id != 'q') m.hidden = !m.hidden };
</script>"""


def list_inside(picked: str, *, role: str = "role=option", search: str = "") -> str:
    page = LIST_INSIDE.replace("PICKED", picked).replace("ROLE", role).replace("SEARCH", search)
    return page.replace("<div class=all>", "<div class=all role=listbox>" if role else "<div class=all>")


@pytest.mark.parametrize("role", ["role=option", ""])
async def test_what_an_open_list_offers_is_not_what_its_control_shows(session: PageSession, role: str) -> None:
    await session.page.set_content(list_inside("", role=role))
    dead = await pick(session, "css=#c", "Norway")
    assert (dead.ok, dead.code, dead.effect) == (False, "effect_not_seen", ValueSet(value="Choose"))
    await session.page.set_content(list_inside("v.textContent = o.textContent", role=role))
    assert (await pick(session, "css=#c", "Norway")).effect == ValueSet(value="Norway")


NARROWS = """<input id=q oninput="for (const o of document.querySelectorAll('.o')) o.hidden = o.textContent != q.value">
<style>.o:not([hidden]) { display: block } .o:first-child { display: none }</style>"""


async def test_what_was_typed_to_narrow_an_open_list_is_not_what_its_control_shows(session: PageSession) -> None:
    for picked, expected in (("", (False, ValueSet(value="Choose"))), ("keep('Oslo')", (True, ValueSet(value="Oslo")))):
        await session.page.set_content(list_inside(picked, search=NARROWS))
        await session.page.evaluate("document.querySelectorAll('.o')[1].hidden = true")
        told = await pick(session, "css=#c", "Norway")
        assert (told.ok, told.effect) == expected


@pytest.mark.usefixtures("patient")
async def test_what_was_typed_into_a_field_is_no_choice_while_the_list_still_offers_it(session: PageSession) -> None:
    await session.page.set_content(AUTOCOMPLETE.replace("WAIT", "0").replace("u.onmousedown", "u.ondrop"))
    dead = await pick(session, "City", "Bern")
    assert (dead.ok, dead.code, dead.effect) == (False, "effect_not_seen", ValueSet(value="Bern"))


@pytest.mark.usefixtures("patient")
async def test_a_choice_that_is_shown_late_is_waited_for(session: PageSession) -> None:
    await session.page.set_content(list_inside("m.hidden = true; setTimeout(() => keep(o.textContent), 50)"))
    assert (await pick(session, "css=#c", "Norway")).effect == ValueSet(value="Norway")


@pytest.mark.usefixtures("patient")
async def test_a_choice_that_the_page_takes_back_is_not_done(session: PageSession) -> None:
    await session.page.set_content(list_inside("keep(o.textContent); setTimeout(() => keep('Choose'), 20)"))
    back = await pick(session, "css=#c", "Norway")
    assert (back.ok, back.code, back.effect) == (False, "effect_not_seen", ValueSet(value="Choose"))


@pytest.mark.usefixtures("patient")
async def test_a_choice_that_a_timer_of_the_page_takes_back_is_not_done(session: PageSession) -> None:
    await session.page.set_content(list_inside("keep(o.textContent); setTimeout(() => keep('Choose'), 900)"))
    back = await pick(session, "css=#c", "Norway")
    assert (back.ok, back.code, back.effect) == (False, "effect_not_seen", ValueSet(value="Choose"))


@pytest.mark.usefixtures("patient")
async def test_a_mark_that_the_page_takes_back_is_not_done(session: PageSession) -> None:
    await session.page.set_content(
        """<div role=radiogroup aria-label=Speed><div role=radio tabindex=0 aria-checked=false onclick="const mark =
        (yes) => this.setAttribute('aria-checked', yes); mark(true); setTimeout(() => mark(false), 20)">Fast</div>
        <div role=radio tabindex=0 aria-checked=false>Slow</div></div>"""
    )
    back = await pick(session, "css=[role=radiogroup]", "Fast")
    assert (back.ok, back.code) == (False, "effect_not_seen")


# --- fields that offer options for every key, and what a refused pick leaves behind


KEYED = f"""<label>City<input id=i role=combobox aria-autocomplete=list autocomplete=off value="VALUE"></label>
<ul id=u role=listbox hidden style='{POPUP}'></ul><script>
const all = ['Berlin', 'Bern', 'Bergen', 'Oslo', 'Paris, France', 'Paris, Texas']; let query = '';
const draw = () => {{ const fit = all.filter(x => x.toLowerCase().startsWith(query)); u.hidden = !fit.length;
  u.innerHTML = fit.map(x => `<li role=option>${{x}}</li>`).join('') }};
const close = () => {{ u.hidden = true; query = '' }};
i.onkeydown = e => {{ if (e.key == 'Backspace') query = ''; else if (e.key == 'Escape') {{ if (CLEARS) i.value = '';
  close(); return }} else if (e.key.length == 1 && !e.ctrlKey) query += e.key.toLowerCase(); else return; draw() }};
i.onblur = close;
u.onmousedown = e => {{ i.value = e.target.textContent; close(); e.preventDefault() }}</script>"""


def keyed(value: str = "", *, clears: bool = False) -> str:
    return KEYED.replace("VALUE", value).replace("CLEARS", str(clears).lower())


async def options(session: PageSession) -> list[str]:
    return await session.page.locator("li:visible").all_inner_texts()


@pytest.mark.parametrize("held", ["", "Oslo"])
async def test_a_field_that_filters_by_its_keys_is_typed_into_by_keys(session: PageSession, held: str) -> None:
    await session.page.set_content(keyed(held))
    assert (await do(session, TypeText(target=at("City"), text="Ber"))).effect == ValueSet(value="Ber")
    assert await options(session) == ["Berlin", "Bern", "Bergen"]


async def test_an_option_that_only_keys_bring_is_picked(session: PageSession) -> None:
    await session.page.set_content(keyed("Oslo"))
    for option in ("Bern", "oslo", "Paris, Texas"):
        picked = await do(session, PickOption(target=at("City"), option=option))
        assert (picked.ok, (await session.page.input_value("#i")).lower()) == (True, option.lower())


@pytest.mark.parametrize("held", ["", "Bern"])
@pytest.mark.parametrize("clears", [False, True])
async def test_a_refused_pick_leaves_the_field_as_it_was(session: PageSession, held: str, *, clears: bool) -> None:
    await session.page.set_content(keyed(held, clears=clears))
    missing = await do(session, PickOption(target=at("City"), option="Rome"))
    assert (missing.ok, missing.code, missing.effect) == (False, "no_such_option", None)
    assert await session.page.input_value("#i") == held
    await session.page.wait_for_function("u.hidden")


async def test_a_refused_pick_says_what_the_field_holds_if_it_cannot_be_as_it_was(session: PageSession) -> None:
    page = keyed("Bern").replace(
        "i.onblur", "i.addEventListener('input', () => { i.value = i.value.slice(0, 2) });i.onblur"
    )
    await session.page.set_content(page)
    missing = await do(session, PickOption(target=at("City"), option="Rome"))
    assert (missing.code, missing.effect) == ("no_such_option", ValueSet(value="Be"))
    assert 'held "Bern" and holds "Be" now' in missing.message


TWO = f"""<button id=a aria-haspopup=listbox aria-controls=la>Colour</button>
<button id=b aria-haspopup=listbox style='margin-left:40px'>Size</button>
<ul id=la role=listbox style='{POPUP};top:30px;left:0'><li role=option>Red</li><li role=option>Blue</li></ul>
<ul id=lb role=listbox hidden style='{POPUP};top:30px;left:120px'><li role=option>Small</li>
<li role=option>Large</li></ul>
<div id=hint role=tooltip hidden style='{POPUP};top:200px'><span>Sizes are those of the maker</span></div><script>
b.onclick = () => {{ lb.hidden = !lb.hidden; hint.hidden = lb.hidden }};
lb.onclick = e => {{ b.textContent = e.target.textContent; lb.hidden = hint.hidden = true }}</script>"""


async def test_only_the_options_of_the_list_itself_are_listed(session: PageSession) -> None:
    await session.page.set_content(TWO)
    missing = await do(session, PickOption(target=at("Size"), option="Huge"))
    assert missing.message == '"Huge" is not one of the options of button "Size": "Small", "Large"'
    assert await session.page.locator("#la").is_visible()
    assert await session.page.locator("#lb").is_hidden()
    assert (await do(session, PickOption(target=at("Size"), option="Large"))).effect == ValueSet(value="Large")


async def test_an_option_of_another_list_that_is_open_is_not_picked(session: PageSession) -> None:
    await session.page.set_content(TWO)
    assert (await do(session, PickOption(target=at("Size"), option="Red"))).code == "no_such_option"
    assert await shown(session, "#a") == "Colour"


async def test_a_list_that_was_open_before_stays_open_when_the_option_is_not_in_it(session: PageSession) -> None:
    await session.page.set_content(TWO.replace("<script>", "<p id=k></p><script>onkeydown = e => { k.append(e.key) };"))
    await do(session, Click(target=at("Size")))
    assert (await do(session, PickOption(target=at("Size"), option="Huge"))).code == "no_such_option"
    assert await session.page.locator("#lb").is_visible()
    assert await shown(session, "#k") == ""


async def test_a_picked_option_of_a_list_in_which_all_is_shown_is_the_one_that_is_marked(session: PageSession) -> None:
    """The text of the list contains every option, whatever is selected."""
    await session.page.set_content(
        """<div id=l role=listbox aria-label=Sizes aria-multiselectable=true><div role=option
        aria-selected=false>Small</div><div role=option aria-selected=false id=b>Large</div></div><script>
        b.onmouseenter = () => b.setAttribute('aria-selected', 'true');
        b.onmouseleave = () => b.setAttribute('aria-selected', 'false')</script>"""
    )
    refused = await do(session, PickOption(target=at("css=#l"), option="Large"))
    assert (refused.ok, refused.code) == (False, "effect_not_seen")
