"""The report of a real run: every value from a page is marked on the screenshot of that page."""

from __future__ import annotations

import json
from pathlib import Path

from practice.tickets.data import ground_truth
from practice.tickets.demo import demo_numbers
from shared.host.services import run_embedded
from tests.practice_sites.site_browser import a_browser, a_page


async def test_the_report_marks_the_values_of_a_real_run(settings, ticket_spec, tickets_url):
    numbers = demo_numbers(ground_truth())[:3]
    rows = [{"ticket_number": number, "url": f"{tickets_url}/tickets/{number}"} for number in numbers]
    async with run_embedded(settings) as client:
        accepted = await client.submit(ticket_spec, rows=rows)
        finished = await client.result(accepted.run_id)
    report = Path(finished.report)
    assert report == Path(finished.location) / "report.html"

    async with a_browser() as browser, a_page(browser) as page:
        await page.goto(report.as_uri())
        assert await page.locator(".rows .c-id a").all_inner_texts() == numbers
        for number in numbers:
            await page.goto(f"{report.as_uri()}#sample={number}")
            await page.get_by_role("heading", name=number).wait_for()
            result = json.loads((report.parent / number / "result.json").read_text())
            marked = [name for name, field in result["fields"].items() if (field["source"] or {}).get("box")]
            shown = await page.locator(".stage [data-mark]").all_inner_texts()
            assert len(shown) == len(marked) > 0
            assert (
                await page.locator(".stage img").evaluate("image => image.decode().then(() => image.src)")
                == (report.parent / number / "01_ticket.png").as_uri()
            )
