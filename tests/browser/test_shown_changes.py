"""The effect of an action is what a person sees of it: no more, and no less."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.observe.worlds import Worlds
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import Click, Hover, PickOption, Press
from shared.contracts.results import CheckboxSet, Effect, NotSeen, PageChanged, ValueSet
from tests.browser.action_steps import POPUP, at, do
from tests.browser.conftest import Look

BUTTON = "<button id=b class=btn>Go</button><p id=p>Text</p><input type=hidden id=h value=1><script>{}</script>"
UNSEEN = {
    "marks of the mouse and the focus": "b.onpointerenter = () => b.dataset.hovered = 1; b.onfocus = () => "
    "b.className += ' focus-visible'; b.onpointerdown = () => b.dataset.pressed = 1",
    "a wave over the button": "b.onclick = () => b.insertAdjacentHTML('beforeend', '<span style=\"position:absolute;"
    "width:30px;height:10px;background:#0003\"></span>')",
    "a hidden value": "b.onclick = () => { h.value = 2; h.setAttribute('value', 2) }",
    "what is hidden": "p.hidden = true; b.onclick = () => { p.textContent = 'other' }",
    "the same again": "b.onclick = () => { p.innerHTML = 'Text'; b.replaceChildren('Go') }",
    "a class that styles nothing": "b.onclick = () => { document.body.className = 'touched'; p.className = 'x' }",
    "an attribute for scripts": "b.onclick = () => { p.dataset.count = 1; p.id = 'q' }",
    "a style sheet": "b.onclick = () => document.head.append(document.createElement('style'))",
}


@pytest.mark.parametrize("name", UNSEEN)
async def test_what_nobody_sees_is_no_change(session: PageSession, name: str) -> None:
    style = "<style>.btn:hover { background: #eef } .btn:focus { color: #00f }</style>"
    await session.page.set_content(style + BUTTON.format(UNSEEN[name]))
    assert (await do(session, Click(target=at("css=#b")))).effect == NotSeen()
    assert (await do(session, Click(target=at("css=#b")))).effect == NotSeen()


SEEN = {
    "a text": "b.onclick = () => { p.textContent = 'other' }",
    "a colour": "b.onclick = () => { p.className = 'red' }",
    "a colour of the pressed button itself": "b.onclick = () => { b.classList.add('red') }",
    "a mark drawn before a text": "b.onclick = () => { p.className = 'tick' }",
    "something that went away": "b.onclick = () => { p.remove() }",
    "something that moved": "b.onclick = () => { p.style.marginLeft = '40px' }",
    "another picture in the pressed button": "b.innerHTML = '<svg width=9 height=9></svg>'; b.onclick = () => "
    "{ b.innerHTML = '<svg width=9 height=9 fill=red></svg>' }",
    "a state": "b.onclick = () => { b.setAttribute('aria-pressed', 'true') }",
    "the value of a field": "p.innerHTML = '<input id=i>'; b.onclick = () => { i.value = 'x' }",
    "the scroll position": "p.style.height = '3000px'; b.onclick = () => { scrollTo(0, 500) }",
    "the title": "b.onclick = () => { document.title = 'New' }",
}
STYLE = "<style>.red { color: #f00 } .tick::before { content: '\\2713' }</style>"


@pytest.mark.parametrize("name", SEEN)
async def test_what_is_seen_is_a_change(session: PageSession, name: str) -> None:
    await session.page.set_content(STYLE + BUTTON.format(SEEN[name]))
    assert (await do(session, Click(target=at("css=#b")))).effect == PageChanged()


async def test_a_page_that_has_just_changed_is_read_once(
    look: Look, session: PageSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    ask = Worlds.ask

    async def noted(worlds: Worlds, frame_id: str, timeout_s: float, verb: str, *parameters: str | int) -> str:
        asked.append(verb)
        return await ask(worlds, frame_id, timeout_s, verb, *parameters)

    await session.page.set_content(BUTTON.format("b.onclick = () => { p.textContent = 'other' }"))
    await do(session, Click(target=at("css=#b")))
    monkeypatch.setattr(Worlds, "ask", noted)
    assert "other" in [element.name for element in (await look()).elements]
    assert asked.count("survey") == 1


async def test_what_is_brought_into_view_to_be_pressed_is_no_change(session: PageSession) -> None:
    await session.page.set_content("<p style='height:3000px'></p><button>Far</button><script>1</script>")
    assert (await do(session, Click(target=at("Far")))).effect == NotSeen()


async def test_a_mark_under_the_mouse_is_no_change(session: PageSession) -> None:
    await session.page.set_content(BUTTON.format(UNSEEN["marks of the mouse and the focus"]))
    assert (await do(session, Hover(target=at("css=#b")))).effect == NotSeen()


async def test_changes_in_a_frame(session: PageSession) -> None:
    inner = "<button id=b>Go</button><button id=d>Dead</button><script>b.onclick = () => {{ b.textContent = 1 }};"
    inner = (inner + "d.onclick = () => {{ d.dataset.x = 1 }}</script>").format()
    await session.page.set_content(f'<iframe srcdoc="{inner}"></iframe>')
    assert (await do(session, Click(target=at("Dead")))).effect == NotSeen()
    assert (await do(session, Click(target=at("Go")))).effect == PageChanged()


MIXED = """<input type=checkbox id=native aria-label=Native><div role=checkbox id=own tabindex=0 aria-label=Own
aria-checked=true>x</div><script>native.indeterminate = START;
native.onclick = () => setTimeout(() => { native.indeterminate = true; native.checked = false });
own.onclick = () => own.setAttribute('aria-checked', 'mixed');
own.onkeydown = e => { if (e.key == ' ') own.onclick() }</script>"""


async def test_a_box_that_becomes_mixed_is_not_said_to_be_unchecked(session: PageSession) -> None:
    mixed = CheckboxSet(checked=None)
    await session.page.set_content(MIXED.replace("START", "false"))
    native = await do(session, Click(target=at("Native")))
    assert (native.effect, "mixed" in native.message) == (mixed, True)
    assert (await do(session, Click(target=at("Own")))).effect == mixed
    await session.page.set_content(MIXED.replace("START", "false"))
    assert (await do(session, Press(keys="Space", target=at("Own")))).effect == mixed


async def test_a_box_that_stays_as_it_was_is_not_said_to_be_set(session: PageSession) -> None:
    dead = "<label><input type=checkbox onclick='return false'>Agree</label>"
    await session.page.set_content(dead + "<div role=checkbox tabindex=0 aria-checked=false aria-label=Dead>x</div>")
    for name in ("Agree", "Dead"):
        assert (await do(session, Click(target=at(name)))).effect == NotSeen()
    await session.page.set_content(MIXED.replace("START", "true"))
    assert (await do(session, Click(target=at("Native")))).effect == NotSeen()


LISTBOX = f"""<button id=b aria-haspopup=listbox>Choose</button><ul id=l role=listbox tabindex=-1 hidden
style='{POPUP}'><li role=option>Red</li><li role=option>Blue</li></ul><script>
b.onclick = () => {{ l.hidden = false; l.focus() }};
l.onkeydown = e => {{ if (e.key == 'Enter') {{ b.textContent = 'Red'; l.hidden = true; b.focus() }}
  if (e.key == 'ArrowDown') for (const o of l.children) o.setAttribute('aria-selected', o.textContent == 'Red') }}
