"""What the look at the picture costs: captures of a ticket's page with its values beside captures without them."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import practice.tickets.server
from benchmarks.observe_pool import Leased, pool
from services.browser_pool.adapters.browser.chromium import PoolSession
from services.browser_pool.ports import PageCapture, WantedRefs

CAPTURES = 15
PATH = "/tickets/TCK-1003"


async def milliseconds_a_value() -> tuple[float, int]:
    """Return the median milliseconds a value that a capture takes longer with the look, and the number of values."""
    with tempfile.TemporaryDirectory(prefix="exhibit-ink-") as folder:
        async with practice.tickets.server.serve() as url, pool(Path(folder)) as served:
            leased = await served.lease()
            await leased.goto(f"{url}{PATH}")
            taken = await _measure(leased)
            await leased.release()
            return taken


async def _measure(leased: Leased) -> tuple[float, int]:
    page = await leased.observe()
    refs = tuple(element.ref for element in page.elements if element.header)
    bare, looked = WantedRefs(page.snapshot_id), WantedRefs(page.snapshot_id, refs)
    seconds: dict[WantedRefs, list[float]] = {bare: [], looked: []}
    for _ in range(CAPTURES):  # by turns, so that both meet the machine as it is
        for wanted, spent in seconds.items():
            spent.append(await _capture(leased, wanted))
    slower_s = statistics.median(seconds[looked]) - statistics.median(seconds[bare])
    return 1000 * slower_s / len(refs), len(refs)


async def _capture(leased: Leased, wanted: WantedRefs) -> float:
    assert isinstance(leased.session, PoolSession)
    began_s = time.perf_counter()
    captured = await leased.session.capture((), wanted)
    spent_s = time.perf_counter() - began_s
    if not isinstance(captured, PageCapture) or len(captured.ink) != len(wanted.refs):
        raise SystemExit(f"the capture did not look at {len(wanted.refs)} values: {captured!r:.300}")
    return spent_s
