"""What a large run and a long one cost the console: the grid and filters of 10,000 samples; memory over an hour."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from msgspec.structs import replace
from playwright.async_api import Page

from benchmarks.evidence_service import AHEAD, Senders, caught_up, evidence_at_work
from benchmarks.evidence_world import RUN_ID, World, finished_of, found, record, steps_of
from benchmarks.memory import tree_sizes_mb
from benchmarks.report import Row, at_most, least, under
from benchmarks.web_served import served, session
from services.evidence.deps import EvidenceDeps
from services.evidence.lifecycle import close_run_if_complete
from services.evidence.outputs.make_products import ALL_PRODUCTS
from services.evidence.store.folder_store import FolderStore
from shared.contracts.discovery import PopulationClosed, RunStarted
from shared.evidence_format.signing import load_signing_key
from shared.settings import Settings
from shared.subjects import POPULATION_CLOSED, RUN_STARTED, SAMPLE_FINISHED, SAMPLE_FOUND, STEP_TAKEN
from shared.testing.bus import MemoryBus
from tests.practice_sites.site_browser import a_browser

SAMPLES, TIMES = 10_000, 7
LEAST_FPS, MOST_FILTER_MS = 55.0, 100.0
HOUR_STEPS, STEPS_EACH, LOOKERS = 18_000, 4, 10
"""Steps of five samples at once for an hour, a second each; pages that follow them."""
WARM_SHARE, MOST_GROWTH = 1 / 6, 1.1
"""Memory is compared with that after the first ten minutes."""

SCROLLED = """() => new Promise((done) => {
  const view = document.querySelector("sample-grid .grid-view");
  const began = performance.now();
  let frames = 0;
  const step = (now) => {
    if (now - began > 3000) return done((1000 * frames) / (now - began));
    frames += 1;
    view.scrollTop = ((now - began) / 3000) * (view.scrollHeight - view.clientHeight);
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})"""

CHOSEN = """(status) => new Promise((done) => {
  const button = document.querySelector(`sample-grid .st-${status} .grid-only`);
  const began = performance.now();
  button.click();
  requestAnimationFrame(() => setTimeout(() => {
    const shown = document.querySelectorAll("sample-grid .grid-cell").length;
    const others = document.querySelectorAll(`sample-grid .grid-cell:not(.st-${status})`).length;
    done([performance.now() - began, shown, button.getAttribute("aria-pressed") === "true" ? others : -1]);
  }));
})"""


async def large_rows() -> list[Row]:
    """Rows of a sealed run of 10,000 samples, as `exhibit web` shows it."""
    with tempfile.TemporaryDirectory(prefix="exhibit-bench-") as scratch:
        folder = Path(scratch)
        await _sealed_run(folder)
        with served(folder, "web") as web:
            async with a_browser() as browser, session(browser, web.enter) as page:
                address = f"{web.console}/runs/{RUN_ID}"
                await page.goto(address)
                await page.locator("sample-grid .grid-cell").first.wait_for()
                per_s = await page.evaluate(SCROLLED)
                return [
                    least(LEAST_FPS, f"the grid of {SAMPLES:,} samples, scrolled", "frames a second", per_s),
                    *await _filter_rows(page, address),
                ]


async def _sealed_run(folder: Path) -> None:
    settings = Settings(state_dir=folder / "state", evidence_dir=folder / "evidence")
    World(SAMPLES).write(folder / "evidence", artifacts=True)
    deps = EvidenceDeps(
        store=FolderStore(folder / "evidence"), blobs=MemoryBus(), now=lambda: datetime.now(UTC),
        products=ALL_PRODUCTS, signer=load_signing_key(settings),
    )  # fmt: skip
    if await close_run_if_complete(deps, await deps.ledger.lock_and_read(RUN_ID)) is None:
        raise SystemExit("the run is not complete")


async def _filter_rows(page: Page, address: str) -> list[Row]:
    """The grid is narrowed by a press on its legend; the list, by the form of the page."""
    grid: list[float] = []
    for at in range(2 * TIMES):
        ms, shown, others = await page.evaluate(CHOSEN, "failed")
        if not at % 2:  # the second press of each pair shows all again
            if not shown or others:
                raise SystemExit(f"{shown} cells are shown, {others} of another status, so nothing was measured")
            grid.append(ms)
    listed: list[float] = []
    for _ in range(TIMES):
        await page.goto(address)
        await page.goto(f"{address}?status=failed", wait_until="domcontentloaded")
        if not await page.locator(".sample-list tbody tr").count():
            raise SystemExit("the list is empty, so nothing was measured")
        listed.append(await page.evaluate("performance.getEntriesByType('navigation')[0].responseEnd"))
    return [
        under(MOST_FILTER_MS, f"the grid of {SAMPLES:,} samples, narrowed", "ms, median", statistics.median(grid)),
        under(MOST_FILTER_MS, f"the list of {SAMPLES:,} samples, narrowed", "ms, median", statistics.median(listed)),
    ]


async def hour_rows() -> list[Row]:
    """The memory of `exhibit web` while an hour of steps is told to pages, as fast as evidence files them."""
    with tempfile.TemporaryDirectory(prefix="exhibit-bench-") as scratch:
        folder = Path(scratch)
        async with evidence_at_work(folder) as (url, senders):
            with served(folder, "web", "--nats", url) as web:
                async with a_browser() as browser, session(browser, web.enter) as page:
                    return await _through_an_hour(senders, psutil.Process(web.pid), page, web.console)


async def _through_an_hour(senders: Senders, server: psutil.Process, page: Page, console: str) -> list[Row]:
    bus, samples = senders.discovery, HOUR_STEPS // STEPS_EACH
    await bus.publish(RUN_STARTED, RunStarted(run_id=RUN_ID, record=record()))
    for start in range(1, samples + 2, 100):
        some = range(start, min(start + 100, samples + 2))
        await asyncio.gather(*(bus.publish(SAMPLE_FOUND, found(number)) for number in some))
    await bus.publish(POPULATION_CLOSED, PopulationClosed(run_id=RUN_ID, samples=samples + 1))
    await caught_up(senders.client, 0)
    cookies = "; ".join(f"{one.get('name')}={one.get('value')}" for one in await page.context.cookies())
    async with AsyncExitStack() as looking:
        followers = [await looking.enter_async_context(Follower(console, cookies)) for _ in range(LOOKERS)]
        warm_mb = 0.0
        for number in range(1, samples + 1):
            for step in steps_of(number):
                await senders.planner.publish(STEP_TAKEN, replace(step, artifacts=()))
            await senders.planner.publish(SAMPLE_FINISHED, replace(finished_of(number), artifacts=()))
            if number % 50 == 0:
                await caught_up(senders.client, AHEAD)
                await page.goto(f"{console}/runs/{RUN_ID}")
            if number == int(samples * WARM_SHARE):
                warm_mb = tree_sizes_mb(server)[0]
        await caught_up(senders.client, 0)
        heard = min(one.events for one in followers)
        if heard < samples:
            raise SystemExit(f"a page has heard {heard} events of {samples} samples, so nothing was measured")
        end_mb = tree_sizes_mb(server)[0]
    what = f"memory after an hour of {HOUR_STEPS:,} steps, told to {LOOKERS} pages"
    return [
        at_most(MOST_GROWTH, what, "times that after ten minutes", end_mb / warm_mb),
        Row("the same", "MB", end_mb, warm_mb),
    ]


class Follower:
    """Reads the events of the run as an open page does."""

    def __init__(self, console: str, cookie: str) -> None:
        self._where, self._cookie = urlsplit(console), cookie
        self.events = 0

    async def __aenter__(self) -> Follower:
        self._reader, self._writer = await asyncio.open_connection(self._where.hostname, self._where.port)
        heads = (f"GET /runs/{RUN_ID}/events HTTP/1.1", f"Host: {self._where.netloc}", f"Cookie: {self._cookie}")
        self._writer.write("\r\n".join((*heads, "", "")).encode())
        self._task = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._writer.close()

    async def _read(self) -> None:
        while line := await self._reader.readline():
            self.events += line.startswith(b"id: ")
