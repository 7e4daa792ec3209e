"""Flows on pages that have changed since they were learned: Roundup's changed templates, other releases of two apps,
and four apps whose records are drawn in other layouts.

The aims are for pages that a person would call the same: values stand beside the same words as before. In other layouts
the rules work the same samples out alone; what they do not read is no loss of a flow's.

make bench-releases
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.report import Row, at_most, least, report
from tests.real.apps.environment import NEWER, OLDER
from tests.real.releases import redesigns
from tests.real.releases.app_releases import APPS, measure_release
from tests.real.releases.measuring import PLAIN, WayOutcome, told
from tests.real.releases.redesigns import RedesignOutcome
from tests.real.releases.roundup_templates import RENAMED
from tests.real.releases.roundup_ways import measure_roundup

RIGHT = 0.9


def main() -> None:
    setup: dict[str, object] = {"processors": os.cpu_count(), "load before": f"{os.getloadavg()[0]:.1f}"}
    with tempfile.TemporaryDirectory(prefix="exhibit-releases-") as folder:
        found, redesigned = asyncio.run(_measure(Path(folder)))
    print(told(found))
    print(redesigns.told(redesigned))
    write(found, redesigned, setup)


async def _measure(folder: Path) -> tuple[list[WayOutcome], list[RedesignOutcome]]:
    found = await measure_roundup(folder / "roundup")
    for name in APPS:
        for learned in (OLDER, NEWER):
            found += await measure_release(folder / f"{name} {learned}", name, learned)
    redesigned = [
        one for name in redesigns.APPS for one in await redesigns.measure_app(folder / f"redesigned {name}", name)
    ]
    return found, redesigned


def write(found: Sequence[WayOutcome], redesigned: Sequence[RedesignOutcome], setup: dict[str, object]) -> None:
    """Report the shares, with the counts of each way as setup."""
    for one in redesigned:
        setup[f"{one.app}, redesigned: {one.layout}"] = one.line
    other = [one for one in redesigned if one.layout != PLAIN]
    for one in found:
        setup[f"{one.family}: {one.way}"] = f"{len(one.outcomes)} samples: {dict(one.counts)}"
    changed = [one for one in found if one.way not in (PLAIN, RENAMED)]
    renamed = [one for one in found if one.way == RENAMED]
    rows = [
        at_most(0, "false heals", "samples", sum(one.counts["false"] for one in found)),
        least(RIGHT, "right, Roundup with changed templates", "share", _share(changed, roundup=True)),
        least(RIGHT, "right, on another release of the app", "share", _share(changed, roundup=False)),
        Row("right, Roundup with labels in other words", "share", _share(renamed, roundup=True)),
        at_most(0, "done and wrong, in other layouts", "samples", sum(len(one.wrong) for one in other)),
        least(
            RIGHT,
            "in other layouts, of the samples that rules read: right with the flow",
            "share",
            sum(one.both for one in other) / max(sum(one.rules_right for one in other), 1),
        ),
        Row("in other layouts, right by the flow to its end", "samples", sum(one.by_flow for one in other)),
        Row("in other layouts, read right by the rules", "samples", sum(one.rules_right for one in other)),
        Row("samples in other layouts", "samples", sum(one.samples for one in other)),
        Row("samples on changed pages", "samples", sum(len(one.outcomes) for one in changed)),
    ]
    report("releases", "Flows on third-party pages that have changed", rows, setup)


def _share(found: Sequence[WayOutcome], *, roundup: bool) -> float:
    some = [one for one in found if (one.family == "roundup") == roundup]
    return sum(one.counts["right"] for one in some) / max(sum(len(one.outcomes) for one in some), 1)


if __name__ == "__main__":
    main()
