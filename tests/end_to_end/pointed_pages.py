"""The pages on which a spec is made by pointing, opened as somebody without scripts opens them."""

from __future__ import annotations

from playwright.async_api import Browser, Page

from tests.end_to_end.held_site import STARTED_S

BOUND_MS = STARTED_S * 1000


async def opened_pointing(browser: Browser, way_in: str, address: str) -> tuple[Page, list[str]]:
    """Return a page with this address in the form that opens it, and the addresses that it asks for from now on."""
    page = await (await browser.new_context(java_script_enabled=False)).new_page()
    page.set_default_timeout(BOUND_MS)
    asked = list[str]()
    page.on("request", lambda one: asked.append(one.url))
    await page.goto(way_in)
    await page.goto(f"{way_in.partition('/enter')[0]}/new")
    await page.get_by_role("link", name="Point at what is to be read").click()
    await page.get_by_label("Its address").fill(address)
    return page, asked