</script>"""


async def test_a_list_that_closed_has_no_value(session: PageSession) -> None:
    await session.page.set_content(LISTBOX)
    await do(session, Click(target=at("css=#b")))
    assert (await do(session, Press(keys="ArrowDown"))).effect == ValueSet(value="Red")
    assert (await do(session, Press(keys="Enter"))).effect == PageChanged()


MENU = f"""<button id=b aria-haspopup=menu aria-expanded=false>More</button><ul id=m role=menu hidden style='{POPUP}'>
<li role=menuitem>Dead</li><li role=menuitem id=k>Keep</li></ul><p id=o></p><script>
const set = (open) => {{ m.hidden = !open; b.setAttribute('aria-expanded', open) }};
b.onclick = () => set(m.hidden);
m.onclick = e => {{ set(false); if (e.target == k) o.textContent = 'kept' }}</script>"""


async def test_a_menu_that_opened_and_closed_has_changed_nothing(session: PageSession) -> None:
    await session.page.set_content(MENU)
    assert await effect_of_pick(session, "Dead") == NotSeen()
    assert await effect_of_pick(session, "Keep") == PageChanged()


async def effect_of_pick(session: PageSession, option: str) -> Effect | None:
    return (await do(session, PickOption(target=at("More"), option=option))).effect
