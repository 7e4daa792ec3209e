"""`make bench-web`: what one live view costs a run that works, and how soon the console shows its pages and events.

All services and the console are one process of `exhibit up`, against one practice site on loopback. The live view is
read as a browser reads it, without drawing, and goes from sample to sample: whichever has taken a step last. Many open
pages are their streams of events. Runs with and without take turns. Pages, events and the
grid are measured in Chromium.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import statistics
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from playwright.async_api import Page

from benchmarks.report import Row, at_most, report, under
from benchmarks.web_large import hour_rows, large_rows
from benchmarks.web_served import Served, everything, session
from exhibit.demo import SPEC, practice_site
from practice.tickets.data import ground_truth
from practice.tickets.demo import write_input
from shared.client import Client, connect
from shared.contracts.sessions.events import EventsLoaded
from shared.contracts.steps import StepTaken
from tests.practice_sites.site_browser import a_browser

ROUNDS = int(os.environ.get("ROUNDS", "5"))
TICKETS = int(os.environ.get("TICKETS", "80"))
LOADS = int(os.environ.get("LOADS", "9"))
AT_ONCE = 5
MOST_PERCENT, MOST_PAGES_PERCENT, MOST_EVENT_MS, MOST_PAGE_MS, MOST_KB, LEAST_FPS = 8.0, 5.0, 300.0, 200.0, 100.0, 55.0
OPEN_PAGES = int(os.environ.get("OPEN_PAGES", "50"))
CELLS = 10_000
BOUND_S = 300.0


# --- one live view


class LiveView:
    """Reads the stream of one sample after the other, in a thread."""

    def __init__(self, console: str, cookie: str) -> None:
        self._where, self._cookie = urlsplit(console).netloc, cookie
        self.run_id = self.wanted = ""
        self.pictures = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> LiveView:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(BOUND_S)

    def _read(self) -> None:
        seen = ""
        while not self._over.is_set():
            if self.wanted in ("", seen):  # a page does not ask again at once for a sample that has ended
                time.sleep(0.01)
                continue
            seen = self.wanted
            connection = http.client.HTTPConnection(self._where, timeout=30)
            try:
                path = f"/runs/{self.run_id}/samples/{seen}/live/frames"
                connection.request("GET", path, headers={"cookie": self._cookie})
                answer = connection.getresponse()
                if answer.status != 200:
                    raise SystemExit(f"{path}: {answer.status}")
                while not self._over.is_set():
                    line = answer.readline()
                    self.pictures += line.startswith(b"event: frame")
                    if not line or line.startswith(b"event: nobody"):
                        break
            finally:
                connection.close()


@dataclass(frozen=True)
class RunCost:
    """``cpu_ms``: processor time of all services and their browsers, for each sample."""

    per_s: float
    cpu_ms: float


def processor_s(pid: int) -> float:
    """Return the processor time of a process and of those that it has started, which live on between runs."""
    spent = 0.0
    root = psutil.Process(pid)
    for one in (root, *root.children(recursive=True)):
        with suppress(psutil.Error):
            times = one.cpu_times()
            spent += times.user + times.system
    return spent


async def run_tickets(
    client: Client, served: Served, samples: Path, view: LiveView | None = None, pages: OpenPages | None = None
) -> RunCost:
    began_s, spent_s = time.perf_counter(), processor_s(served.pid)
    accepted = await client.submit(
        json.loads(SPEC.read_text()), file=(samples.name, samples.read_bytes()), planner="rules",
        concurrency=AT_ONCE, mode="agent",
    )  # fmt: skip
    # To follow the run costs something too, so it is followed in both.
    following = asyncio.create_task(_follow(client, accepted.run_id, view))
    if pages is not None:
        pages.look_at(accepted.run_id)
    finished = await client.result(accepted.run_id)
    following.cancel()
    cpu_ms = 1000 * (processor_s(served.pid) - spent_s) / finished.samples
    return RunCost(finished.samples / (time.perf_counter() - began_s), cpu_ms)


async def _follow(client: Client, run_id: str, view: LiveView | None) -> None:
    async for event in client.watch(run_id):
        if view is not None and isinstance(event, StepTaken):
            view.run_id, view.wanted = run_id, event.sample_id


class OpenPages:
    """Reads the events of one run as many pages do, until the block ends."""

    def __init__(self, console: str, cookie: str, count: int) -> None:
        where = urlsplit(console)
        self._host, self._port, self._cookie, self._count = where.hostname, where.port, cookie, count
        self._reading: list[asyncio.Task[None]] = []
        self.events = 0

    def look_at(self, run_id: str) -> None:
        self._reading = [asyncio.create_task(self._read(run_id)) for _ in range(self._count)]

    async def __aenter__(self) -> OpenPages:
        return self

    async def __aexit__(self, *_: object) -> None:
        for one in self._reading:
            one.cancel()
        await asyncio.gather(*self._reading, return_exceptions=True)

    async def _read(self, run_id: str) -> None:
        reader, writer = await asyncio.open_connection(self._host, self._port)
        try:
            heads = (
                f"GET /runs/{run_id}/events HTTP/1.1",
                f"Host: {self._host}:{self._port}",
                f"Cookie: {self._cookie}",
            )
            writer.write("\r\n".join((*heads, "", "")).encode())
            while line := await reader.readline():
                self.events += line.startswith(b"id: ")
        finally:
            writer.close()


async def live_rows(client: Client, served: Served, cookie: str, samples: Path) -> list[Row]:
    """Runs on which nobody looks, runs with one live view, and runs with many open pages take turns."""
    bare: list[RunCost] = []
    viewed: list[RunCost] = []
    paged: list[RunCost] = []
    pictures = events = 0
    for _ in range(ROUNDS):
        bare.append(await run_tickets(client, served, samples))
        with LiveView(served.console, cookie) as view:
            viewed.append(await run_tickets(client, served, samples, view))
            pictures += view.pictures
        async with OpenPages(served.console, cookie, OPEN_PAGES) as pages:
            paged.append(await run_tickets(client, served, samples, pages=pages))
            events += pages.events
    if not pictures or not events:
        raise SystemExit("no picture or no event was seen, so nothing was measured")
    pace, view_pace, page_pace = (statistics.median(one.per_s for one in costs) for costs in (bare, viewed, paged))
    ms, view_ms, page_ms = (statistics.median(one.cpu_ms for one in costs) for costs in (bare, viewed, paged))
    return [
        under(MOST_PERCENT, "one live view", "% of samples/s", 100 * (pace - view_pace) / pace),
        Row("processor with one live view", "ms a sample", view_ms, ms),
        Row("samples with one live view", "per s", view_pace, pace),
        Row("pictures", "a run, mean", pictures / ROUNDS),
        under(MOST_PAGES_PERCENT, f"{OPEN_PAGES} open pages", "% of samples/s", 100 * (pace - page_pace) / pace),
        Row(f"processor with {OPEN_PAGES} open pages", "ms a sample", page_ms, ms),
        Row("events to all pages", "a run, mean", events / ROUNDS),
    ]


# --- pages and events in a browser


LOADED = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const asked = performance.getEntriesByType("resource");
  const parts = asked.filter((one) => !/picture|frames|events|\\.png/.test(one.name));
  const bytes = [page, ...parts].reduce((sum, one) => sum + one.encodedBodySize, 0);
  return [page.domContentLoadedEventEnd, bytes];
}"""


