"""Draw docs/pictures/run.png: a real run of the demo's tickets in a terminal, half way and at its end.

python -m scripts.picture
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import tempfile
import time
from contextlib import aclosing
from pathlib import Path

from playwright.async_api import async_playwright
from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI

from exhibit.demo import SPEC, practice_site
from practice.tickets.data import ground_truth
from practice.tickets.demo import write_input
from services.browser_pool.adapters.browser.launch import find_browser
from services.console.terminal.run_view import live_view, run_summary
from services.console.text.tally import Tally
from shared.host.services import run_embedded
from shared.settings import Settings

TARGET = Path("docs/pictures/run.png")
WIDTH = 104
HALF_WAY = 34


async def main(url: str, folder: Path) -> None:
    samples = folder / "tickets.csv"
    write_input(samples, url, ground_truth())
    console = Console(width=WIDTH, record=True, file=io.StringIO(), force_terminal=True)
    settings = Settings(evidence_dir=Path("evidence"))
    async with run_embedded(settings) as client:
        started_s = time.monotonic()
        spec = json.loads(SPEC.read_text(encoding="utf-8"))
        accepted = await client.submit(spec, file=(samples.name, samples.read_bytes()), planner="rules")
        tally, shown = Tally(run_id=accepted.run_id), False
        async with aclosing(client.watch(accepted.run_id)) as events:
            async for event in events:
                tally.add(event)
                if len(tally.results) == HALF_WAY and not shown:
                    shown = True
                    console.print(live_view(tally, "practice_tickets", time.monotonic() - started_s))
                if tally.finished is not None:
                    break
    assert tally.finished is not None
    console.print("\n")
    console.print(run_summary(tally.finished, tally, Path.cwd()), highlight=False)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    await draw(console.export_svg(title="exhibit run", theme=DIMMED_MONOKAI))


async def draw(svg: str) -> None:
    async with async_playwright() as playwright:
        executable = find_browser(Settings().chromium, Path(playwright.chromium.executable_path), shutil.which)
        browser = await playwright.chromium.launch(executable_path=executable, chromium_sandbox=os.geteuid() != 0)
        page = await browser.new_page(viewport={"width": 1300, "height": 900})
        await page.route("**/*", lambda route: route.abort())
        await page.set_content(f"<body style='margin:0'>{svg}</body>", wait_until="domcontentloaded")
        await page.locator("svg").first.screenshot(path=TARGET)
        await browser.close()


if __name__ == "__main__":
    with practice_site() as site, tempfile.TemporaryDirectory() as scratch:
        asyncio.run(main(site, Path(scratch)))
