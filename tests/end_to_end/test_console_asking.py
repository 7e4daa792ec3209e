"""A sentence becomes a task in the browser, by keyboard alone: the page waits for the model, and goes on by itself."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Literal

from playwright.async_api import expect

from services.console.web.web_server import serve_console
from shared.host.connections import open_client
from shared.testing.settings import isolated_settings
from tests.end_to_end.held_site import STARTED_S
from tests.end_to_end.page_barriers import barriers_of
from tests.end_to_end.page_checks import cut_off, motion_of, out_of_reach
from tests.end_to_end.task_model import task_model
from tests.owners_task import owners_task
from tests.practice_sites.site_browser import a_browser

HOSTILE = '<img src=x onerror="document.title=1">\u202e{{7*7}}'
SPEC = owners_task(HOSTILE)
DRAFT = {
    "spec": SPEC,
    "samples": [{"number": "A-1"}, {"number": "A-2"}],
    "explanation": f"Reads {HOSTILE}",
    "open_questions": [f"Which {HOSTILE}?"],
}


async def test_a_sentence_becomes_a_task_by_keyboard_alone(tmp_path: Path):
    answers, said = threading.Event(), list[str]()
    with task_model(DRAFT, answers) as url:
        settings = isolated_settings(
            ANTHROPIC_API_KEY="key", ANTHROPIC_BASE_URL=url, evidence_dir=tmp_path / "evidence", state_dir=tmp_path
        )
        async with (
            open_client(settings, ("planner", "evidence")) as client,
            serve_console(client, settings, 0) as way_in,
            a_browser() as browser,
        ):
            page = await (await browser.new_context(color_scheme="dark")).new_page()
            page.set_default_timeout(STARTED_S * 1000)
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            base = way_in.partition("/enter")[0]
            await page.goto(way_in)
            await page.goto(f"{base}/new")
            await page.get_by_label("What is to be collected, and where").focus()
            await page.keyboard.type("Get the owner of the records A-1 and A-2 at host.example")
            await page.keyboard.press("Tab")
            await page.keyboard.press("Enter")
            await expect(page.get_by_role("heading", name="A task is being drafted")).to_be_visible()
            assert await barriers_of(page) == []
            answers.set()
            await expect(page.get_by_role("heading", name="owners")).to_be_visible()
            await expect(page.get_by_role("textbox", name="As JSON")).to_contain_text("host.example/records")
            assert await page.locator("main img[onerror]").count() == 0
            looks: tuple[tuple[Literal["dark", "light"], int], ...] = (("dark", 1280), ("light", 640), ("light", 390))
            for scheme, width in looks:
                await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                await page.set_viewport_size({"width": width, "height": 800})
                assert [*await barriers_of(page), *await cut_off(page), *await motion_of(page)] == []
            assert await out_of_reach(page) == []
            await page.reload()
            await page.get_by_role("button", name="Save it, and go on").press("Enter")
            await expect(page.get_by_role("button", name="Run all 2 rows")).to_be_visible()
            await page.go_back()
            await expect(page.get_by_role("heading", name="owners")).to_be_visible()
    assert said == []