async def page_rows(page: Page, console: str, run_id: str) -> list[Row]:
    rows: list[Row] = []
    for name, path in (("the first page", "/"), ("the page of a run", f"/runs/{run_id}")):
        times: list[float] = []
        kb = 0.0
        for _ in range(LOADS):
            await page.goto("about:blank")
            await page.goto(console + path, wait_until="load")
            ms, size = await page.evaluate(LOADED)
            times.append(ms)
            kb = max(kb, size / 1000)  # the first load: later ones have some of it in their cache
        rows.append(at_most(MOST_PAGE_MS, name, "ms, median", statistics.median(times)))
        rows.append(at_most(MOST_KB, name, "kB without pictures", kb))
    return rows


NOTE_ENDS = """() => {
  const seen = (window.seenEnds = {});
  const note = () => {
    for (const cell of document.querySelectorAll("sample-grid .grid-cell")) {
      const label = cell.getAttribute("aria-label") || "";
      if (!/: (Waiting|At work)/.test(label)) seen[label.split(":")[0]] ??= Date.now();
    }
  };
  new MutationObserver(note).observe(document.querySelector("sample-grid"), { subtree: true, childList: true });
}"""


async def event_rows(client: Client, page: Page, console: str, samples: Path) -> list[Row]:
    accepted = await client.submit(
        json.loads(SPEC.read_text()), file=(samples.name, samples.read_bytes()), planner="rules",
        concurrency=AT_ONCE, mode="agent",
    )  # fmt: skip
    await page.goto(f"{console}/runs/{accepted.run_id}")
    await page.get_by_role("link", name="Runs").first.focus()  # a page with a focus does not load itself again
    await page.evaluate(NOTE_ENDS)
    began_ms = 1000 * time.time()
    await client.result(accepted.run_id)
    ended: dict[str, float] = {}
    since = 0
    while True:
        got = await client.events(accepted.run_id, since, 500)
        assert isinstance(got, EventsLoaded)
        ended |= {one.sample_id: 1000 * one.at.timestamp() for one in got.events if one.sample_id and one.status}
        since = got.next_index
        if not got.more:
            break
    later = {name: at for name, at in ended.items() if at > began_ms}
    # The page stops to follow with the end of the run: it then says that its final state is to be loaded.
    await page.wait_for_function(
        "count => Object.keys(window.seenEnds).length >= count || document.querySelector('.grid-told a')",
        arg=len(later),
    )
    seen: dict[str, float] = await page.evaluate("window.seenEnds")
    delays = sorted(seen[name] - at for name, at in later.items() if name in seen)
    if len(delays) < len(ended) / 2:
        raise SystemExit(f"{len(delays)} of {len(ended)} ends were seen on the page, so nothing was measured")
    at_95 = delays[round(0.95 * (len(delays) - 1))]
    return [under(MOST_EVENT_MS, "an event is on the page", f"ms, p95 of {len(delays)}", at_95)]


async def measure(folder: Path, samples: Path) -> list[Row]:
    with everything(folder) as served:
        async with connect(served.bus) as client, a_browser() as browser, session(browser, served.enter) as page:
            cookies = [f"{one.get('name')}={one.get('value')}" for one in await page.context.cookies()]
            rows = await event_rows(client, page, served.console, samples)
            run_id = page.url.rpartition("/")[2]
            rows += await page_rows(page, served.console, run_id)
            await page.goto("about:blank")
            return [*await live_rows(client, served, "; ".join(cookies), samples), *rows]


def main() -> None:
    tickets = ground_truth()[:TICKETS]
    with practice_site() as url, tempfile.TemporaryDirectory() as folder:
        samples = Path(folder) / "tickets.csv"
        write_input(samples, url, tickets)
        rows = asyncio.run(measure(Path(folder), samples))
    rows += asyncio.run(large_rows())
    rows += asyncio.run(hour_rows())
    setup = {"samples": len(tickets), "at_once": AT_ONCE, "rounds": ROUNDS, "cores": os.cpu_count()}
    report(
        "web",
        "the console in the browser: what a live view costs, and how soon pages and events are there",
        rows,
        setup,
    )


if __name__ == "__main__":
    main()
