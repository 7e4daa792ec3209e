"""Concurrent sessions, actions, leases and the memory that they leave behind."""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import psutil

from benchmarks.memory import tree_mb
from benchmarks.observe_lag import Lag
from benchmarks.observe_pool import SESSIONS, Leased, Pool
from benchmarks.report import Row, at_most, under
from shared.contracts.actions import ByCss, Click, TypeText

LEASES = int(os.environ.get("LEASES", "1000"))
FIRST_LEASES = 100
LEASES_AT_ONCE = 4
PEER_LEASES = 60
# A slow machine leases fewer; the row says how many.
LEASES_BOUND_S = 120.0
LOOKS_EACH = 4
# A session keeps its last six snapshots: before that its memory grows.
WARM_LOOKS = 8
LARGE_LOOKS = 20
ACTIONS = 15
BLOCKED_MS = 50.0
GROWTH = 1.1
READINGS = 5

Say = Callable[[str], None]


async def loads(pool: Pool, url: str, say: Say) -> list[Row]:
    rows: list[Row] = []
    for count in (1, 2, 4, SESSIONS):
        say(f"{count} sessions at once")
        rows += await at_once(pool, f"{url}/table", count)
    say("actions")
    rows += await actions(pool, f"{url}/workbench")
    say("memory of large observations")
    rows.append(await large_memory(pool, f"{url}/large"))
    say(f"{LEASES} leases")
    return rows + await leases(pool, f"{url}/workbench", say)


# --- several sessions


async def at_once(pool: Pool, url: str, count: int) -> list[Row]:
    """Measure sessions that observe a table each, as fast as they are answered."""
    sessions = [await pool.lease() for _ in range(count)]
    await asyncio.gather(*(leased.goto(url) for leased in sessions))
    ours, our_lag = await _rate([leased.observe for leased in sessions])
    peer, peer_lag = await _rate([_aria(leased) for leased in sessions])
    await asyncio.gather(*(leased.release() for leased in sessions))
    word = "session" if count == 1 else "sessions"
    return [
        Row(f"{count} {word} at once, table", "observations per s", ours, peer),
        under(
            BLOCKED_MS,
            f"{count} {word}: event loop blocked",
            "ms, longest",
            our_lag.blocked_ms,
            peer_lag.blocked_ms,
        ),
        Row(f"{count} {word}: a turn of the loop late", "ms, longest", our_lag.late_ms, peer_lag.late_ms),
    ]


def _aria(leased: Leased) -> Callable[[], Awaitable[object]]:
    body = leased.session.page.locator("body")
    return body.aria_snapshot


async def _rate(looks: list[Callable[[], Awaitable[object]]]) -> tuple[float, Lag]:
    async def repeat(look: Callable[[], Awaitable[object]]) -> None:
        for _ in range(LOOKS_EACH):
            await look()

    await asyncio.gather(*(look() for look in looks))
    async with Lag() as lag:
        began_s = time.perf_counter()
        await asyncio.gather(*(repeat(look) for look in looks))
        spent_s = time.perf_counter() - began_s
    return len(looks) * LOOKS_EACH / spent_s, lag


# --- actions


async def actions(pool: Pool, url: str) -> list[Row]:
    """Measure a verified click and text, alternating with Playwright's bare calls in the same tab."""
    leased = await pool.lease()
    await leased.goto(url)
    tab = leased.session.page
    button, field = ByCss(css="#hit"), ByCss(css="#field")
    spent: dict[str, list[float]] = {"click": [], "bare click": [], "type": [], "bare fill": []}
    for turn in range(ACTIONS):
        spent["click"].append(await _ms(_done(leased, Click(target=button))))
        spent["bare click"].append(await _ms(tab.click("#hit")))
        spent["type"].append(await _ms(_done(leased, TypeText(target=field, text=f"turn {turn}"))))
        spent["bare fill"].append(await _ms(tab.fill("#field", f"bare {turn}")))
    if await tab.locator("#count").text_content() != str(2 * ACTIONS):
        raise SystemExit("the clicks on the workbench did not all arrive")
    await leased.release()
    medians = {name: statistics.median(times) for name, times in spent.items()}
    return [
        Row("a verified click", "ms, median", medians["click"], medians["bare click"]),
        Row("a verified text", "ms, median", medians["type"], medians["bare fill"]),
        Row("a click, over bare Playwright", "ms", medians["click"] - medians["bare click"]),
        Row("a text, over bare Playwright", "ms", medians["type"] - medians["bare fill"]),
    ]


