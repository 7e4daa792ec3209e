"""The site over HTTP and in a real browser."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import urllib.error
import urllib.request
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Playwright, async_playwright, expect

from practice.tickets.data import Ticket, ground_truth, shown_date
from practice.tickets.server import serve
from shared.settings import Settings
from tests.practice_sites.site_browser import run_as_program

pytestmark = pytest.mark.asyncio(loop_scope="module")
TICKETS = ground_truth()
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url() -> AsyncGenerator[str]:
    async with serve(latency_ms=20, missing={"TCK-1240"}) as base_url:
        yield base_url


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncGenerator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=_browser_path(playwright), args=["--no-sandbox"])
        yield browser
        await browser.close()


def _browser_path(playwright: Playwright) -> str | None:
    """The one that is set, else Playwright's own (None), else one found on the machine."""
    if Settings().chromium is not None:
        return str(Settings().chromium)
    own = Path(playwright.chromium.executable_path)
    return None if own.exists() else next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser) -> AsyncGenerator[Page]:
    context = await browser.new_context(viewport={"width": 1280, "height": 900})
    yield await context.new_page()
    await context.close()


async def get(address: str) -> tuple[int, str]:
    """Status and text of one request, made off the loop that serves it."""

    def ask() -> tuple[int, str]:
        try:
            with urllib.request.urlopen(address, timeout=10) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    return await asyncio.to_thread(ask)


async def get_json(address: str) -> tuple[int, dict[str, Any]]:
    status, text = await get(address)
    return status, json.loads(text)


# --- over HTTP


@pytest.mark.parametrize("path", ["/", "/tickets", "/tickets?page=2", "/tickets/TCK-1001", "/tickets/TCK-9001"])
async def test_every_page_is_the_same_shell_without_any_data(url: str, path: str):
    status, html = await get(url + path)
    assert status == 200
    assert "app.js" in html
    assert "TCK-" not in html


async def test_an_address_of_nothing_is_404(url: str):
    assert (await get(url + "/no/such/page"))[0] == 404


async def test_a_ticket_as_json_is_the_ground_truth(url: str):
    status, ticket = await get_json(url + "/api/tickets/TCK-1002")
    assert status == 200
    assert ticket["number"] == "TCK-1002"
    assert ticket["title"] == TICKETS[1].title
    assert ticket["assignee"] == TICKETS[1].assignee
    assert ticket["due_date"] == (TICKETS[1].due_date.isoformat() if TICKETS[1].due_date else None)
    assert [other["number"] for other in ticket["related"]] == list(TICKETS[1].related)


@pytest.mark.parametrize("number", ["TCK-9001", "TCK-1240", "tck-1001", "1001"])
async def test_a_ticket_that_is_not_there_is_an_error_of_the_api(url: str, number: str):
    status, answer = await get_json(f"{url}/api/tickets/{number}")
    assert status == 404
    assert answer.keys() == {"error"}


async def test_the_pages_of_the_list_hold_every_ticket_once(url: str):
    pages = [(await get_json(f"{url}/api/tickets?page={number}"))[1] for number in range(1, 13)]
    assert {(page["pages"], page["total"]) for page in pages} == {(12, 239)}
    assert [len(page["tickets"]) for page in pages] == [20] * 11 + [19]
    numbers = [ticket["number"] for page in pages for ticket in page["tickets"]]
    assert numbers == [ticket.number for ticket in TICKETS[:239]]


@pytest.mark.parametrize("number", ["0", "13", "-1", "two", "", "9999999999999999"])
async def test_a_page_of_the_list_that_is_not_there_is_404(url: str, number: str):
    assert (await get(f"{url}/api/tickets?page={number}"))[0] == 404


async def test_pages_of_gone_tickets_can_be_404():
    async with serve(latency_ms=0, missing={"TCK-1003"}, missing_status=404) as base_url:
        assert (await get(base_url + "/tickets/TCK-1003"))[0] == 404
        assert (await get(base_url + "/tickets/TCK-1004"))[0] == 200


async def test_another_seed_is_another_site():
    async with serve(latency_ms=0, seed=8) as base_url:
        _, ticket = await get_json(base_url + "/api/tickets/TCK-1001")
    assert ticket["title"] == ground_truth(8)[0].title


