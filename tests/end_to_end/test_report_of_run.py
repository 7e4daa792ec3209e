"""The report of a real run: every value from a page is marked on the screenshot of that page."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec

from practice.tickets.demo import demo_numbers
from shared.contracts.evidence import RunFinished
from shared.evidence_format.files.flow import FlowFile
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.verify.verify_run import check_run
from shared.workflow_source.files import hash_of_version
from tests.end_to_end.finished_runs import logs_of, results_of
from tests.end_to_end.flow_sources import READ_TICKET
from tests.end_to_end.tickets import FULL, SOME
from tests.practice_sites.site_browser import a_browser, a_page


async def test_the_report_marks_the_values_of_a_real_run(tickets_run: RunFinished):
    report, results = Path(tickets_run.report), results_of(tickets_run)
    assert report == Path(tickets_run.location) / "report.html"

    async with a_browser() as browser, a_page(browser) as page:
        await page.goto(report.as_uri())
        assert await page.locator(".rows .c-id a").all_inner_texts() == demo_numbers(SOME)
        for number in demo_numbers(SOME)[:2]:
            await page.goto(f"{report.as_uri()}#sample={number}")
            await page.get_by_role("heading", name=number).wait_for()
            marked = [name for name, field in results[number]["fields"].items() if (field["source"] or {}).get("box")]
            shown = await page.locator(".stage [data-mark]").all_inner_texts()
            assert len(shown) == len(marked) > 0
            assert (
                await page.locator(".stage img").evaluate("image => image.decode().then(() => image.src)")
                == (report.parent / number / "01_ticket.png").as_uri()
            )


async def test_the_report_plays_back_what_a_flow_did(flow_run: RunFinished, tmp_path: Path):
    number = FULL[0].number
    report, folder, log = Path(flow_run.report), Path(flow_run.location) / number, logs_of(flow_run)[number]
    flow = msgspec.json.decode((folder / "flow.json").read_bytes(), type=FlowFile)
    assert flow.source == READ_TICKET
    assert {entry["flow"]["hash"] for entry in log if "flow" in entry} == {hash_of_version(flow.source, flow.files)}
    pressed = next(entry for entry in log if entry["action"] == "click")
    picture = f"step_{pressed['step']:03d}.jpg"
    assert (folder / picture).read_bytes()[:2] == b"\xff\xd8"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert {"flow.json", picture} <= {file["path"] for file in manifest["files"]}

    lines = READ_TICKET.splitlines()
    async with a_browser() as browser, a_page(browser) as page:
        refused: list[str] = []
        page.on("console", lambda message: refused.append(message.text))
        await page.goto(f"{report.as_uri()}#sample={number}")
        await page.get_by_role("button", name=f"Playback of {len(log)} steps").click()
        for entry in log:
            await page.get_by_text(f"Step {entry['step']} of {len(log)}").wait_for()
            here = await page.locator(".source-lines .here code").all_inner_texts()
            assert here == ([lines[entry["flow"]["line"] - 1]] if "flow" in entry else [])
            if entry is pressed:
                image = page.locator(".playback .stage img")
                assert (
                    await image.evaluate("image => image.decode().then(() => image.src)") == (folder / picture).as_uri()
                )
                on_page, area = entry["outcome"]["target"]["box"], entry["artifacts"][0]["artifact"]["area"]
                box, shown = await page.locator(".mark.target").bounding_box(), await image.bounding_box()
                assert box is not None
                assert shown is not None
                scale = shown["width"] / area["width"]
                assert abs(box["x"] - shown["x"] - (on_page["x"] - area["x"]) * scale) < 1
                assert abs(box["y"] - shown["y"] - (on_page["y"] - area["y"]) * scale) < 1
            await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Home")
        await page.get_by_text(f"Step 1 of {len(log)}").wait_for()
        await page.keyboard.press("Escape")
        await page.locator(".fields").wait_for()
        assert refused == []

    copy = Path(shutil.copytree(flow_run.location, tmp_path / "copy"))
    assert not check_run(FolderSource(copy), None).problems
    kept = copy / number / "flow.json"
    kept.write_bytes(kept.read_bytes().replace(b"ticket", b"tickeT", 1))
    assert check_run(FolderSource(copy), None).problems
