"""The way of a new auditor, in a browser alone: from nothing to a signed-off run of records of an app that is not ours.

It is what the first chapter of docs/console.md tells. Each value of the signed table is compared with the app's own
database.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from decimal import Decimal
from pathlib import Path

import pytest
from openpyxl import load_workbook
from playwright.async_api import Page, expect

from services.console.text.seal_words import OK_TEXT
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.verify.verify_run import check_run
from shared.settings import Settings
from tests.end_to_end.command_line import System
from tests.practice_sites.site_browser import a_browser
from tests.real.apps.app import RealApp, as_text, real_app

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]  # the app is fetched

BOUND_MS = 60_000
PILOT, RECORDS = 3, 20
TASK = "asset_register"
FIELDS = ("tag", "name", "condition", "holder", "price", "bought_on")
CORRECTED, RIGHT, WHY = "A-0012", "1.00", "The invoice has another price"


async def test_a_new_auditor_goes_from_nothing_to_a_signed_off_run(tmp_path: Path):
    with System(tmp_path) as system:
        async with real_app("sqladmin", tmp_path / "app") as app, a_browser() as browser:
            context = await browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
            page = await context.new_page()
            page.set_default_timeout(BOUND_MS)
            expect.set_options(timeout=BOUND_MS)
            said: list[str] = []
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            await page.goto(system.way_in())
            await point_at_values(page, app)
            await learn(page, app)
            await run_three_and_then_the_rest(page, app)
            await decide_and_sign(page, app)
            received = await hand_over(page, tmp_path)
            assert said == []
    assert_table_is_that_of_the_app(received / "evidence.zip", app)
    settings = Settings(evidence_dir=received, state_dir=tmp_path / "state")
    with open_source(settings, received / "evidence.zip") as medium:
        assert check_run(medium, None).problems == []


async def point_at_values(page: Page, app: RealApp) -> None:
    """Open the page of the first record, press its values on the picture, and say which one proves it."""
    first = next(iter(app.truth.records.values()))
    await page.get_by_role("link", name="New run").first.click()
    await page.get_by_role("link", name="Point at what is to be read").click()
    await page.get_by_label("Its address").fill(app.url + first.path)
    await page.get_by_role("button", name="Open it").click()
    await page.wait_for_url("**/specs/*")
    for number, name in enumerate(FIELDS, 1):
        await press(page, as_text(first.values[name]))
        await expect(page.locator("#name")).to_have_value(name)
        if name == "holder":
            await page.get_by_label("Some records have none").check()
        await page.get_by_role("button", name="Take it").click()
        await expect(page.locator(".point-fields li")).to_have_count(number)
    await page.get_by_label("tag, and each row has its own address").check()
    await page.get_by_role("button", name="This proves it").click()


async def press(page: Page, text: str) -> None:
    """Press on the box of a text on the picture."""
    entry = page.locator(".point-list a").filter(has_text=re.compile(rf"{re.escape(text)}\s*$")).first
    href = str(await entry.get_attribute("href")).partition("#")[0]
    await page.locator(f'.point-picture a[href="{href}#at"]').click()


async def learn(page: Page, app: RealApp) -> None:
    """Try three other records, say that their values are right, and learn a flow of them."""
    rows = app.rows()
    await page.get_by_label("other rows").fill("\n".join(",".join(row.values()) for row in rows[1:4]))
    await page.get_by_role("button", name="Try them").click()
    tried = page.locator(".tried")
    await expect(tried).to_have_count(3)
    for number, row in enumerate(rows[1:4]):
        await expect(tried.nth(number)).to_contain_text("all read, and the record proven")
        for name in FIELDS:
            await expect(tried.nth(number)).to_contain_text(as_text(app.truth.records[row["tag"]].values[name]))
    await page.get_by_label("I have looked at each value").check()
    await page.get_by_label("Name of the task, and of its flow").fill(TASK)
    await page.get_by_role("button", name="Learn a flow").click()
    await expect(page.locator("#flow")).to_contain_text("It has a flow")
    await page.get_by_role("button", name="Save the spec, and give it rows").click()


async def run_three_and_then_the_rest(page: Page, app: RealApp) -> None:
    """Paste the rows, run three, look at them, and run the others."""
    rows = app.rows()[: PILOT + RECORDS + len(app.truth.missing)]
    table = "\n".join("\t".join(row.values()) for row in ({"tag": "tag", "url": "url"}, *rows))
    await page.get_by_label("Pasted").fill(table)
    await page.get_by_role("button", name="Take these rows").click()
    await page.get_by_role("button", name="Try 3 rows first").click()
    await ended(page)
    await expect(page.locator('[data-count="done"]')).to_have_text(str(PILOT))
    await page.get_by_role("link", name="run the rest").click()
    await page.get_by_role("button", name=f"Run the other {len(rows) - PILOT} rows").click()
    await ended(page)
    await expect(page.locator('[data-count="done"]')).to_have_text(str(RECORDS))
    await expect(page.locator('[data-count="failed"]')).to_have_text(str(len(app.truth.missing)))
    others = len(rows) - PILOT
    told = f"worked on {others} of {others}{RECORDS} of them done by it alone; no model was asked"
    await expect(page.locator(".facts")).to_contain_text(told)


async def ended(page: Page) -> None:
    """Wait on the page of a run, without a hand on it, until it shows how the run has ended."""
    await page.wait_for_url("**/runs/*")
    await expect(page.get_by_role("link", name="papers and seal")).to_be_visible()


async def decide_and_sign(page: Page, app: RealApp) -> None:
    """Make a key, accept that the missing records are not there, correct a value, and sign."""
    run = page.url
    await page.locator('[data-fact="review"]').click()
    await page.get_by_role("button", name="Make a key").click()
    await page.get_by_role("link", name="open samples with the same reason as one").click()
    await page.get_by_label("Why (need not be said)").fill("The register has no such asset")
    await page.locator("form").filter(has=page.get_by_role("button", name="Accept")).get_by_label("I mean all").check()
    await page.get_by_role("button", name=f"Accept {len(app.truth.missing)}").click()
    await expect(page.locator('[data-fact="decided"]')).to_have_text("2 of 2 samples")
    await page.goto(run)
    await page.get_by_role("link", name=CORRECTED, exact=True).click()
    await page.get_by_role("link", name="review it").click()
    await page.get_by_text("All of the sample that can be decided").click()
    await page.locator("details.others a").filter(has_text=f"{CORRECTED}.price").click()
    await expect(page.locator("#case-title")).to_have_text(f"{CORRECTED}.price")
    await page.locator("summary").filter(has_text="Correct").click()
    await page.get_by_label("The right value").fill(RIGHT)
    await page.locator("#correct").get_by_label("Why", exact=True).fill(WHY)
    await page.locator("#correct").get_by_role("button").click()
    await expect(page.locator(".decisions")).to_contain_text(f"Corrected to {RIGHT}")
    await page.get_by_role("button", name="Sign").click()
    await page.get_by_role("button", name="Sign", exact=True).click()
    await expect(page.get_by_text("It is signed off")).to_be_visible()


async def hand_over(page: Page, folder: Path) -> Path:
    """Check the seal, and return a folder with what was downloaded."""
    await page.get_by_role("link", name="papers and seal").click()
    await page.get_by_role("button", name="Check the seal").click()
    await expect(page.locator(".verdict")).to_have_text(f"OK: {OK_TEXT}")
    received = folder / "received"
    for title, name in (("Workpaper", "workpaper.zip"), ("PDF pack", "pack.pdf"), ("Evidence", "evidence.zip")):
        async with page.expect_download() as downloading:
            await page.get_by_role("link", name=f"Download {title}").click()
        await (await downloading.value).save_as(received / name)
    assert (received / "pack.pdf").read_bytes().startswith(b"%PDF-")
    with zipfile.ZipFile(received / "workpaper.zip") as packed:
        [book] = [name for name in packed.namelist() if "/" not in name]
        assert "Sign-off" in load_workbook(io.BytesIO(packed.read(book))).sheetnames
    return received


def assert_table_is_that_of_the_app(evidence: Path, app: RealApp) -> None:
    """Compare each value of the signed table with the app's database. The flow has read them all, and no model."""
    with zipfile.ZipFile(evidence) as packed:
        [name] = [name for name in packed.namelist() if re.fullmatch(r"[^/]+/combined\.csv", name)]
        rows = {row["sample_id"]: row for row in csv.DictReader(io.StringIO(packed.read(name).decode()))}
    asked = [row["tag"] for row in app.rows()[PILOT : PILOT + RECORDS + len(app.truth.missing)]]
    assert sorted(rows, key=lambda tag: int(rows[tag]["row"])) == asked
    for tag, row in rows.items():
        assert (row["decided_by"], row["llm_calls"], row["wrong_type"]) == ("flow", "0", ""), tag
        assert row["signed_off_at"] != "", tag
        if tag in app.truth.missing:
            assert (row["status"], row["reason"], row["decision"]) == ("failed", "not_found", "accept")
            continue
        assert row["status"] == "done", tag
        values = app.truth.records[tag].values
        assert Decimal(row["price"]) == Decimal(as_text(values["price"])), tag
        texts = [name for name in FIELDS if name != "price"]
        assert [row[name] for name in texts] == [as_text(values[name]) for name in texts], tag
    corrected = rows[CORRECTED]
    assert (corrected["decision"], corrected["reviewed_value"]) == ("correct", f'{{"price":"{RIGHT}"}}')