async def test_a_port_in_use_is_an_error_and_a_closed_site_does_not_listen():
    async with serve(latency_ms=0) as base_url:
        port = int(base_url.rpartition(":")[2])
        with pytest.raises(OSError, match=r"in use"):
            await serve(port).__aenter__()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


async def test_as_a_program_it_prints_its_address_and_ends_with_ctrl_c():
    assert await run_as_program("practice.tickets", "--latency-ms", "0") == (200, 0, b"", b"")


# --- in a browser


def _of_kind(*, assigned: bool, dated: bool) -> Ticket:
    return next(
        ticket for ticket in TICKETS if (ticket.assignee is not None, ticket.due_date is not None) == (assigned, dated)
    )


@pytest.mark.parametrize(("assigned", "dated"), [(True, True), (True, False), (False, True), (False, False)])
async def test_a_ticket_page_fills_with_the_ground_truth(url: str, page: Page, assigned: bool, dated: bool):
    ticket = _of_kind(assigned=assigned, dated=dated)
    await page.goto(f"{url}/tickets/{ticket.number}")
    await expect(page.get_by_role("heading", level=1)).to_have_text(ticket.title)
    names = await page.locator("dt").all_inner_texts()
    values = await page.locator("dd").all_inner_texts()
    shown = dict(zip(names, values, strict=True))
    assert shown["Ticket number"] == ticket.number
    assert shown["Status"] == ticket.status
    assert shown["Priority"] == ticket.priority
    assert shown["Assignee"] == (ticket.assignee or "Unassigned")
    assert shown["Due date"] == (shown_date(ticket.due_date) if ticket.due_date else "No due date")
    assert shown["Reporter"] == ticket.reporter
    body = await page.locator("article").inner_text()
    assert all(text in body for text in (*ticket.description, *(comment.text for comment in ticket.comments)))
    assert "Previous assignee: " in body


async def test_a_page_shows_a_skeleton_until_its_data_comes(url: str, page: Page):
    let_go = asyncio.Event()

    async def hold(route: Any) -> None:
        await let_go.wait()
        await route.continue_()

    await page.route("**/api/**", hold)
    await page.goto(f"{url}/tickets/TCK-1001")
    await expect(page.get_by_text("Loading…")).to_have_count(1)
    await expect(page.get_by_role("main")).to_have_attribute("aria-busy", "true")
    let_go.set()
    await expect(page.get_by_role("heading", level=1)).to_have_text(TICKETS[0].title)
    await expect(page.get_by_text("Loading…")).to_have_count(0)
    await expect(page.get_by_role("main")).not_to_have_attribute("aria-busy", "true")


@pytest.mark.parametrize("button", ["Reject all", "Accept all"])
async def test_the_cookie_banner_stays_away_once_it_is_answered(url: str, page: Page, button: str):
    await page.goto(f"{url}/tickets/TCK-1001")
    banner = page.get_by_role("dialog", name="Cookies on Fieldnotes")
    await expect(banner).to_be_visible()
    await banner.get_by_role("button", name=button).click()
    await expect(banner).to_have_count(0)
    await page.reload()
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await expect(banner).to_have_count(0)


@pytest.mark.parametrize("number", ["TCK-9001", "TCK-1240"])
async def test_a_ticket_that_is_not_there_is_said_to_be_not_found(url: str, page: Page, number: str):
    response = await page.goto(f"{url}/tickets/{number}")
    assert response is not None
    assert response.status == 200
    await expect(page.get_by_role("heading", level=1)).to_have_text("Ticket not found")
    await expect(page.locator("dl")).to_have_count(0)


async def test_the_list_turns_its_pages_up_to_the_last(url: str, page: Page):
    await page.goto(f"{url}/tickets?page=11")
    await page.get_by_role("button", name="Reject all").click()
    await page.get_by_role("link", name="Next", exact=True).click()
    await expect(page.get_by_text("239 tickets, page 12 of 12")).to_be_visible()
    await expect(page.locator("tbody tr")).to_have_count(19)
    await expect(page.get_by_role("link", name="Next", exact=True)).to_have_count(0)
