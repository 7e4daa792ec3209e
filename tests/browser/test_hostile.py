"""Hostile and unusual pages: nothing false is reported, and the session stays usable."""

from __future__ import annotations

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import Click, Goto, SelectOption, TypeText
from shared.contracts.results import NotSeen, ValueSet
from tests.browser.action_steps import at, do, shown
from tests.browser.site import Site


async def test_a_page_whose_script_never_ends_is_left(session: PageSession, site: Site) -> None:
    await do(session, Goto(url=site.add("/endless", "<button onclick='while (true);'>Go</button>")))
    clicked = await do(session, Click(target=at("Go")))
    assert (clicked.ok, clicked.code) == (False, "timeout")
    result = await do(session, Goto(url=site.add("/after", "<h1>After</h1>")))
    assert (result.ok, result.change.url_after) == (True, site.url + "/after")
    assert "did not answer" in result.message
    assert await shown(session, "h1") == "After"
    assert len(session.tabs.open_pages()) == 1


async def test_a_choice_that_is_taken_back_is_not_told_as_made(session: PageSession) -> None:
    await session.page.set_content(
        "<label>Size<select onchange='setTimeout(() => this.selectedIndex = 0, 20)'><option>S<option>M</select></label>"
    )
    result = await do(session, SelectOption(target=at("Size"), option="M"))
    assert (result.ok, result.code, result.effect) == (False, "effect_not_seen", ValueSet(value="S"))


async def test_text_that_is_taken_back_is_not_told_as_typed(session: PageSession) -> None:
    await session.page.set_content("<label>Name<input oninput='setTimeout(() => this.value = null, 20)'></label>")
    result = await do(session, TypeText(target=at("Name"), text="abc"))
    assert (result.ok, result.code, result.effect) == (False, "effect_not_seen", ValueSet(value=""))


async def test_a_check_box_that_stays_as_it_was_is_not_told_as_set(session: PageSession) -> None:
    await session.page.set_content("<label><input type=checkbox onclick='return false'>Agree</label>")
    assert (await do(session, Click(target=at("Agree")))).effect == NotSeen()
