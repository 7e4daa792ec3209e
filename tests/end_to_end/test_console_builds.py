"""A build session in the browser: begun there, worked in by two people, of whom one has no scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from playwright.async_api import Page, expect

from practice.tickets.data import ground_truth
from services.console.web.web_server import serve_console
from shared.client import connect
from shared.settings import Settings
from tests.end_to_end.conftest import System
from tests.end_to_end.held_site import STARTED_S
from tests.end_to_end.page_barriers import barriers_of
from tests.end_to_end.page_checks import cut_off, out_of_reach
from tests.end_to_end.typed_builds import SPEC, rows
from tests.practice_sites.site_browser import a_browser

BOUND_MS = STARTED_S * 1000


async def test_a_session_is_begun_in_the_browser_and_each_sees_what_the_other_does(
    system: System, tickets_url: str, tmp_path: Path
):
    settings = Settings(evidence_dir=system.evidence, nats_url=system.url, state_dir=tmp_path / "state")
    tickets = [one for one in ground_truth() if one.assignee and one.due_date][:2]
    given = Path(rows(tmp_path, tickets_url, [one.number for one in tickets]))
    ways: list[str] = []
    async with (
        connect(system.url) as client,
        serve_console(client, settings, 0, ways.append) as way_in,
        a_browser() as browser,
    ):
        page, said = await (await browser.new_context(color_scheme="dark")).new_page(), list[str]()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        other = await (await browser.new_context(java_script_enabled=False)).new_page()
        for one, way in ((page, way_in), (other, "")):
            one.set_default_timeout(BOUND_MS)
            await one.goto(way or ways[-1])
        await begin(page, way_in.partition("/enter")[0], given)
        await expect(page.locator(".todo")).to_have_count(3, timeout=BOUND_MS)
        await other.goto(page.url)

        await other.get_by_role("button", name="Open the start address").click()
        await do_line(other, 'click "Reject all"')
        await expect(page.locator(".todo").first.locator(".act-line")).to_have_count(2, timeout=BOUND_MS)
        await page.get_by_role("button", name="It is done").click()
        await page.get_by_role("button", name="Look at the page").click()
        assignee = page.locator(f'a.pick[data-words$="{tickets[0].assignee}"]').first
        await assignee.focus()
        await page.keyboard.press("Enter")
        await expect(page.locator("#chosen-element")).to_contain_text(str(tickets[0].assignee))
        await page.locator("#element-verb").select_option(label="read it as assignee")
        await page.get_by_text("The browser, live").click()
        await expect(page.locator("browser-now")).to_contain_text(f"{tickets_url}/tickets/", timeout=BOUND_MS)
        await reload_at_rest(other)
        picked = other.locator(f'a.pick[data-words$="{tickets[0].assignee}"]').first
        await other.goto(urljoin(page.url, str(await picked.get_attribute("href"))))  # as a press on it does
        await expect(other.locator("#element-ref")).to_have_value(str(await picked.get_attribute("data-ref")))
        assert await barriers_of(page) == []
        await other.locator("#say").fill("A remark of the other one.")
        await other.get_by_role("button", name="Say it").click()
        await expect(page.locator(".t-said").first).to_contain_text("A remark of the other one", timeout=BOUND_MS)
        await expect(page.locator("#element-ref")).to_have_value(str(await picked.get_attribute("data-ref")))
        await page.locator("form.element-form").get_by_role("button", name="Do it").click()
        await expect(page.locator(".read-value")).to_have_text(str(tickets[0].assignee), timeout=BOUND_MS)
        await page.locator("#say").fill("The due date is that of the ticket.")
        await page.get_by_role("button", name="Next row").click()  # it is refused, and what is being written stays
        await expect(page.locator(".t-refused")).to_contain_text("is not finished", timeout=BOUND_MS)
        await expect(page.locator("#say")).to_have_value("The due date is that of the ticket.")
        await page.get_by_role("button", name="Say it").click()
        await do_line(page, "screenshot ticket")
        boxed = page.locator(".act-line").filter(has_text="assignee").locator("svg rect")
        await expect(boxed).to_have_count(1, timeout=BOUND_MS)
        await reload_at_rest(other)
        await expect(other.locator(".t-said").last).to_contain_text("The due date is that of the ticket.")

        assert await barriers_of(page) == []
        await page.get_by_role("button", name="Close the session").click()
        await page.get_by_role("button", name="Go on with it").click(timeout=BOUND_MS)
        await expect(page.locator(".build-asked")).to_contain_text("How to get there?", timeout=BOUND_MS)
        await page.emulate_media(color_scheme="light")
        assert await barriers_of(page) == []
        assert await out_of_reach(page) == []
        for width in (640, 390):
            await page.set_viewport_size({"width": width, "height": 844})
            assert await cut_off(page) == []
        assert said == []
        await page.get_by_role("button", name="I go there by hand").click()
        await page.get_by_role("button", name="Close the session").click()
        await page.get_by_role("button", name="Go on with it").wait_for()


async def begin(page: Page, base: str, given: Path) -> None:
    """Begin a session with the spec and these rows."""
    await page.goto(f"{base}/new")
    file: Any = {"name": "spec.json", "mimeType": "application/json", "buffer": json.dumps(spec()).encode()}
    await page.locator('input[type="file"][name="spec"]').set_input_files(file)
    await page.get_by_label("A table").set_input_files(given)
    await page.get_by_role("button", name="Look at it").click()
    await page.get_by_role("button", name="Build a flow").click()
    await page.wait_for_url("**/builds/*")


def spec() -> dict[str, Any]:
    """The task of the tickets under a name of its own: another test of this system may have a flow of the task."""
    return {**json.loads(SPEC.read_text()), "task_id": "tickets_built_by_hand"}


async def reload_at_rest(page: Page) -> None:
    """Reload a page without scripts once it does not refresh itself any more: one would abort the other."""
    await expect(page.locator("meta[http-equiv=refresh]")).to_have_count(0)
    await page.reload()


async def do_line(page: Page, line: str) -> None:
    await page.locator("#line").fill(line)
    await page.locator("form", has=page.locator("#line")).get_by_role("button", name="Do it").click()
