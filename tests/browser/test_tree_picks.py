"""Options of a tree: one that holds others is opened by its own sign, for a press on it picks it."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import PickOption
from shared.contracts.results import ValueSet
from tests.browser.action_steps import POPUP, at, do

TREE = f"""<button id=b aria-haspopup=tree aria-expanded=false aria-label=Unit>None</button>
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
    await session.page.set_content(TREE.replace("SIGN", SIGNS[sign]))
    told = await do(session, PickOption(target=at("Unit"), option="Group > Finance"))
    assert (told.code, told.effect) == ("ok", ValueSet(value="Finance"))
    assert await session.page.evaluate("[picked.join(), open.length]") == ["Finance", 1]


async def test_an_item_that_is_not_in_it_leaves_the_field_as_it_was(session: PageSession) -> None:
    await session.page.set_content(TREE.replace("SIGN", SIGNS["button"]))
    told = await do(session, PickOption(target=at("Unit"), option="Group > Sales"))
    assert (told.code, told.effect) == ("no_such_option", None)
    assert '"Finance", "Audit"' in told.message
    assert await session.page.evaluate("[picked.join(), b.textContent]") == ["", "None"]
