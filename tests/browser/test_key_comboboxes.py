"""Fields that offer options for every key, and what a refused pick leaves behind."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import Click, PickOption, TypeText
from shared.contracts.results import ValueSet
from tests.browser.action_steps import POPUP, at, do, shown

KEYED = f"""<label>City<input id=i role=combobox aria-autocomplete=list autocomplete=off value="VALUE"></label>
<ul id=u role=listbox hidden style='{POPUP}'></ul><script>
const all = ['Berlin', 'Bern', 'Bergen', 'Oslo', 'Paris, France', 'Paris, Texas']; let query = '';
const draw = () => {{ const fit = all.filter(x => x.toLowerCase().startsWith(query)); u.hidden = !fit.length;
  u.innerHTML = fit.map(x => `<li role=option>${{x}}</li>`).join('') }};
const close = () => {{ u.hidden = true; query = '' }};
i.onkeydown = e => {{ if (e.key == 'Backspace') query = ''; else if (e.key == 'Escape') {{ if (CLEARS) i.value = '';
  close(); return }} else if (e.key.length == 1 && !e.ctrlKey) query += e.key.toLowerCase(); else return; draw() }};
i.onblur = () => setTimeout(close, 50);
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


@pytest.mark.parametrize("option", ["Bern", "oslo", "Paris, Texas"])
async def test_an_option_that_only_keys_bring_is_picked(session: PageSession, option: str) -> None:
    await session.page.set_content(keyed("Oslo"))
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
