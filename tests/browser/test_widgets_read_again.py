"""Values of widgets that scripts draw are found again in the stored files, without scripts and form state."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from services.browser_pool.adapters.browser.chromium import Chromium, PoolSession
from shared.contracts.actions import Goto
from shared.contracts.reperform import FAULTS
from tests.browser.action_steps import do
from tests.browser.site import LOOPBACK, Site
from tests.browser.stored_pages import read_all_again

HIDDEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)"
PAGE = f"""<!doctype html><title>Case 7</title><h1>Case 7</h1>
<div><label for=state>State</label> <select id=state style="{HIDDEN}" tabindex=-1 aria-hidden=true>
  <option value="">Pick</option><option>Open</option><option>Closed</option></select>
  <span><span role=combobox aria-expanded=false tabindex=0 aria-labelledby=state-shown>
  <button type=button tabindex=-1 title="Remove all items">&times;</button>
  <span id=state-shown role=textbox aria-readonly=true title=Closed>Closed</span></span></span></div>
<div><label for=region>Region</label>
  <div class=chooser role=combobox aria-expanded=false tabindex=0><div><select id=region hidden>
  <option value="">Pick</option><option>North</option></select><div><div class=item>North</div></div></div></div></div>
<div><label for=owner>Owner</label><div class=picked><div class=option>Lina Berg</div>
  <input id=owner role=combobox></div></div>
<div><label>Tags</label><div class=tags><span>urgent <button>Remove</button></span><span>export
  <button>Remove</button></span></div></div>
<div><label for=when>Due</label> <input type=hidden id=when><input class=shown></div>
<div><label for=kind>Kind</label> <select id=kind><option>Small</option><option>Large</option></select></div>
<div><label for=many>Parts</label> <select id=many multiple><option>a</option><option>b</option></select></div>
<label><input type=checkbox id=paid> Paid</label> <label><input type=radio name=r id=fast> Fast</label>
<div><label for=note>Note</label> <textarea id=note></textarea></div>
<script>
state.value = 'Closed'; region.value = 'North'; kind.value = 'Large'; many.options[1].selected = true;
paid.checked = true; fast.checked = true; note.value = 'typed by a script';
document.querySelector('.shown').value = 'March 10, 2026';
for (const one of document.querySelectorAll('.option, .tags span')) one.addEventListener('click', () => {{}});
</script>"""


@pytest_asyncio.fixture(loop_scope="session")
async def fresh(chromium: Chromium) -> AsyncIterator[PoolSession]:
    leased = await chromium.open_session(LOOPBACK)
    yield leased
    await leased.close()


async def test_every_text_of_scripted_widgets_is_found_again(session: PoolSession, fresh: PoolSession, site: Site):
    await do(session, Goto(url=site.add("/widgets", PAGE)))
    read = await read_all_again(session, fresh)
    assert {element.value for element, _ in read} >= {"North", "Large", "b", "March 10, 2026"}
    lost = [(element.role, one.recorded, one.verdict, one.message) for element, one in read if one.verdict in FAULTS]
    assert lost == []
