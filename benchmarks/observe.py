"""`make bench-observe`: what the browser pool observes, beside Playwright's own ``aria_snapshot()``.

Both observe the same pages, alternating, in the same tab. Times are those of an observation of an idle page. Findings
are compared by identity with the known controls of the page (see observe_truth). Characters are the text form of the
whole page, without a budget, per control that is reported correctly.

browser-use is a further peer if it is installed, or if ``BROWSER_USE_PYTHON`` names an interpreter that has it.

``ROUNDS`` (7), ``LEASES`` (1000), ``PAGES`` (names, comma-separated; all), ``DETAILS=1`` (print missed and wrong ones).
"""

from __future__ import annotations

import asyncio
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Error
from playwright.async_api import Page as Tab

from benchmarks.observe_browser_use import BrowserUseReport, browser_use, interpreter
from benchmarks.observe_lag import Lag
from benchmarks.observe_load import loads
from benchmarks.observe_look import marks_of, peer_names, peer_reported, reported, texts_of
from benchmarks.observe_orphans import orphans
from benchmarks.observe_pages import pages, workbench
from benchmarks.observe_pool import ALL_TOKENS, Leased, Pool, pool
from benchmarks.observe_score import Score, aria_lines, aria_texts, score, score_names, texts_found
from benchmarks.observe_site import served
from benchmarks.observe_truth import Page
from benchmarks.report import Row, at_most, beside, least, report, under
from shared.errors import Unavailable

ROUNDS = int(os.environ.get("ROUNDS", "7"))
DETAILS = os.environ.get("DETAILS", "")
RECALL, PRECISION = 0.99, 0.98
BLOCKED_MS = 50.0


@dataclass(frozen=True)
class Looked:
    """One side's observation of one page. ``missing`` has the data texts that are not reported."""

    ms: float
    chars: int
    found: Score
    missing: list[str]
    blocked_ms: float
    hidden_reported: int = 0

    @property
    def chars_per_control(self) -> float:
        """Characters per reported control; infinite if there is none."""
        return self.chars / self.found.right_reports if self.found.right_reports else math.inf

    def data_share(self, page: Page) -> float:
        """Return the share of the page's data that is reported."""
        return 1 - len(self.missing) / max(1, len(page.texts))


Seen = tuple[Looked, float, Looked, Looked]
"""Our result, its milliseconds over the bus, and the peer in both its modes."""


def main() -> None:
    asyncio.run(run())


async def run() -> None:
    wanted = [name for name in os.environ.get("PAGES", "").split(",") if name]
    chosen = [page for page in pages() if not wanted or page.name in wanted]
    began_s = time.monotonic()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, served([*pages(), workbench()]) as url:
        async with pool(Path(folder)) as ours:
            crashes: list[str] = []
            seen = {page.name: await look_in_session(ours, page, url, crashes) for page in chosen}
            rows.append(at_most(0, f"tabs that crashed {sorted(set(crashes)) or ''}", "count", len(crashes)))
            others = await look_elsewhere(chosen, url)
            for page in chosen:
                if (told := seen[page.name]) is not None:
                    rows += page_rows(page, *told)
                    rows += other_rows(page, told[0], others.get(page.name))
            if not wanted:
                rows += await loads(ours, url, say)
        if not wanted:
            say("kill -9")
            rows.append(await orphans(Path(folder) / "orphans"))
    setup = {"rounds": ROUNDS, "cores": os.cpu_count(), "seconds": round(time.monotonic() - began_s)}
    report("observe", "Observations beside Playwright's aria_snapshot()", rows, setup)


def say(what: str) -> None:
    print(f"  {what}", file=sys.stderr, flush=True)


async def look_in_session(pool: Pool, page: Page, url: str, crashes: list[str]) -> Seen | None:
    """Observe a page in its own session; retry once after a tab crash. None: crashed twice."""
    for _ in range(2):
        leased = await pool.lease()
        try:
            return await look_at(leased, page, url)
        except (Error, Unavailable) as error:
            say(f"  the tab crashed: {str(error).splitlines()[0]}")
            crashes.append(page.name)
        finally:
            await leased.release()
    return None


async def look_at(leased: Leased, page: Page, url: str) -> Seen:
    say(f"{page.name}: {page.what}")
    await leased.goto(f"{url}/{page.name}")
    tab = leased.session.page
    ours, by_bus_ms = await look_ours(leased, page)
    plain = await look_plain(tab, page)
    marked = await look_marked(tab, page)
    for who, looked in (("ours", ours), ("aria_snapshot()", plain), ("aria_snapshot(mode='ai')", marked)):
        tell(who, looked)
    return ours, by_bus_ms, plain, marked


def page_rows(page: Page, ours: Looked, by_bus_ms: float, plain: Looked, marked: Looked) -> list[Row]:
    return [
        _time_row(page, ours, plain),
        Row(f"{page.name}: the same through the bus", "ms", by_bus_ms),
        least(RECALL, f"{page.name}: controls found, ai mode as peer", "share", ours.found.recall, marked.found.recall),
        least(PRECISION, f"{page.name}: right of what is shown", "share", ours.found.precision, marked.found.precision),
        *_text_rows(page, ours, marked),
        *_size_rows(page, ours, plain, marked),
        under(BLOCKED_MS, f"{page.name}: event loop blocked", "ms, longest", ours.blocked_ms, plain.blocked_ms),
    ]


async def look_elsewhere(chosen: Sequence[Page], url: str) -> dict[str, Looked]:
    python = interpreter()
    if python is None:
        return {}
    say("browser-use")
    reports = await browser_use(python, chosen, url, min(ROUNDS, 3))
    return {page.name: _browser_use_looked(page, reports[page.name]) for page in chosen if page.name in reports}


