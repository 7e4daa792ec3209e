"""`make bench-web`: what one live view costs a run that works, and how soon the console shows its pages and events.

All services and the console are one process of `exhibit up`, against one practice site on loopback. The live view is
read as a browser reads it, without drawing, and goes from sample to sample: whichever has taken a step last. Runs with
and without it take turns. Pages and events are measured in Chromium.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from playwright.async_api import Browser, Page

from benchmarks.report import Row, at_most, report, under
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
MOST_PERCENT, MOST_EVENT_MS, MOST_PAGE_MS, MOST_KB = 8.0, 300.0, 200.0, 100.0
BOUND_S = 300.0


@dataclass(frozen=True)
class Served:
    """``enter``: the address that opens a session of the console. ``pid``: of `exhibit up`."""

    bus: str
    enter: str
    pid: int

    @property
    def console(self) -> str:
        return self.enter.partition("/enter")[0]


@contextmanager
def everything(folder: Path) -> Generator[Served]:
    env = {
        **os.environ,
        "EXHIBIT_STATE_DIR": str(folder / "state"),
        "EXHIBIT_EVIDENCE_DIR": str(folder / "evidence"),
        "EXHIBIT_WORKFLOWS_DIR": str(folder / "workflows"),
    }
    command = [sys.executable, "-m", "services.console", "up", "--port", "-1", "--web-port", "0"]
    with (folder / "log").open("w") as log:
        up = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=env)
        assert up.stdout is not None
        try:
            said = ""
            while "/enter?" not in said:
                line = up.stdout.readline()
                if not line:
                    raise SystemExit(f"`exhibit up` did not start: {(folder / 'log').read_text()[-2000:]}")
                said += line
            threading.Thread(target=up.stdout.read, daemon=True).start()  # what it says later must not block it
            found = re.search(r"(nats://[^\s,]+)", said), re.search(r"(http://\S+/enter\?\S+)", said)
            bus, enter = (one.group(1) if one else "" for one in found)
            yield Served(bus, enter, up.pid)
        finally:
            up.send_signal(signal.SIGTERM)
            up.wait(BOUND_S)


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


async def run_tickets(client: Client, served: Served, samples: Path, view: LiveView | None) -> RunCost:
    began_s, spent_s = time.perf_counter(), processor_s(served.pid)
    accepted = await client.submit(
        json.loads(SPEC.read_text()), file=(samples.name, samples.read_bytes()), planner="rules",
        concurrency=AT_ONCE, mode="agent",
    )  # fmt: skip
    if view is not None:
        view.run_id = accepted.run_id
        following = asyncio.create_task(_follow(client, accepted.run_id, view))
        finished = await client.result(accepted.run_id)
        following.cancel()
        view.wanted = ""
    else:
        finished = await client.result(accepted.run_id)
    cpu_ms = 1000 * (processor_s(served.pid) - spent_s) / finished.samples
    return RunCost(finished.samples / (time.perf_counter() - began_s), cpu_ms)


async def _follow(client: Client, run_id: str, view: LiveView) -> None:
    async for event in client.watch(run_id):
        if isinstance(event, StepTaken):
            view.wanted = event.sample_id


async def live_rows(client: Client, served: Served, cookie: str, samples: Path) -> list[Row]:
    costs: dict[bool, list[RunCost]] = {True: [], False: []}
    pictures = 0
    for turn in range(2 * ROUNDS):
        looked = bool(turn % 2)
        if not looked:
            costs[False].append(await run_tickets(client, served, samples, None))
            continue
        with LiveView(served.console, cookie) as view:
            costs[True].append(await run_tickets(client, served, samples, view))
            pictures += view.pictures
    if not pictures:
        raise SystemExit("no picture was seen, so nothing was measured")
    bare, seen = (statistics.median(one.per_s for one in costs[looked]) for looked in (False, True))
    bare_ms, seen_ms = (statistics.median(one.cpu_ms for one in costs[looked]) for looked in (False, True))
    return [
        under(MOST_PERCENT, "one live view", "% of samples/s", 100 * (bare - seen) / bare),
        Row("processor with one live view", "ms a sample", seen_ms, bare_ms),
        Row("samples with one live view", "per s", seen, bare),
        Row("pictures", "a run, mean", pictures / ROUNDS),
    ]


# --- pages and events in a browser


@asynccontextmanager
async def session(browser: Browser, enter: str) -> AsyncGenerator[Page]:
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(enter)
    yield page
    await context.close()


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
    await page.wait_for_function("count => Object.keys(window.seenEnds).length >= count", arg=len(later))
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
    setup = {"samples": len(tickets), "at_once": AT_ONCE, "rounds": ROUNDS, "cores": os.cpu_count()}
    report(
        "web",
        "the console in the browser: what a live view costs, and how soon pages and events are there",
        rows,
        setup,
    )


if __name__ == "__main__":
    main()
