"""A press on what contains items or buttons is a press on itself, or none; so is each press of a double click."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import Click, DoubleClick, Drag, PickOption
from shared.contracts.results import NotSeen, PageChanged, ValueSet
from tests.browser.action_steps import POPUP, at, do, shown

HITS = "<p id=o></p><script>addEventListener('click', e => { o.textContent += e.target.id + ' ' })</script>"
TREE = (
    """<ul role=tree aria-label=Food style='width:300px'>
<li role=treeitem id=fruits aria-label=Fruits aria-expanded=true>LABEL<ul role=group>CHILDREN</ul></li></ul>"""
    + HITS
)
CHILDREN = "".join(f"<li role=treeitem id=c{n} style='height:40px'>Child {n}</li>" for n in range(5))


ARROW = "<button id=arrow aria-label=Toggle><svg width=9 height=9></svg></button>"


@pytest.mark.parametrize(
    ("label", "hit"),
    [
        ("Fruits", "fruits"),
        ("<span id=text>Fruits</span>", "text"),
        (f"{ARROW}<a id=link href='#'>Fruits</a>", "link"),
        (f"{ARROW}<span id=text>Fruits</span>", "text"),
    ],
)
async def test_an_expanded_tree_item_is_pressed_on_its_label(session: PageSession, label: str, hit: str) -> None:
    await session.page.set_content(TREE.replace("LABEL", label).replace("CHILDREN", CHILDREN))
    assert (await do(session, Click(target=at("css=#fruits")))).ok
    assert (await shown(session, "#o")).split() == [hit]


async def test_an_item_that_consists_of_its_children_is_not_pressed(session: PageSession) -> None:
    await session.page.set_content(
        "<style>ul { margin: 0; padding: 0 }</style>" + TREE.replace("LABEL", "").replace("CHILDREN", CHILDREN)
    )
    refused = await do(session, Click(target=at("css=#fruits")))
    assert (refused.code, 'treeitem "Child 0"' in refused.message) == ("blocked", True)
    assert await shown(session, "#o") == ""


async def test_the_label_of_a_tree_item_is_brought_into_view(session: PageSession) -> None:
    page = TREE.replace("LABEL", "<span id=text>Fruits</span>").replace("CHILDREN", CHILDREN.replace("40px", "900px"))
    await session.page.set_content("<p style='height:2000px'></p>" + page)
    assert (await do(session, Click(target=at("css=#fruits")))).ok
    assert (await shown(session, "#o")).split() == ["text"]


async def test_a_card_is_pressed_beside_the_button_in_its_middle(session: PageSession) -> None:
    await session.page.set_content(
        """<div id=card style='position:relative;width:300px;height:120px;background:#eee'><span id=name>Report</span>
        <button id=delete style='position:absolute;left:50px;top:40px;width:200px;height:40px'>Delete</button></div>"""
        + HITS
    )
    assert (await do(session, Click(target=at("css=#card")))).ok
    assert (await shown(session, "#o")).split() == ["name"]


async def test_a_group_of_nothing_but_buttons_has_no_place_of_its_own(session: PageSession) -> None:
    button = "<button id=b{0} style='width:100px;height:40px;float:left'>B{0}</button>"
    buttons = "".join(button.format(n) for n in range(3))
    await session.page.set_content(f"<div id=g role=group style='width:300px;height:40px'>{buttons}</div>{HITS}")
    refused = await do(session, Click(target=at("css=#g")))
    assert (refused.code, 'button "B0"' in refused.message) == ("blocked", True)
    assert await shown(session, "#o") == ""


@pytest.mark.parametrize(
    "html",
    [
        "<div id=x role=button tabindex=0><button id=y style='width:100%'>Save</button></div>",
        "<div id=x style='position:relative;width:99px'>Send a file<input id=y type=checkbox style='position:absolute;"
        "inset:0;width:99px;height:99px;opacity:0'></div>",
    ],
)
async def test_one_control_that_covers_what_is_around_it_is_one_with_it(session: PageSession, html: str) -> None:
    await session.page.set_content(html + HITS)
    assert (await do(session, Click(target=at("css=#x")))).ok
    assert (await shown(session, "#o")).split() == ["y"]


async def test_an_option_that_holds_options_is_picked_itself(session: PageSession) -> None:
    await session.page.set_content(
        f"""<button id=b aria-haspopup=tree>Choose</button><ul id=t role=tree hidden style='{POPUP};width:200px'>
        <li role=treeitem aria-expanded=true>Fruits<ul role=group><li role=treeitem>Apple</li>
        <li role=treeitem>Pear</li><li role=treeitem>Plum</li></ul></li></ul><script>
        b.onclick = () => {{ t.hidden = false }};
        t.onclick = e => {{ b.textContent = e.target.firstChild.data.trim(); t.hidden = true }}</script>"""
    )
    assert (await do(session, PickOption(target=at("css=#b"), option="Fruits"))).effect == ValueSet(value="Fruits")
    assert (await do(session, PickOption(target=at("css=#b"), option="Pear"))).effect == ValueSet(value="Pear")
    wrong = await do(session, PickOption(target=at("css=#b"), option="Fig"))
    assert (wrong.code, '"Fruits", "Apple", "Pear", "Plum"' in wrong.message) == ("no_such_option", True)


async def test_what_is_dropped_on_a_list_is_dropped_in_its_middle(session: PageSession) -> None:
    await session.page.set_content(
        """<div id=a draggable=true>Card</div><ul id=l ondragover='event.preventDefault()'
        style='position:absolute;top:60px;height:300px;width:200px;padding:0'><li>Heading</li>
        <li id=m style='height:280px'><button>Open</button></li></ul><script>
        l.ondrop = e => { e.preventDefault(); m.append('dropped') }</script>"""
    )
    assert (await do(session, Drag(target=at("css=#a"), onto=at("css=#l")))).effect == PageChanged()
    assert "dropped" in await shown(session, "#m")


# --- double clicks


async def test_a_cell_that_is_edited_by_a_double_click(session: PageSession) -> None:
    await session.page.set_content(
        "<table><tr><td id=c>Old</td></tr></table><p id=n></p><script>"
        "c.onclick = () => { n.textContent += 'x' }; c.ondblclick = () => { c.innerHTML = '<input aria-label=Cell>' }"
        "</script>"
    )
    assert (await do(session, DoubleClick(target=at("Old")))).effect == PageChanged()
    assert await session.page.locator("input").count() == 1
    assert await shown(session, "#n") == "xx"


async def test_a_double_click_whose_second_press_would_hit_another_is_told(session: PageSession) -> None:
    await session.page.set_content(
        f"""<button id=b style='width:200px;height:40px'>Open</button><div id=m hidden style='{POPUP};left:0;top:0;
        width:300px;height:80px'><button style='width:300px;height:80px' onclick="o.textContent = 'deleted'">Delete
        </button></div><p id=o style='margin-top:120px'></p><script>b.onclick = () => {{ m.hidden = false }}</script>"""
    )
    stopped = await do(session, DoubleClick(target=at("Open")))
    assert (stopped.ok, stopped.code, "only the first" in stopped.message) == (False, "blocked", True)
    assert await shown(session, "#o") == ""


async def test_a_double_click_of_which_nothing_comes(session: PageSession) -> None:
    await session.page.set_content("<button>Dead</button>")
    assert (await do(session, DoubleClick(target=at("Dead")))).effect == NotSeen()


# --- options of a tree: one that holds others is opened by its own sign


UNITS = f"""<button id=b aria-haspopup=tree aria-expanded=false aria-label=Unit>None</button>
<ul id=t role=tree hidden style='{POPUP};top:40px'><li role=treeitem aria-expanded=false id=g><div>SIGN
<span>Group</span></div><ul role=group hidden><li role=treeitem>Finance</li><li role=treeitem>Audit</li></ul></li>
<li role=treeitem>External</li></ul><script>
const open = [], picked = [];
b.onclick = () => {{ t.hidden = !t.hidden; b.setAttribute('aria-expanded', !t.hidden) }};
t.onclick = e => {{
  if (e.target.closest('.x-toggle')) {{
    open.push(1); g.setAttribute('aria-expanded', 'true'); g.querySelector('ul').hidden = false; return }}
  const item = e.target.closest('[role=treeitem]'), name = item === g ? 'Group' : item.textContent;
  picked.push(name); b.textContent = name; t.hidden = true; b.setAttribute('aria-expanded', 'false') }}</script>"""
SIGNS = {
    "button": "<button class=x-toggle tabindex=-1><svg width=10 height=10><path d='M0 0h9v9z'/></svg></button>",
    "drawn": "<span class=x-toggle style='display:inline-block;width:12px;height:12px;background:#999'></span>",
}


@pytest.mark.parametrize("sign", [*SIGNS])
async def test_an_item_is_opened_and_not_picked_on_the_way_to_one_in_it(session: PageSession, sign: str) -> None:
    await session.page.set_content(UNITS.replace("SIGN", SIGNS[sign]))
    told = await do(session, PickOption(target=at("Unit"), option="Group > Finance"))
    assert (told.code, told.effect) == ("ok", ValueSet(value="Finance"))
    assert await session.page.evaluate("[picked.join(), open.length]") == ["Finance", 1]


async def test_an_item_that_is_not_in_it_leaves_the_field_as_it_was(session: PageSession) -> None:
    await session.page.set_content(UNITS.replace("SIGN", SIGNS["button"]))
    told = await do(session, PickOption(target=at("Unit"), option="Group > Sales"))
    assert (told.code, told.effect) == ("no_such_option", None)
    assert '"Finance", "Audit"' in told.message
    assert await session.page.evaluate("[picked.join(), b.textContent]") == ["", "None"]