async def _done(leased: Leased, action: Click | TypeText) -> None:
    result = await leased.act(action)
    if not result.ok:
        raise SystemExit(f"an action on the workbench failed: {result.code}: {result.message}")


async def _ms(work: Awaitable[object]) -> float:
    began_s = time.perf_counter()
    await work
    return (time.perf_counter() - began_s) * 1000


# --- memory and leases


async def large_memory(pool: Pool, url: str) -> Row:
    leased = await pool.lease()
    await leased.goto(url)
    for _ in range(WARM_LOOKS):
        await leased.observe()
    first_mb = await settled_mb()
    for _ in range(LARGE_LOOKS):
        await leased.observe()
    last_mb = await settled_mb()
    await leased.release()
    what = f"memory after {LARGE_LOOKS} more looks at 20,000 elements ({last_mb:.0f} MB)"
    return at_most(GROWTH, what, f"times that after {WARM_LOOKS}", last_mb / first_mb)


async def settled_mb() -> float:
    """Return the memory of this process and its children: the minimum of some readings, without short-lived memory."""
    readings: list[float] = []
    for _ in range(READINGS):
        await asyncio.sleep(0.4)
        readings.append(await asyncio.to_thread(tree_mb, psutil.Process()))
    return min(readings)


@dataclass
class Spent:
    """The figures of a lease run. ``leased`` is the number of leases within the time limit."""

    leased: int = 0
    seconds: float = 0.0


async def leases(pool: Pool, url: str, say: Say) -> list[Row]:
    """Measure lease, page load, observation and release; then the rate without a page."""
    bare = Spent()
    await _lease_many(pool, PEER_LEASES, bare)
    peer = await _peer_leases_per_s(pool)
    visits = Spent(PEER_LEASES)
    await _lease_many(pool, FIRST_LEASES, visits, url)
    first_mb = await settled_mb()
    say(f"memory after {visits.leased} leases: {first_mb:.0f} MB")
    await _lease_many(pool, LEASES, visits, url)
    last_mb = await settled_mb()
    say(f"memory after {visits.leased} leases: {last_mb:.0f} MB")
    return [
        Row("leases, nothing else", "per s", PEER_LEASES / bare.seconds, peer),
        Row("leases with a page opened and looked at", "per s", (visits.leased - PEER_LEASES) / visits.seconds),
        at_most(
            GROWTH,
            f"memory after {visits.leased} leases ({last_mb:.0f} MB)",
            f"times that after {FIRST_LEASES}",
            last_mb / first_mb,
        ),
    ]


async def _lease_many(pool: Pool, upto: int, spent: Spent, url: str | None = None) -> None:
    """Lease and close sessions until ``upto`` are done."""
    began_s = time.perf_counter()

    async def worker() -> None:
        while spent.leased < upto and time.perf_counter() - began_s < LEASES_BOUND_S:
            spent.leased += 1
            leased = await pool.lease()
            if url is not None:
                await leased.goto(url)
                await leased.observe()
            await leased.release()

    await asyncio.gather(*(worker() for _ in range(LEASES_AT_ONCE)))
    await pool.deps.sessions.drain()
    spent.seconds += time.perf_counter() - began_s


async def _peer_leases_per_s(pool: Pool) -> float:
    """Return the rate of contexts with a page, opened and closed directly in the same browser."""
    leased = await pool.lease()
    browser = leased.session.page.context.browser
    assert browser is not None

    async def worker() -> None:
        for _ in range(PEER_LEASES // LEASES_AT_ONCE):
            context = await browser.new_context()
            await context.new_page()
            await context.close()

    began_s = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(LEASES_AT_ONCE)))
    spent_s = time.perf_counter() - began_s
    await leased.release()
    return PEER_LEASES / spent_s
