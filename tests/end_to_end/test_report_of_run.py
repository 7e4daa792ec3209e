"""The report of a real run: every value from a page is marked on the screenshot of that page."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from practice.tickets.data import ground_truth
from practice.tickets.demo import demo_numbers
from shared.client.workflow_calls import create_workflow
from shared.evidence_format.files.flow import FlowFile
from shared.host.services import run_embedded
from shared.workflow_source.files import hash_of_version
from tests.end_to_end.flow_sources import READ_TICKET, TICKET_FILES
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


async def test_the_report_plays_back_what_a_flow_did(settings, ticket_spec, tickets_url, tmp_path, cli):
    settings = settings.model_copy(update={"workflows_dir": tmp_path / "workflows", "tools_dir": tmp_path / "tools"})
    number = demo_numbers(ground_truth())[0]
    spec = {**ticket_spec, "workflow": {"name": "read_ticket"}}
    async with run_embedded(settings) as client:
        await create_workflow(client.bus, "read_ticket", READ_TICKET, files=TICKET_FILES)
        rows = [{"ticket_number": number, "url": f"{tickets_url}/tickets/{number}"}]
        accepted = await client.submit(spec, rows=rows)
        finished = await client.result(accepted.run_id)
    report, folder = Path(finished.report), Path(finished.location) / number
    log = json.loads((folder / "action_log.json").read_text())
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

    assert cli.run("verify", finished.location).returncode == 0
    (folder / "flow.json").write_bytes((folder / "flow.json").read_bytes().replace(b"ticket", b"tickeT", 1))
    assert cli.run("verify", finished.location).returncode != 0
