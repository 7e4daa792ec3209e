"""The report of a large run: time to write it, its size, and its speed in a browser.

Its pictures are full-size (pages of 1280 x 1700 px), because scaling them takes most of the time.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import psutil
from PIL import Image, ImageDraw, ImageFont
from playwright.async_api import Page, async_playwright

from benchmarks.evidence_files import artifact_bytes
from benchmarks.evidence_world import World, sample_of, texts_of
from benchmarks.report import Row, under
from services.browser_pool.adapters.browser.launch import find_browser
from services.evidence.outputs.report_file import ReportFile
from shared.evidence_view.sample_facts import SampleFacts, SampleFiles
from shared.settings import Settings

SAMPLES = 1000
PICTURES = 12
WIDTH_PX, HEIGHT_PX = 1280, 1700
OPENINGS = 5
TYPED = "TCK-00042 closed"


@dataclass(frozen=True)
class Figures:
    """Figures of a report.

    ``keystroke_ms`` is the slowest time from a keystroke to the new list's layout. ``frame_ms`` is the 95th percentile
    of the time between two frames while scrolling at 200 px per frame (12,000 px per second).
    """

    samples: int
    made_s: float
    memory_mb: float
    size_mb: float
    opened_s: float
    keystroke_ms: float
    frame_ms: float
    sample_ms: float

    @property
    def rows(self) -> list[Row]:
        of = f"report of {self.samples:,} samples"
        return [
            under(120.0 * max(self.samples, 1000) / 1000, f"{of}: made", "s", self.made_s),
            under(2.0, f"{of}: opened, first rows drawn", "s", self.opened_s),
            under(50.0, f"{of}: slowest keystroke in the search", "ms", self.keystroke_ms),
            under(34.0, f"{of}: between two frames while scrolling (95 %)", "ms", self.frame_ms),
            Row(f"{of}: a sample opened", "ms", self.sample_ms),
            Row(f"{of}: size", "MB", self.size_mb),
            Row(f"{of}: memory while it is made", "MB", self.memory_mb),
        ]


def measured(samples: int = SAMPLES) -> Figures:
    """Write the report of a number of samples and open it in Chromium."""
    with tempfile.TemporaryDirectory() as folder:
        report, made_s, memory_mb = make(World(samples), Path(folder))
        size_mb = report.stat().st_size / 1e6
        opened_s, keystroke_ms, frame_ms, sample_ms = asyncio.run(_in_browser(report))
    return Figures(samples, made_s, memory_mb, size_mb, opened_s, keystroke_ms, frame_ms, sample_ms)


def make(world: World, folder: Path) -> tuple[Path, float, float]:
    """Return the report, the seconds that the product took, and the growth of the process in MB."""
    pictures = [drawn(number) for number in range(PICTURES)]
    spool = folder / "spool"
    spool.mkdir()
    before_mb = _resident_mb()
    product = ReportFile(world.closing(), spool)
    took_s, most_mb = 0.0, 0.0
    try:
        for number, sample in _samples(world, pictures):
            files = artifact_bytes(number) | dict.fromkeys(_shots(number), pictures[number % PICTURES])
            began = time.perf_counter()
            product.add(sample, files.get)
            took_s += time.perf_counter() - began
            most_mb = max(most_mb, _resident_mb() - before_mb) if number % 50 == 0 else most_mb
        began = time.perf_counter()
        (output,) = product.finish()
        took_s += time.perf_counter() - began
        return Path(shutil.move(output.path, folder / output.name)), took_s, most_mb
    finally:
        product.close()


def _shots(number: int) -> list[str]:
    return [name for name in artifact_bytes(number) if name.endswith(".png")]


def _samples(world: World, pictures: list[bytes]) -> Iterator[tuple[int, SampleFacts]]:
    """Yield the samples of the world with large pictures."""
    for number in world.numbers:
        texts = texts_of(number)
        big = hashlib.sha256(pictures[number % PICTURES]).hexdigest().encode()
        for name in _shots(number):
            small = hashlib.sha256(artifact_bytes(number)[name]).hexdigest().encode()
            texts = {key: data.replace(small, big) for key, data in texts.items()}
        facts = world.closing().facts_of(SampleFiles(sample_of(number).sample_id, *texts.values()))
        assert facts.log  # loaded before the measurement starts
        yield number, facts


def drawn(number: int) -> bytes:
    """Draw a page of text in boxes as PNG; a different one for each number."""
    chance = random.Random(number)
    picture = Image.new("RGB", (WIDTH_PX, HEIGHT_PX), (243, 245, 243))
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size=17)
    for top in range(60, HEIGHT_PX - 120, 130):
        draw.rounded_rectangle((90, top, 1180, top + 112), 10, fill="white", outline=(215, 220, 216))
        for line in range(4):
            words = " ".join("abcdefghijklmno"[: chance.randint(2, 12)] for _ in range(chance.randint(4, 15)))
            draw.text((110, top + 10 + 24 * line), words, fill=(30, 40, 44), font=font)
    out = BytesIO()
    picture.save(out, "PNG", compress_level=3)
    return out.getvalue()


def _resident_mb() -> float:

    return float(psutil.Process().memory_info().rss) / 1e6


async def _in_browser(report: Path) -> tuple[float, float, float, float]:
    async with async_playwright() as playwright:
        path = find_browser(Settings().chromium, Path(playwright.chromium.executable_path), shutil.which)
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        opened: list[float] = []
        pages: list[Page] = []
        for _ in range(OPENINGS):
            context = await browser.new_context(viewport={"width": 1440, "height": 900})
            page = await context.new_page()
            pages.append(page)
            began = time.perf_counter()
            await page.goto(report.as_uri())
            await page.evaluate("document.querySelector('#samples').scrollIntoView()")
            await page.locator(".rows .row").first.wait_for()
            opened.append(time.perf_counter() - began)
            if len(opened) < OPENINGS:
                await context.close()
        last = pages[-1]
        figures = await _keystroke_ms(last), await _frame_ms(last), await _sample_ms(last)
        await browser.close()
    return statistics.median(opened), *figures


async def _keystroke_ms(page: Page) -> float:
    """Type letter by letter; wait each time for the layout of the new rows."""
    took: list[float] = await page.evaluate(TYPING, TYPED)
    return max(took)


async def _frame_ms(page: Page) -> float:
    frames: list[float] = await page.evaluate(SCROLLING)
    return statistics.quantiles(frames, n=20)[-1]


async def _sample_ms(page: Page) -> float:
    took: list[float] = []
    await page.evaluate("document.querySelector('#samples').scrollIntoView()")
    await page.locator(".rows .row").first.wait_for()
    for _ in range(5):
        began = time.perf_counter()
        await page.evaluate("document.querySelectorAll('.rows a')[2].click()")
        await page.locator("#sample h1").wait_for()
        took.append(1000 * (time.perf_counter() - began))
        await page.evaluate("location.hash = ''")
        await page.locator("#overview").wait_for()
        await page.evaluate("scrollBy(0, 4000)")
    return statistics.median(took)


TYPING = """async (typed) => {
  const search = document.querySelector('input[type=search]');
  const took = [];
  for (let length = 1; length <= typed.length; length += 1) {
    const began = performance.now();
    search.value = typed.slice(0, length);
    search.dispatchEvent(new Event('input', { bubbles: true }));
    document.body.offsetHeight;
    took.push(performance.now() - began);
    await new Promise(requestAnimationFrame);
  }
  search.value = '';
  search.dispatchEvent(new Event('input', { bubbles: true }));
  return took;
}"""
SCROLLING = """async () => {
  const frames = [];
  let before = await new Promise(requestAnimationFrame);
  for (let step = 1; step <= 120; step += 1) {
    scrollBy(0, 200);
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - before);
    before = now;
  }
  scrollTo(0, 0);
  return frames;
}"""


def main() -> None:
    for count in [int(argument) for argument in sys.argv[1:]] or [SAMPLES]:
        for row in measured(count).rows:
            print(f"{row.what:70} {row.figure:9.2f} {row.unit:4} {row.aim}")


if __name__ == "__main__":
    main()
