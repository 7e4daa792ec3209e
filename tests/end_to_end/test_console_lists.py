"""From the page of a list to a run over its items, in the browser alone and without scripts."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.async_api import Page, expect

from practice.people.server import serve
from services.console.web.web_server import serve_console
from shared.client import connect
from shared.settings import Settings
from tests.end_to_end.conftest import System
from tests.end_to_end.page_barriers import barriers_of
from tests.end_to_end.page_checks import cut_off, out_of_reach
from tests.end_to_end.pointed_pages import opened_pointing
from tests.practice_sites.site_browser import a_browser

COMPANY, PEOPLE = "halden-pryce", 35
"""As many as its page says: "35 people work here"."""
FIRST, SECOND, THIRD = "Yusuf Moreau", "Chidi Thackeray", "Elif Valdés"


async def test_a_list_is_pointed_at_and_its_items_are_run(system: System, tmp_path: Path):
    settings = Settings(evidence_dir=system.evidence, nats_url=system.url, state_dir=tmp_path / "state")
    async with (
        serve() as site,
        connect(system.url) as client,
        serve_console(client, settings, 0) as way_in,
        a_browser() as browser,
    ):
        page, asked = await opened_pointing(browser, way_in, f"{site}/companies/{COMPANY}/people")
        base = way_in.partition("/enter")[0]
        await page.get_by_role("button", name="It is a list").click()
        await page.wait_for_url("**/list")

        await press_on_picture(page, FIRST)
        await expect(page.get_by_role("heading", name="Now another item")).to_be_visible()
        await in_list(page, SECOND).focus()
        await page.keyboard.press("Enter")
        await expect(page.locator(".point-item")).to_have_count(20)
        await expect(page.locator(".list-facts")).to_contain_text("leads to its next page")
        await page.get_by_role("button", name="Read all of it").click()
        found = page.locator("#found")
        await expect(found).to_contain_text("The list is complete.")
        await expect(found.locator("tbody tr")).to_have_count(PEOPLE)

        await page.locator(".list-settle summary").click()
        await page.get_by_label("Only the first").fill("3")
        await page.get_by_role("button", name="Read all of it again").click()
        await expect(found.locator("tbody tr")).to_have_count(3)
        await looked_at(page)

        await page.get_by_role("button", name="Point at a record of it").click()
        await page.wait_for_url(re.compile(r"/specs/[^/]+$"))
        await in_list(page, FIRST).first.click()
        await expect(page.locator("#name")).to_have_value("title")
        await page.get_by_role("button", name="Take it").click()
        await page.get_by_label("title, and each row has its own address").check()
        await page.get_by_role("button", name="This proves it").click()
        await page.get_by_role("button", name="Try them").click()
        await expect(page.locator(".tried").filter(has_text="all read, and the record proven")).to_have_count(2)
        await page.get_by_label("Name of the task, and of its flow").fill("pointed_people")
        await page.get_by_role("button", name="Save both, and run it for all items").click()
        await page.wait_for_url("**/new/*")
        await page.get_by_role("button", name="Find them, and do the task for each").click()
        await page.wait_for_url("**/runs/*")

        ended = await client.result(page.url.rpartition("/")[2])
        assert ended.population_complete
        assert [(one.status, one.samples) for one in ended.outcomes] == [("done", 3)]
        await expect(page.get_by_role("link", name="papers and seal")).to_be_visible()  # the page has refreshed itself
        for name in (FIRST, SECOND, THIRD):
            await expect(page.locator("main")).to_contain_text(name)
        await page.get_by_role("link", name="Run it again").click()
        await page.get_by_role("button", name="Look at it").click()
        await expect(page.get_by_role("button", name="Find them, and do the task for each")).to_be_visible()
        assert [url for url in asked if not url.startswith(base)] == []


def in_list(page: Page, text: str):
    """Return what the page shows with this text, in the list of all that it shows."""
    return page.locator(".point-list a").filter(has_text=re.compile(rf"^\s*{text}\s*$"))


async def press_on_picture(page: Page, text: str) -> None:
    """Press on the box of a text, where a person would: its place is that of the entry in the list."""
    href = str(await in_list(page, text).get_attribute("href")).partition("#")[0]
    await page.locator(f'.point-picture a[href^="{href}#"]').click()


async def looked_at(page: Page) -> None:
    """Look at the page as somebody with scripts and a small dark screen does: it has no barrier."""
    browser = page.context.browser
    assert browser is not None
    context = await browser.new_context(storage_state=await page.context.storage_state(), color_scheme="dark")
    looked = await context.new_page()
    await looked.goto(page.url)
    assert await barriers_of(looked) == []
    assert await out_of_reach(looked) == []
    for width in (640, 390):
        await looked.set_viewport_size({"width": width, "height": 844})
        assert await cut_off(looked) == []
