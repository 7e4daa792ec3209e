"""Each practice site changes by each switch of drift, and shows the same values then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest
from playwright.async_api import FrameLocator, Page, Route, expect

from practice.code_host.data import ground_truth as world_of
from practice.code_host.server import serve as serve_code
from practice.drift import KNOWN, VARIABLE
from practice.hr_portal.server import serve as serve_hr
from practice.hr_portal.site import Options
from practice.people.data import ground_truth as everybody
from practice.people.server import serve as serve_people
from practice.tickets.data import ground_truth as tickets_of
from practice.tickets.server import serve as serve_tickets
from tests.practice_sites.site_browser import Visitor, hosts_asked

pytestmark = pytest.mark.asyncio(loop_scope="module")
SELECTS = {
    "code_host": "/harbourline/ledger-core/commits/main",
    "hr_portal": "/requests/new",
    "people": "/search?name=ma",
}
"""Pages with a select; tickets have none."""


@asynccontextmanager
async def record_page(site: str) -> AsyncGenerator[tuple[str, str]]:
    """Serve the site; yield its address, and the path of a page about one record."""
    if site == "tickets":
        async with serve_tickets(latency_ms=0) as url:
            yield url, f"/tickets/{next(one for one in tickets_of() if one.assignee and one.due_date).number}"
    elif site == "people":
        async with serve_people() as url:
            yield url, f"/in/{next(one for one in everybody() if one.current_company and one.school).slug}"
    elif site == "hr_portal":
        async with serve_hr(options=Options(latency_ms=0)) as url:
            yield url, "/employees/E-1003"
    else:
        async with serve_code(latency_ms=0) as origins:
            commit = next(one for one in world_of().repositories[0].commits if one.pull_request)
            yield origins.code, f"/harbourline/ledger-core/commit/{commit.sha}"


async def shown_pairs(place: Page | FrameLocator) -> list[tuple[str, str]]:
    """Return labels and values of the record itself, in order; look-alikes stand below it."""
    await expect(place.locator("dl dd").first).not_to_be_empty()
    await expect(place.locator(".loading")).to_have_count(0)  # a look-alike may stand there before the record
    own = place.locator("dl").first
    names, values = await own.locator("dt").all_inner_texts(), await own.locator("dd").all_inner_texts()
    return list(zip(names, values, strict=True))


@pytest.mark.parametrize("site", ["tickets", "people", "hr_portal", "code_host"])
async def test_every_switch_changes_the_page_and_none_what_it_says(page: Page, site: str):
    async with record_page(site) as (url, path):
        hosts = hosts_asked(page)
        await page.goto(f"{url}{path}")
        plain = await shown_pairs(page)
        before = await page.locator("body").inner_html()
        labels = {name for name, _ in plain}
        for switch in [one for one in KNOWN if one != "combobox"]:
            await page.goto(f"{url}{path}?drift={switch}")
            shown = await shown_pairs(page.frame_locator("iframe") if switch == "iframe" else page)
            assert await page.locator("body").inner_html() != before, switch
            assert sorted(value for _, value in shown) == sorted(value for _, value in plain), switch
            assert ({name for name, _ in shown} != labels) is (switch == "rename"), switch
            assert ([name for name, _ in shown] == [name for name, _ in plain]) is (switch not in ("rename", "reorder"))
        assert hosts == {urlsplit(url).netloc}


@pytest.mark.parametrize("site", list(SELECTS))
async def test_selects_become_comboboxes_that_have_the_same_options(page: Page, site: str):
    async with record_page(site) as (url, _):
        path = SELECTS[site]
        await page.goto(f"{url}{path}")
        select = page.locator("select").first
        await expect(select).to_be_enabled()
        options = await select.locator("option").all_inner_texts()
        await page.goto(f"{url}{path}{'&' if '?' in path else '?'}drift=combobox")
        await expect(page.locator("select")).to_have_count(0)
        box = page.locator("button[role=combobox], [role=combobox]:not(input)").first
        await expect(box).to_be_enabled()
        await box.click()
        await expect(page.get_by_role("option").last).to_be_visible()
        shown = await page.get_by_role("option").all_inner_texts()
        assert len(shown) > 1
        assert shown == options[-len(shown) :], "all but a first one that says what is to be chosen"


async def test_a_ticket_fills_once_its_data_comes_and_its_banner_goes_for_good(page: Page):
    let_go = asyncio.Event()

    async def hold(route: Route) -> None:
        await let_go.wait()
        await route.continue_()

    empty = next(one for one in tickets_of() if one.assignee is None and one.due_date is None)
    async with serve_tickets(latency_ms=0) as url:
        await page.route("**/api/**", hold)
        await page.goto(f"{url}/tickets/{empty.number}")
        await expect(page.get_by_text("Loading…")).to_have_count(1)
        await page.get_by_role("dialog", name="Cookies on Fieldnotes").get_by_role("button", name="Reject all").click()
        let_go.set()
        await expect(page.get_by_role("heading", level=1)).to_have_text(empty.title)
        shown = dict(await shown_pairs(page))
        assert (shown["Ticket number"], shown["Assignee"]) == (empty.number, "Unassigned")
        assert shown["Due date"] == "No due date"
        await page.goto(f"{url}/tickets/TCK-9001")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Ticket not found")
        await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_look_alikes_stand_beside_the_record_and_only_with_drift(page: Page):
    async with record_page("tickets") as (url, path):
        twin = f"/api{path}1"
        visitor = Visitor(url)
        assert [(await visitor.get(one)).status for one in (twin, f"{twin}?drift=lookalike")] == [404, 200]
        await page.goto(f"{url}{path}?drift=lookalike")
        await expect(page.locator("dl").nth(1).locator("dd").first).to_have_text(f"{path.rpartition('/')[2]}1")


async def test_links_in_a_frame_turn_the_page(page: Page):
    ticket = tickets_of()[0]
    async with serve_tickets(latency_ms=0) as url:
        await page.goto(f"{url}/tickets?drift=iframe")
        await page.get_by_role("button", name="Reject all").click()
        await page.frame_locator("iframe").get_by_role("link", name=ticket.title, exact=True).click()
        await expect(page).to_have_url(f"{url}/tickets/{ticket.number}")
        await expect(page.frame_locator("iframe").get_by_role("heading", level=1)).to_have_text(ticket.title)


async def test_a_dialog_comes_once(page: Page):
    async with serve_code(latency_ms=0) as origins:
        await page.goto(f"{origins.code}/harbourline/ledger-core?drift=popup")
        await expect(page.get_by_role("dialog").get_by_role("button", name="Not now")).to_be_focused()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await page.goto(f"{origins.code}/harbourline/ledger-core/pulls")
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_a_whole_site_drifts_by_its_environment_and_the_next_one_by_the_cookie(
    page: Page, monkeypatch: pytest.MonkeyPatch
):
    async with serve_code(latency_ms=0) as origins:
        ticket = next(one.ticket for one in world_of().repositories[0].pull_requests if one.ticket)
        await page.goto(f"{origins.code}/?drift=rename")
        await page.goto(f"{origins.tracker}/browse/{ticket}")
        await expect(page.get_by_text("Owner", exact=True)).to_be_visible()
        monkeypatch.setenv(VARIABLE, "rename")
        assert "Owner" in (await Visitor(origins.tracker).get(f"/browse/{ticket}")).text
