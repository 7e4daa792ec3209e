"""From an address to a run, in the browser alone: a spec by pointing, without scripts, and tried on other records."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.async_api import Locator, Page, expect

from practice.tickets.data import ground_truth
from services.console.web.web_server import serve_console
from shared.client import connect
from shared.settings import Settings
from tests.end_to_end.conftest import System
from tests.end_to_end.page_barriers import barriers_of
from tests.end_to_end.page_checks import cut_off, out_of_reach
from tests.end_to_end.pointed_pages import opened_pointing
from tests.practice_sites.site_browser import a_browser

TICKETS = ground_truth()
POINTED = next(one for one in TICKETS if one.assignee and one.due_date)
WITHOUT_DATE = next(one for one in TICKETS if one.assignee and not one.due_date)
WITH_ALL = next(one for one in TICKETS if one.assignee and one.due_date and one is not POINTED)


async def test_a_spec_is_made_by_pointing_tried_and_given_rows(system: System, tickets_url: str, tmp_path: Path):
    settings = Settings(evidence_dir=system.evidence, nats_url=system.url, state_dir=tmp_path / "state")
    async with connect(system.url) as client, serve_console(client, settings, 0) as way_in, a_browser() as browser:
        page, asked = await opened_pointing(browser, way_in, f"{tickets_url}/tickets/{POINTED.number}")
        base = way_in.partition("/enter")[0]
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/specs/*")

        await press_on_picture(page, "Ticket number")
        await expect(page.locator("#name")).to_have_value("ticket_number")
        await page.get_by_role("button", name="Take it").click()
        await expect(page.locator(".point-fields li")).to_have_count(1)
        await listed(page, "Due date").focus()
        await page.keyboard.press("Enter")
        await expect(page.locator("#type")).to_have_value("date")
        await page.locator("#name").press("Enter")
        await expect(page.locator(".point-fields li")).to_have_count(2)
        await expect(page.locator(".point-number")).to_have_count(2)
        address = f"{tickets_url}/tickets/{{ticket_number}}"
        await expect(page.locator("input[name=key]:checked + span")).to_contain_text(address)

        await page.get_by_label("other rows").fill(f"{WITH_ALL.number}\n{WITHOUT_DATE.number}")
        await page.get_by_role("button", name="Try them").click()
        first, second = page.locator(".tried").nth(0), page.locator(".tried").nth(1)
        await expect(first).to_contain_text("all read, and the record proven")
        await expect(first).to_contain_text(str(WITH_ALL.due_date))
        await expect(first.locator("svg rect")).to_have_count(2)
        await second.get_by_role("button", name="says that there is none").first.click()
        await page.get_by_role("button", name="Try them again").click()
        await expect(second).to_contain_text("all read, and the record proven")
        with_scripts = await browser.new_context(storage_state=await page.context.storage_state(), color_scheme="dark")
        looked = await with_scripts.new_page()
        await looked.goto(page.url)
        assert await barriers_of(looked) == []
        assert await out_of_reach(looked) == []
        await assert_stays_where_it_is(looked)
        await assert_says_that_it_tries(looked)
        await page.reload()  # what was tried is another trial now
        for width in (640, 390):
            await looked.set_viewport_size({"width": width, "height": 844})
            assert await cut_off(looked) == []

        await page.get_by_label("I have looked at each value").check()
        await page.get_by_label("Name of the task, and of its flow").fill("pointed_tickets")
        await page.get_by_role("button", name="Learn a flow").click()
        await page.locator("#flow").get_by_role("link", name="pointed_tickets").click()
        await expect(page.locator("main")).to_contain_text("prove_record")
        await page.go_back()
        await page.get_by_role("button", name="Save the spec, and give it rows").click()
        await page.wait_for_url("**/new/*")
        await expect(page.get_by_role("button", name="Run all 2 rows")).to_be_visible()
        assert (settings.state_dir / "console/specs/pointed_tickets.json").is_file()
        assert [url for url in asked if not url.startswith(base)] == []


def listed(page: Page, label: str) -> Locator:
    """Return the value under this label in the list of all that the page shows."""
    return page.locator(".point-list a:has(small)").filter(has_text=re.compile(rf"^\s*{label}"))


async def assert_stays_where_it_is(page: Page) -> None:
    """A press on the picture brings the form for a value, and the page stands where it stood."""
    await page.goto(page.url.partition("#")[0])
    await page.evaluate("scrollTo(0, 120)")
    address = await page.locator(".point-picture a").last.get_attribute("href")
    await page.locator(".point-picture a").last.dispatch_event("click", {"button": 0})
    await page.wait_for_url(lambda url: url.endswith(str(address).partition("#")[0]))
    await expect(page.locator("#naming")).to_be_visible()
    await page.wait_for_load_state()
    assert await page.evaluate("scrollY") == 120


async def assert_says_that_it_tries(page: Page) -> None:
    """What the button said while the rows were tried is kept for the next page: this one is on its way out."""
    await page.evaluate("""() => new MutationObserver(() => {
        const one = document.querySelector("[data-busy]:disabled");
        if (one) sessionStorage.setItem("said", one.textContent);
    }).observe(document.body, { subtree: true, childList: true, attributes: true })""")
    await page.get_by_role("button", name="Try them again").click()
    await page.wait_for_url("**#tried")
    assert await page.evaluate("sessionStorage.getItem('said')") == "Trying them …"


async def press_on_picture(page: Page, label: str) -> None:
    """Press on the box of a value, where a person would: its place is that of the entry in the list."""
    href = str(await listed(page, label).get_attribute("href")).partition("#")[0]
    await page.locator(f'.point-picture a[href="{href}#at"]').click()
