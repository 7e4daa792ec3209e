"""The ticket site under each kind of drift: other looks, same data."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from playwright.async_api import FrameLocator, Page, expect

from practice.drift import KNOWN, VARIABLE
from practice.tickets.data import ground_truth, shown_date
from practice.tickets.server import serve
from tests.practice_sites.site_browser import Visitor, hosts_asked

pytestmark = pytest.mark.asyncio(loop_scope="module")
TICKETS = ground_truth()
TICKET = next(ticket for ticket in TICKETS if ticket.assignee and ticket.due_date)
SWITCHES = [switch for switch in KNOWN if switch != "combobox"]
"""The site has no select that could become a combobox."""
RENAMED = {"Ticket number": "Reference", "Assignee": "Owner", "Due date": "Target date", "Status": "Stage"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url() -> AsyncGenerator[str]:
    async with serve(latency_ms=0) as base_url:
        yield base_url


async def _shown(place: Page | FrameLocator) -> list[tuple[str, str]]:
    """Labels and values of the ticket's own properties, in their order."""
    await expect(place.get_by_role("heading", level=1)).to_have_text(TICKET.title)
    own = place.locator("dl").first
    names, values = await own.locator("dt").all_inner_texts(), await own.locator("dd").all_inner_texts()
    return list(zip(names, values, strict=True))


@pytest.mark.parametrize("switch", SWITCHES)
async def test_every_switch_changes_the_page_and_none_what_it_says(url: str, page: Page, switch: str):
    assert TICKET.assignee
    assert TICKET.due_date
    address = f"{url}/tickets/{TICKET.number}"
    hosts = hosts_asked(page)
    await page.goto(address)
    plain = await _shown(page)
    before = await page.locator("body").inner_html()
    await page.goto(f"{address}?drift={switch}")
    shown = await _shown(page.frame_locator("iframe") if switch == "iframe" else page)
    assert await page.locator("body").inner_html() != before
    assert sorted(value for _, value in shown) == sorted(value for _, value in plain)
    label = {**{name: name for name in RENAMED}, **(RENAMED if switch == "rename" else {})}
    assert dict(shown)[label["Ticket number"]] == TICKET.number
    assert dict(shown)[label["Assignee"]] == TICKET.assignee
    assert dict(shown)[label["Due date"]] == shown_date(TICKET.due_date)
    assert hosts == {url.removeprefix("http://")}


async def test_another_order_is_another_order_on_every_page(url: str, page: Page):
    await page.goto(f"{url}/tickets/{TICKET.number}?drift=reorder")
    assert [name for name, _ in await _shown(page)][:3] == ["Status", "Assignee", "Reporter"]
    await page.goto(f"{url}/tickets")
    await expect(page.locator("tbody tr")).to_have_count(20)
    assert await page.locator("th").all_inner_texts() == ["Title", "Assignee", "Ticket", "Status", "Due date"]
    cells = await page.locator("tbody tr").first.locator("td").all_inner_texts()
    assert (cells[0], cells[2]) == (TICKETS[0].title, TICKETS[0].number)


async def test_other_names_leave_the_looks_as_they_are(url: str, page: Page):
    boxes = "[...document.querySelectorAll('h1, h2, dt, dd, a')].map(e => { const b = e.getBoundingClientRect();"
    boxes += " return [Math.round(b.x), Math.round(b.y), Math.round(b.width), getComputedStyle(e).color] })"
    await page.goto(f"{url}/tickets/{TICKET.number}")
    await _shown(page)
    plain = await page.evaluate(boxes)
    await page.goto(f"{url}/tickets/{TICKET.number}?drift=wrap")
    await _shown(page)
    assert await page.evaluate(boxes) == plain
    await expect(page.locator(".panel")).to_have_count(0)


async def test_the_dialog_comes_once(url: str, page: Page):
    await page.goto(f"{url}/tickets?drift=popup")
    dialog = page.get_by_role("dialog", name="Fieldnotes has learned something")
    await expect(dialog.get_by_role("button", name="Got it")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(dialog).to_have_count(0)
    await page.reload()
    await expect(page.locator("tbody tr")).to_have_count(20)
    await expect(dialog).to_have_count(0)


async def test_links_in_the_frame_turn_the_page(url: str, page: Page):
    await page.goto(f"{url}/tickets?drift=iframe")
    await page.get_by_role("button", name="Reject all").click()
    await page.frame_locator("iframe").get_by_role("link", name=TICKETS[0].title, exact=True).click()
    await expect(page).to_have_url(f"{url}/tickets/{TICKETS[0].number}")
    await expect(page.frame_locator("iframe").get_by_role("heading", level=1)).to_have_text(TICKETS[0].title)
    await expect(page.get_by_role("navigation", name="Main")).to_have_count(1)
    await expect(page.frame_locator("iframe").get_by_role("navigation", name="Main")).to_have_count(0)


async def test_look_alikes_stand_side_by_side_and_can_be_opened(url: str, page: Page):
    await page.goto(f"{url}/tickets?drift=lookalike")
    await expect(page.locator("tbody tr")).to_have_count(40)
    numbers = await page.locator("tbody td.col-number").all_inner_texts()
    assert numbers[:4] == ["TCK-1001", "TCK-10011", "TCK-1002", "TCK-10021"]
    await page.goto(f"{url}/tickets/{TICKET.number}")
    await _shown(page)
    decoy = page.locator("dl").nth(1)
    await expect(decoy.locator("dd").first).to_have_text(f"{TICKET.number}1")
    await page.goto(f"{url}/tickets/{TICKET.number}1")
    await expect(page.locator("dd").first).to_have_text(f"{TICKET.number}1")


async def test_a_look_alike_is_no_ticket_where_there_is_no_drift(url: str):
    visitor = Visitor(url)
    assert (await visitor.get("/api/tickets/TCK-10011")).status == 404
    assert (await visitor.get("/api/tickets/TCK-10011?drift=lookalike")).status == 200
    assert (await visitor.get("/api/tickets/TCK-10012")).status == 404


async def test_drift_that_does_not_exist_is_said_to_be_none(url: str):
    reply = await Visitor(url).get("/tickets?drift=renamed")
    assert reply.status == 400
    assert "lookalike" in reply.text


async def test_a_whole_site_can_drift_by_its_environment(url: str, monkeypatch: pytest.MonkeyPatch):
    assert "data-drift" not in (await Visitor(url).get("/tickets")).text
    monkeypatch.setenv(VARIABLE, "rename,wrap")
    assert 'data-drift="rename,wrap"' in (await Visitor(url).get("/tickets")).text
