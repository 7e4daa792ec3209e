"""The demo's job as a hand-written Playwright script for this site: the peer of `make bench` and `make bench-flows`.

    python -m benchmarks.peer_playwright INPUT.csv OUT_DIR CONCURRENCY [store-page]

Per ticket: a new context, the banner rejected, the fields read by selectors of this site, a full-page screenshot hashed
and written; with ``store-page`` also the page as one file, as the system stores it. One CSV at the end. Prints the
seconds as JSON.
"""

from __future__ import annotations

import asyncio
import csv
import hashlib
import json
import os
import shutil
import sys
import time
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright

from services.browser_pool.adapters.browser.launch import find_browser
from shared.settings import Settings

FIELDS = {"assignee": "Assignee", "due_date": "Due date"}


async def ticket(browser: Browser, number: str, url: str, out: Path, store_page: bool) -> dict[str, str | None]:
    context = await browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    try:
        page = await context.new_page()
        await page.goto(url, wait_until="domcontentloaded")
        await page.get_by_role("button", name="Reject all").click()
        await page.locator("h1").first.wait_for()
        row: dict[str, str | None] = {"ticket_number": number}
        await page.wait_for_function("document.querySelector('dl dd') || /not found/i.test(document.body.innerText)")
        for name, label in FIELDS.items():
            value = page.locator(f"dt:text-is('{label}') + dd")
            row[name] = (await value.inner_text()).strip() if await value.count() else None
        image = await page.screenshot(full_page=True, animations="disabled")
        row["sha256"] = hashlib.sha256(image).hexdigest()
        (out / number).mkdir()
        (out / number / "01_ticket.png").write_bytes(image)
        if store_page:
            await _store_page(page, row, out / number / "01_ticket.mhtml")
        (out / number / "result.json").write_text(json.dumps(row))
        return row
    finally:
        await context.close()


async def _store_page(page: Page, row: dict[str, str | None], file: Path) -> None:
    session = await page.context.new_cdp_session(page)
    stored: str = (await session.send("Page.captureSnapshot", {"format": "mhtml"}))["data"]
    row["page_sha256"] = hashlib.sha256(stored.encode()).hexdigest()
    file.write_text(stored, encoding="utf-8", newline="")


async def main(samples: Path, out: Path, concurrency: int, store_page: bool) -> None:
    with samples.open(encoding="utf-8") as file:
        wanted = list(csv.DictReader(file))
    slots = asyncio.Semaphore(concurrency)
    async with async_playwright() as playwright:
        args = ["--no-sandbox"] if os.geteuid() == 0 else []
        executable = find_browser(Settings().chromium, Path(playwright.chromium.executable_path), shutil.which)
        browser = await playwright.chromium.launch(executable_path=executable, args=args)

        async def bounded(row: dict[str, str]) -> dict[str, str | None]:
            async with slots:
                return await ticket(browser, row["ticket_number"], row["url"], out, store_page)

        started_s = time.perf_counter()
        rows = await asyncio.gather(*(bounded(row) for row in wanted))
        with (out / "table.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, ["ticket_number", *FIELDS, "sha256", *["page_sha256"] * store_page])
            writer.writeheader()
            writer.writerows(rows)
        print(json.dumps({"seconds": time.perf_counter() - started_s, "samples": len(rows)}))
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), "store-page" in sys.argv[4:]))