def _browser_use_looked(page: Page, browser_report: BrowserUseReport) -> Looked:
    lines = [line.strip() for line in browser_report.text.splitlines()]
    found = score(browser_report.reported, page.controls)
    looked = Looked(
        browser_report.ms, len(browser_report.text), found, texts_found(page.texts, lines), 0.0, hidden(page, lines)
    )
    say(f"{page.name}:")
    tell("browser-use", looked)
    return looked


def other_rows(page: Page, ours: Looked, other: Looked | None) -> list[Row]:
    if other is None:
        return []
    what = f"{page.name}, browser-use as peer:"
    return [
        Row(f"{what} an observation", "ms, median", ours.ms, other.ms),
        Row(f"{what} controls found", "share", ours.found.recall, other.found.recall),
        Row(f"{what} right of what is shown", "share", ours.found.precision, other.found.precision),
        Row(f"{what} data told", "share", ours.data_share(page), other.data_share(page)),
        size_row(page, f"{what} text a control told", ours, other),
    ]


def _time_row(page: Page, ours: Looked, plain: Looked) -> Row:
    what, unit = f"{page.name}: an observation", "ms, median"
    if page.aim_ms is None:
        return Row(what, unit, ours.ms, plain.ms)
    return under(page.aim_ms, what, unit, ours.ms, plain.ms)


def _size_rows(page: Page, ours: Looked, plain: Looked, marked: Looked) -> list[Row]:
    what = f"{page.name}: text a control told"
    return [
        Row(f"{page.name}: text of the page", "characters", ours.chars, plain.chars),
        size_row(page, what, ours, plain),
        size_row(page, f"{what}, ai mode as peer", ours, marked),
    ]


def size_row(page: Page, what: str, ours: Looked, peer: Looked) -> Row:
    """Return the row of sizes. Without an aim if the peer omits controls or data, because then it is shorter."""
    figure, other = ours.chars_per_control, peer.chars_per_control
    if peer.found.recall < RECALL or peer.data_share(page) < RECALL:
        return Row(what, "characters", figure, other, "the peer tells less")
    return beside(what, "characters", figure, other)


def _text_rows(page: Page, ours: Looked, marked: Looked) -> list[Row]:
    rows = (
        [least(RECALL, f"{page.name}: data told", "share", ours.data_share(page), marked.data_share(page))]
        if page.texts
        else []
    )
    if page.hidden_texts:
        rows.append(
            at_most(0, f"{page.name}: hidden texts told", "count", ours.hidden_reported, marked.hidden_reported)
        )
    return rows


async def look_ours(leased: Leased, page: Page) -> tuple[Looked, float]:
    marks = await marks_of(leased.session.page)
    _must_be_there(page, {mark.key for mark in marks})
    ms, lag = await median_ms(leased.observe)
    bus_ms, _ = await median_ms(leased.observe_by_bus)
    seen = await leased.observe(max_tokens=ALL_TOKENS)
    found = score(await reported(leased.session, seen, marks), page.controls)
    texts = texts_of(seen)
    looked = Looked(ms, len(seen.text), found, texts_found(page.texts, texts), lag.blocked_ms, hidden(page, texts))
    return looked, bus_ms


def _must_be_there(page: Page, keys: set[str]) -> None:
    """Assert that the truth is on the loaded page: else the benchmark is wrong, not the observer."""
    if lost := [control.name for control in page.controls if control.key not in keys]:
        raise SystemExit(f"the page {page.name} has lost its own controls {lost[:5]}")


async def look_plain(tab: Tab, page: Page) -> Looked:
    async def look() -> str:
        return await tab.locator("body").aria_snapshot()

    ms, lag = await median_ms(look)
    snapshot = await look()
    found = score_names(peer_names(aria_lines(snapshot)), page.controls)
    texts = aria_texts(snapshot)
    return Looked(ms, len(snapshot), found, texts_found(page.texts, texts), lag.blocked_ms, hidden(page, texts))


async def look_marked(tab: Tab, page: Page) -> Looked:
    async def look() -> str:
        return await tab.locator("body").aria_snapshot(mode="ai")

    ms, lag = await median_ms(look)
    snapshot = await look()
    found = score(await peer_reported(tab, snapshot), page.controls)
    texts = aria_texts(snapshot)
    return Looked(ms, len(snapshot), found, texts_found(page.texts, texts), lag.blocked_ms, hidden(page, texts))


def hidden(page: Page, texts: Sequence[str]) -> int:
    return len(page.hidden_texts) - len(texts_found(page.hidden_texts, texts))


async def median_ms(look: Callable[[], Awaitable[object]]) -> tuple[float, Lag]:
    """Return the median time of ``ROUNDS`` calls, after one warm-up."""
    await look()
    spent_ms: list[float] = []
    async with Lag() as lag:
        for _ in range(ROUNDS):
            began_s = time.perf_counter()
            await look()
            spent_ms.append((time.perf_counter() - began_s) * 1000)
    return statistics.median(spent_ms), lag


def tell(who: str, looked: Looked) -> None:
    if not DETAILS:
        return
    found = looked.found
    say(f"  {who}: {looked.ms:.1f} ms, {looked.chars} characters, {len(found.right)} of {found.needed} controls")
    for what, items in (("missed", found.missed), ("wrong", found.wrong), ("data not told", looked.missing)):
        if items:
            say(f"    {what} ({len(items)}): {'; '.join(items[:12])}")


if __name__ == "__main__":
    main()
