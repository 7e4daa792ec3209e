"""`make bench-hands`: what the typed actions tell of three published widget kits, and what they cost.

Every task and probe of tests/real/kits is tried once. The result of each action is compared with what the widgets of
the page hold, by their kits' own account. The same tasks are done by hand-written Playwright with the selectors of each
kit; milliseconds are those of the tasks that both sides did, from the call to its return, without the checks.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from benchmarks.hands_bare import bare_ms
from benchmarks.report import Row, at_most, least, report
from tests.real.kits.lists import PROBES, TASKS
from tests.real.kits.session import trier
from tests.real.kits.site import KITS
from tests.real.kits.trials import Trial, Tried, Trier, report_trials, untrue_results


def main() -> None:
    setup: dict[str, object] = {"cores": os.cpu_count(), "load before": f"{os.getloadavg()[0]:.1f}"}
    with tempfile.TemporaryDirectory(prefix="exhibit-hands-") as folder:
        tried, bare = asyncio.run(_measure(Path(folder)))
    print(report_trials(tried))
    report("hands", "Typed actions on three widget kits, beside bare Playwright", rows(tried, bare), setup)


async def _measure(folder: Path) -> tuple[list[Tried], Mapping[str, float]]:
    async with AsyncExitStack() as stack:
        somebody = await stack.enter_async_context(trier(folder, KITS))
        bare = await bare_ms(TASKS, somebody.url)
        tried = await _try_all(somebody, TASKS)
        # Nothing is timed any more.
        others = {kit: await stack.enter_async_context(trier(folder / kit, (kit,))) for kit in KITS}
        probed = [_try_all(other, [one for one in PROBES if one.kit == kit]) for kit, other in others.items()]
        for done in await asyncio.gather(*probed):
            tried += done
    return tried, bare


async def _try_all(somebody: Trier, trials: Sequence[Trial]) -> list[Tried]:
    tried: list[Tried] = []
    for trial in trials:
        tried.append(await somebody.play(trial))
        print(f"  {report_trials(tried[-1:]).rpartition(chr(10))[0] or trial.title}", file=sys.stderr, flush=True)
    return tried


def rows(tried: Sequence[Tried], bare: Mapping[str, float]) -> list[Row]:
    """Return the figures. ``bare``: milliseconds that Playwright by hand took for each task that it did, by title."""
    tasks, probes = [one for one in tried if one.trial.is_task], [one for one in tried if not one.trial.is_task]
    done = [one for one in tasks if not one.why]
    both = [one for one in done if one.trial.title in bare]
    ours_ms, bare_ms_each = _an_action(both, {one.trial.title: _spent_ms(one) for one in both}), _an_action(both, bare)
    return [
        at_most(0, "untrue results of the tasks", "results", untrue_results(tasks)),
        at_most(0, "untrue results of the probes", "results", untrue_results(probes)),
        least(1.0, "tasks done", "share", len(done) / len(tasks)),
        Row("tasks", "count", len(tasks)),
        Row("probes", "count", len(probes)),
        Row("results compared with the page", "count", sum(len(one.told) for one in tried)),
        Row("actions a task", "mean", statistics.mean(len(one.told) for one in done)),
        Row("tasks done by both sides", "count", len(both)),
        Row("an action", "ms, mean", statistics.mean(ours_ms), statistics.mean(bare_ms_each)),
        Row("an action", "ms, median", statistics.median(ours_ms), statistics.median(bare_ms_each)),
        Row("an action, over bare Playwright", "ms, mean", statistics.mean(ours_ms) - statistics.mean(bare_ms_each)),
    ]


def _spent_ms(one: Tried) -> float:
    return sum(told.ms for told in one.told)


def _an_action(tried: Sequence[Tried], ms: Mapping[str, float]) -> list[float]:
    """Return the milliseconds of one action of each task."""
    return [ms[one.trial.title] / len(one.told) for one in tried]


if __name__ == "__main__":
    main()
