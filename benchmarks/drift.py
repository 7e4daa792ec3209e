"""`make bench-drift`: flows on practice sites that have changed since, by every switch of practice/ alone and in pairs.

A flow of each family is compiled on the plain site, and run alone, without a planner behind it. Each sample is scored
against the truth of the site: done right, stopped, or wrong. `make docs` writes docs/drift.md from the results.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path

from benchmarks.report import Row, at_most, least, report, write_result
from practice.drift import Drift, alone, pairs
from shared.testing.settings import library_settings
from tests.drift.flows import measure, told
from tests.drift.outcomes import Outcome, counts_of, table_of
from tests.drift.subjects import FAMILIES

EACH = 4
LEAST_DONE = 0.9
PARTS = 4
"""Parts in which a family is measured, each with a flow that was compiled for it."""
TITLE = "Flows on changed sites: every switch of the practice sites alone and in pairs"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=EACH, help="samples of each family on each changed site")
    parser.add_argument("--at-once", type=int, default=os.cpu_count(), help="parts that are measured at once")
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"of {', '.join(FAMILIES)}; all by default")
    options = parser.parse_args()
    families, each = options.families or list(FAMILIES), int(options.each)
    drifts = [*alone(), *pairs()]
    parts = [(family, drifts[at::PARTS]) for at in range(PARTS) for family in families]
    begin_s = time.monotonic()
    found: list[Outcome] = []
    setup: dict[str, object] = {}
    with ProcessPoolExecutor(options.at_once, get_context("spawn")) as pool:
        for done in as_completed([pool.submit(measure_part, family, part, each) for family, part in parts]):
            found += done.result()
            outcomes = in_order(found, families, drifts)
            setup = {
                "samples of each family on each changed site": each,
                "all changed sites": len(families) * len(drifts),
                "mode": "flow",
                "processors": os.cpu_count(),
                "load": round(os.getloadavg()[2], 1),
                "minutes": round((time.monotonic() - begin_s) / 60, 1),
                "outcomes": [asdict(one) for one in counts_of(outcomes)],
            }
            write_result("drift", rows(outcomes, families), setup)  # what is measured stays, if the rest is cut off
    report("drift", TITLE, rows(in_order(found, families, drifts), families), setup)


def measure_part(family: str, drifts: Sequence[Drift], each: int) -> list[Outcome]:
    """Measure a family with some of the drifts, in a process of its own: a site's drift is of the whole process."""
    with tempfile.TemporaryDirectory(prefix="exhibit-drift-") as folder:
        outcomes = asyncio.run(_measure(family, drifts, each, Path(folder)))
    print(f"{told(outcomes)}\n\n{table_of(outcomes)}\n", flush=True)
    return outcomes


async def _measure(family: str, drifts: Sequence[Drift], each: int, root: Path) -> list[Outcome]:
    settings = library_settings(root, planner="rules", log_level="ERROR")
    async with FAMILIES[family](each) as subject:
        return await measure(settings, subject, drifts, "flow")


def in_order(outcomes: Sequence[Outcome], families: Sequence[str], drifts: Sequence[Drift]) -> list[Outcome]:
    """Return the outcomes by family and drift, the plain site first; of it, each part has measured the same samples."""
    order = [Drift(), *drifts]
    once = {(one.family, one.drift, one.sample_id): one for one in outcomes}
    return sorted(once.values(), key=lambda one: (families.index(one.family), order.index(one.drift), one.sample_id))


def rows(outcomes: Sequence[Outcome], families: Sequence[str]) -> list[Row]:
    changed = [one for one in outcomes if one.drift]
    same = [one for one in changed if one.drift.is_same_page]
    other = [one for one in changed if not one.drift.is_same_page]
    return [
        at_most(0, "false heals: wrong values, records or presses", "samples", _count(outcomes, "false")),
        least(LEAST_DONE, "the same page for a person: done right by the flow", "share", _done(same)),
        least(LEAST_DONE, "of these, where not all was as recorded: healed", "share", _healed(same)),
        *(
            least(LEAST_DONE, f"the same page, {family}: done right by the flow", "share", _done(_of(same, family)))
            for family in families
        ),
        Row("labels in other words: done right by the flow", "share", _done(other)),
        Row("labels in other words: failed closed", "share", _share(other, "closed")),
        Row("samples on changed sites", "samples", len(changed)),
    ]


def _of(outcomes: Sequence[Outcome], family: str) -> list[Outcome]:
    return [one for one in outcomes if one.family == family]


def _count(outcomes: Sequence[Outcome], verdict: str) -> int:
    return sum(one.verdict == verdict for one in outcomes)


def _share(outcomes: Sequence[Outcome], verdict: str) -> float:
    return _count(outcomes, verdict) / max(len(outcomes), 1)


def _done(outcomes: Sequence[Outcome]) -> float:
    return _share(outcomes, "right")


def _healed(outcomes: Sequence[Outcome]) -> float:
    return _done([one for one in outcomes if one.healed or one.verdict != "right"])


if __name__ == "__main__":
    main()
