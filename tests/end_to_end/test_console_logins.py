"""A login is recorded in the browser alone, without scripts, and a page behind it is pointed at with it."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.async_api import expect

from services.console.web.web_server import serve_console
from shared.host.connections import open_client
from shared.testing.settings import isolated_settings
from tests.end_to_end.login_desk import PASSWORD, Desk
from tests.end_to_end.page_barriers import barriers_of
from tests.end_to_end.page_checks import cut_off, out_of_reach
from tests.end_to_end.pointed_pages import opened_pointing
from tests.practice_sites.site_browser import a_browser

WRONG = "not-this-one-83"


async def test_a_login_is_recorded_and_opens_a_page_that_is_pointed_at(tmp_path: Path):
    settings = isolated_settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state", planner="rules")
    with Desk() as site:
        ticket = f"{site.url}/tickets/T-7"
        async with (
            open_client(settings, ("browser_pool", "evidence")) as client,
            serve_console(client, settings, 0) as way_in,
            a_browser() as browser,
        ):
            page, asked = await opened_pointing(browser, way_in, ticket)
            base = way_in.partition("/enter")[0]
            await page.keyboard.press("Enter")
            await expect(page.get_by_role("alert")).to_contain_text("record one (Settings, Login states)")
            await page.get_by_role("link", name="Record one").click()
            await page.get_by_label("The address of its sign-in page").fill(site.url)
            await page.get_by_label("Name of the login state").fill("../desk")
            await page.keyboard.press("Enter")
            await expect(page.get_by_role("alert")).to_contain_text("cannot be the name of a login state")
            await page.get_by_label("Name of the login state").fill("desk")
            await page.keyboard.press("Enter")

            await expect(page.locator(".point-number")).to_have_count(3)
            await page.get_by_label("User").fill("ann")
            await page.get_by_label("Password").fill(WRONG)
            await page.get_by_role("button", name="3 Sign in").click()
            await expect(page.get_by_label("Password")).to_have_value("")
            await page.get_by_role("button", name="Record it as desk").click()
            await expect(page.get_by_role("alert")).to_contain_text("the page still asks for a password")
            await page.get_by_label("User").fill("ann")
            await page.get_by_label("Password").fill(PASSWORD)
            await page.keyboard.press("Enter")
            await expect(page.get_by_text("The page shows no field.")).to_be_visible()

            with_scripts = await browser.new_context(storage_state=await page.context.storage_state())
            looked = await with_scripts.new_page()
            await looked.goto(page.url)
            assert await barriers_of(looked) == []
            assert await out_of_reach(looked) == []
            await looked.set_viewport_size({"width": 390, "height": 844})
            assert await cut_off(looked) == []

            await page.get_by_role("button", name="Record it as desk").click()
            await expect(page.get_by_role("group", name="Login states").get_by_role("row")).to_have_count(2)
            await page.goto(f"{base}/specs")
            await page.get_by_label("Its address").fill(ticket)
            await page.get_by_label("Login state").fill("desk")
            await page.keyboard.press("Enter")
            await expect(page.locator(".point-list")).to_contain_text("Ann")
            assert [url for url in asked if not url.startswith(base)] == []
    state = json.loads((settings.state_dir / "auth/desk.json").read_bytes())
    assert [one["name"] for one in state["cookies"]] == ["who"]
    assert {one.partition(":")[0] for one in state["hosts"]} == {"127.0.0.1"}
    kept = [one for one in tmp_path.rglob("*") if one.is_file() and WRONG.encode() in one.read_bytes()]
    assert kept == [], "what was typed is kept nowhere"
