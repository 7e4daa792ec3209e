"""A flow whose pages have moved, in a real browser: pictures of what moved, the heal approved, the old one again."""

from __future__ import annotations

from getpass import getuser
from pathlib import Path
from typing import Any

from playwright.async_api import Page, expect

from services.console.web.web_server import serve_console
from shared.client import Client, connect
from shared.client.workflow_calls import load_history
from shared.contracts.workflows.library import WorkflowVersion
from shared.settings import Settings
from tests.end_to_end.conftest import Cli, System
from tests.end_to_end.held_site import STARTED_S
from tests.end_to_end.orders_site import OWNERS, OrdersSite
from tests.end_to_end.owner_tasks import owner_spec
from tests.end_to_end.page_barriers import barriers_of
from tests.end_to_end.page_checks import cut_off, motion_of, out_of_reach
from tests.practice_sites.site_browser import a_browser

BOUND_MS = STARTED_S * 1000
NAME = "moved_orders"


async def test_what_has_moved_is_shown_approved_and_rolled_back(online: Cli, system: System, tmp_path: Path):
    settings = Settings(evidence_dir=system.evidence, nats_url=system.url, state_dir=tmp_path / "state")
    with OrdersSite() as site:
        async with (
            connect(system.url) as client,
            serve_console(client, settings, 0) as way_in,
            a_browser() as browser,
        ):
            spec = owner_spec(NAME, f"{site.url}/orders") | {"required_artifacts": ["screenshot:order"]}
            rows = [{"number": f"O-{number}"} for number in range(len(OWNERS))]

            async def run() -> str:
                run_id = (await client.submit(spec, rows=rows)).run_id
                ended = await client.result(run_id)
                assert {one.status for one in ended.outcomes} == {"done"}
                return run_id

            compiled = online.run("compile", await run(), "--out", str(tmp_path / "flow"))
            assert compiled.returncode == 0, compiled.stdout + compiled.stderr
            site.reordered = True
            run_id = await run()
            context = await browser.new_context(java_script_enabled=False)
            page = await context.new_page()
            page.set_default_timeout(BOUND_MS)
            said: list[str] = []
            page.on("console", lambda message: said.append(message.text))
            await page.goto(way_in)
            base = way_in.partition("/enter")[0]

            await page.goto(f"{base}/flows/{NAME}")
            moved = page.get_by_role("row").filter(has_text=run_id)
            await expect(moved).to_contain_text(f"{len(OWNERS)} of {len(OWNERS)}")
            await moved.get_by_role("link", name=f"{len(OWNERS)} of {len(OWNERS)}").click()
            await check_pictures(page)
            await check_screen(page, await context.storage_state())
            await page.get_by_role("button", name="Approve …").click()
            await check_screen(page, await context.storage_state())
            await expect(page.locator(".changes").first).to_contain_text("field owner")
            await page.get_by_role("button", name="Approve", exact=True).click()
            await expect(page.get_by_role("heading", name="A heal of version")).to_be_visible(timeout=BOUND_MS)
            first, healed = await versions(client)
            assert healed.source_run == run_id
            await expect(
                page.get_by_text(f"The {len(OWNERS)} recorded samples below came out as before")
            ).to_be_visible()

            await page.get_by_role("link", name="use it again …").click()
            await page.get_by_role("button", name="Use it again").click()
            await expect(page.get_by_role("heading", name=NAME)).to_be_visible()
            assert (await versions(client))[-1].hash == first.hash
            assert (await load_history(client.bus, NAME))[-1].author == getuser()

            await page.goto(f"{base}/runs/{run_id}/drift")
            await expect(page.get_by_role("button", name="Approve …")).to_be_visible()
            assert said == []


async def check_screen(page: Page, state: Any) -> None:
    """The page is whole and without a barrier where it has scripts, small, large, dark and by keyboard."""
    assert page.context.browser is not None
    context = await page.context.browser.new_context(storage_state=state, reduced_motion="reduce")
    looked = await context.new_page()
    looked.set_default_timeout(BOUND_MS)
    await looked.goto(page.url)
    assert [*await motion_of(looked), *await out_of_reach(looked), *await barriers_of(looked)] == []
    await looked.emulate_media(color_scheme="dark")
    for width in (640, 390):
        await looked.set_viewport_size({"width": width, "height": 800})
        assert [*await cut_off(looked), *await barriers_of(looked)] == []
    await context.close()


async def check_pictures(page: Page) -> None:
    """The value is boxed on the picture of the recorded page, and on that of the page as it is now."""
    owner = page.get_by_role("region", name="field owner")
    for words in ("As it was recorded", "As it is now"):
        picture = owner.get_by_role("img", name=words)
        await expect(picture.locator("rect")).to_have_count(1)
        address = await picture.locator("image").get_attribute("href")
        answered = await page.context.request.get(f"{page.url.partition('/runs')[0]}{address}")
        assert (answered.status, answered.headers["content-type"]) == (200, "image/png")
    then, now = [await owner.locator("rect").nth(at).get_attribute("y") for at in (0, 1)]
    assert float(then or 0) < float(now or 0), "the owner stands below the new values"


async def versions(client: Client) -> list[WorkflowVersion]:
    return [one.version for one in await load_history(client.bus, NAME) if one.kind == "created"]
