"""Library widgets: parts in shadow trees, chips, options that follow the mouse, re-rendered lists."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import ByRef, ByText, Click, PickOption
from shared.contracts.results import CheckboxSet, ValueSet
from tests.browser.action_steps import HIDDEN, POPUP, at, do, shown
from tests.browser.conftest import Look

SHADOW = "<div id=host></div><script>const root = host.attachShadow({{mode: 'open'}}); root.innerHTML = `{}`</script>"
DRAWN_BOX = SHADOW.format(
    "<label><input type=checkbox style='position:absolute;opacity:0;pointer-events:none'>"
    "<span style='display:inline-block;width:20px;height:20px;background:#ccc'></span> I accept</label>"
)


BOX = '<i style="display:inline-block;width:14px;height:14px;border:1px solid"></i>'
DRAWN = {
    "by a part in a shadow tree": DRAWN_BOX,
    "beside a label, out of the page": "<input type=checkbox id=a style='position:absolute;left:-9999px'>"
    "<label for=a>I accept</label>",
    "not displayed": "<label>I accept <input type=checkbox style='display:none'></label>",
    "of no size": "<label><input type=checkbox style='position:absolute;opacity:0;width:0;height:0'>I accept</label>",
    "in an element of its own": f'<label><span style="{HIDDEN}"><input type=checkbox></span>{BOX} I accept</label>',
    "a radio button": f'<label><span style="{HIDDEN}"><input type=radio></span>{BOX} I accept</label>',
}


@pytest.mark.parametrize("how", DRAWN)
async def test_a_box_that_is_drawn_by_its_label_is_one_control(session: PageSession, look: Look, how: str) -> None:
    page = await look(DRAWN[how])
    kind = "radio" if how == "a radio button" else "checkbox"
    assert [(one.role, one.name, one.states) for one in page.elements] == [(kind, "I accept", ("unchecked",))]
    target = ByRef(ref=page.elements[0].ref, snapshot_id=page.snapshot_id)
    assert (await do(session, Click(target=target))).effect == CheckboxSet(checked=True)
    assert [one.states for one in (await look()).elements] == [("checked",)]
    if kind == "checkbox" and how != "not displayed":
        assert (await do(session, Click(target=at("I accept")))).effect == CheckboxSet(checked=False)


VEILED = "<div style='position:relative'><input aria-label=Name><div style='position:absolute;inset:0'>{}</div></div>"


@pytest.mark.parametrize(("over", "code"), [("", "ok"), ("<button>Other</button>", "blocked")])
async def test_what_a_component_draws_over_its_own_field(session: PageSession, over: str, code: str) -> None:
    button = over.replace("<button", "<button style='width:100%;height:100%'")
    await session.page.set_content(SHADOW.format(VEILED.format(button)))
    assert (await do(session, Click(target=at("Name")))).code == code


async def test_what_a_page_draws_over_a_field_is_in_the_way(session: PageSession) -> None:
    await session.page.set_content(VEILED.format(""))
    assert (await do(session, Click(target=at("Name")))).code == "blocked"


def component(many: str) -> str:
    return f"""<x-select><x-option role=option aria-selected=false>Red</x-option>
    <x-option role=option aria-selected=false>Blue</x-option></x-select>
    <style>x-option {{ display: block }}</style><script>
    const host = document.querySelector('x-select'), root = host.attachShadow({{ mode: 'open' }});
    root.innerHTML = `<div id=f style="position:relative"><input role=combobox readonly aria-label=Colour
      aria-haspopup=listbox aria-controls=l><i style="position:absolute;inset:0"></i></div>
      <div id=l role=listbox aria-label=Colour aria-multiselectable={many} hidden style="{POPUP}"><slot></slot></div>`;
    const list = root.querySelector('#l'), field = root.querySelector('input');
    root.querySelector('#f').onclick = () => {{ list.hidden = !list.hidden }};
    host.addEventListener('click', e => {{ if (!e.target.matches('x-option')) return;
      const set = (el, on) => el.setAttribute('aria-selected', on);
      if ('{many}' === 'false') for (const one of host.children) set(one, one === e.target);
      else set(e.target, e.target.getAttribute('aria-selected') === 'false');
      const on = [...host.children].filter(one => one.getAttribute('aria-selected') === 'true');
      field.value = '{many}' === 'false' ? on[0].textContent : on.length + ' picked';
      list.hidden = '{many}' === 'false' }})</script>"""


async def test_a_component_shows_the_options_that_stand_outside_of_it(session: PageSession) -> None:
    await session.page.set_content(component("false"))
    assert (await do(session, PickOption(target=at("Colour"), option="Blue"))).effect == ValueSet(value="Blue")


async def test_a_component_that_takes_several(session: PageSession) -> None:
    await session.page.set_content(component("true"))
    for option in ("Red", "Blue", "Red"):
        assert (await do(session, PickOption(target=at("Colour"), option=option))).effect == ValueSet(value=option)
    chosen = "[...document.querySelectorAll('[aria-selected=true]')].map(e => e.textContent)"
    assert await session.page.evaluate(chosen) == ["Red", "Blue"]


def chips(takes: str) -> str:
    """A list whose option under the mouse, or the first, says that it is selected; what is picked leaves it."""
    return f"""<label for=s>Tags</label><div role=combobox aria-haspopup=listbox tabindex=0 style="position:relative">
    <select id=s multiple style="position:absolute;inset:0;opacity:0;pointer-events:none">
    <option>a1<option>b2<option>c3</select><span id=c></span><input type=search aria-label=Tags></div>
    <div id=l role=listbox aria-multiselectable=true hidden style="{POPUP}"></div><script>
    const free = ['a1', 'b2', 'c3'], select = document.querySelector('select');
    const light = el => {{ for (const one of l.children) one.setAttribute('aria-selected', one === el) }};
    const option = t => `<div role=option>${{t}}</div>`;
    const draw = () => {{ l.innerHTML = free.map(option).join(''); light(l.children[0]) }};
    draw(); document.querySelector('input').onfocus = () => {{ l.hidden = false }};
    l.onmouseover = e => light(e.target);
    l.onmousedown = e => {{ e.preventDefault(); const text = e.target.textContent; if (!({takes})) return;
      free.splice(free.indexOf(text), 1); c.innerHTML += `<b>${{text}}</b> `; draw() }}</script>"""


async def test_an_option_under_the_mouse_is_not_one_that_is_picked(session: PageSession) -> None:
    await session.page.set_content(chips("true"))
    for option in ("a1", "b2"):
        assert (await do(session, PickOption(target=at("Tags"), option=option))).ok
    assert (await shown(session, "#c")).split() == ["a1", "b2"]


async def test_an_option_that_is_not_taken_is_not_said_to_be_picked(session: PageSession) -> None:
    await session.page.set_content(chips("text !== 'b2'"))
    refused = await do(session, PickOption(target=at("Tags"), option="b2"))
    assert (refused.ok, refused.code) == (False, "effect_not_seen")


async def test_a_list_that_only_holds_the_value_is_picked_by_the_widget_in_its_place(session: PageSession) -> None:
    await session.page.set_content(
        f"""<label for=s>Land</label><div id=w role=combobox aria-haspopup=true tabindex=0 style="position:relative">
        <select id=s style="position:absolute;inset:0;opacity:0;pointer-events:none"><option>-<option>Norway</select>
        <span id=v>-</span></div><div id=l hidden style="{POPUP}"><div>Sweden</div><div>Norway</div></div><script>
        w.onclick = () => {{ l.hidden = false }};
        l.onclick = e => {{ v.textContent = e.target.textContent; l.hidden = true }}</script>"""
    )
    assert (await do(session, PickOption(target=at("Land"), option="Norway"))).effect == ValueSet(value="Norway")
    assert await shown(session, "#v") == "Norway"


UNDER_THE_MOUSE = f"""<button id=b style="position:absolute;left:0;top:60px;width:200px;height:30px">Open</button>
<ul id=m style="{POPUP};left:0;top:60px;margin:0;padding:0;list-style:none;width:200px" hidden>
<li style="height:30px">Above</li><li style="height:30px">Below</li></ul><p id=p style="margin-top:150px"></p><script>
let active = null, first = null, settled = false;
b.onclick = () => {{ m.hidden = false }};
m.addEventListener('mouseover', e => {{ if (settled) active = e.target; else first ??= e.target }});
document.addEventListener('mousemove', () => {{ if (first && !settled) {{ settled = true; active = first }} }});
m.onclick = () => {{ p.textContent = active.textContent }}</script>"""


async def test_the_mouse_stirs_before_it_leaves_a_place_where_a_list_came_up(session: PageSession) -> None:
    await session.page.set_content(UNDER_THE_MOUSE)
    await do(session, Click(target=at("Open")))
    await do(session, Click(target=at("Below")))
    assert await shown(session, "#p") == "Below"


async def test_an_option_drawn_anew_under_the_mouse(session: PageSession) -> None:
    await session.page.set_content(
        f"""<button id=b aria-haspopup=listbox>Pick one</button>
        <div id=l role=listbox hidden style="{POPUP}"></div><script>
        let drawn = 0; const draw = () => {{ l.innerHTML = '<div role=option>One</div><div role=option>Two</div>' }};
        draw(); b.onclick = () => {{ l.hidden = false }};
        l.onmouseover = () => {{ if (drawn++ < 1) draw() }};
        l.onclick = e => {{ b.textContent = e.target.textContent; l.hidden = true }}</script>"""
    )
    assert (await do(session, PickOption(target=at("Pick one"), option="Two"))).effect == ValueSet(value="Two")


async def test_a_slot_that_listens_swallows_nothing(session: PageSession, look: Look) -> None:
    page = await look(
        "<x-group><div role=radio tabindex=0>Small</div><div role=radio tabindex=0>Large</div></x-group><script>"
        "const root = document.querySelector('x-group').attachShadow({mode: 'open'}); root.innerHTML = '<slot></slot>';"
        "root.querySelector('slot').onclick = () => 0</script>"
    )
    assert [(one.role, one.name) for one in page.elements] == [("radio", "Small"), ("radio", "Large")]


async def test_a_part_of_a_component_and_the_component_are_one(session: PageSession) -> None:
    await session.page.set_content(
        "<x-button role=button tabindex=0>Save</x-button><p id=p></p><script>"
        "const host = document.querySelector('x-button'), root = host.attachShadow({mode: 'open'});"
        "root.innerHTML = '<button><slot></slot></button>'; host.onclick = () => { p.textContent += 'saved' }</script>"
    )
    assert (await do(session, Click(target=ByText(text="Save")))).ok
    assert await shown(session, "#p") == "saved"
