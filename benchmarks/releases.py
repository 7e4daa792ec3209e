"""Flows on pages that have changed since they were learned: Roundup's changed templates, other releases of two apps.

The aims are for pages that a person would call the same: values stand beside the same words as before.

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
from tests.real.releases.app_releases import APPS, measure_release
from tests.real.releases.measuring import PLAIN, WayOutcome, told
from tests.real.releases.roundup_templates import RENAMED
from tests.real.releases.roundup_ways import measure_roundup

RIGHT = 0.9


def main() -> None:
    setup: dict[str, object] = {"processors": os.cpu_count(), "load before": f"{os.getloadavg()[0]:.1f}"}
    with tempfile.TemporaryDirectory(prefix="exhibit-releases-") as folder:
        found = asyncio.run(_measure(Path(folder)))
    print(told(found))
    write(found, setup)


async def _measure(folder: Path) -> list[WayOutcome]:
    found = await measure_roundup(folder / "roundup")
    for name in APPS:
        for learned in (OLDER, NEWER):
            found += await measure_release(folder / f"{name} {learned}", name, learned)
    return found


def write(found: Sequence[WayOutcome], setup: dict[str, object]) -> None:
    """Report the shares, with the counts of each way as setup."""
    for one in found:
        setup[f"{one.family}: {one.way}"] = f"{len(one.outcomes)} samples: {dict(one.counts)}"
    changed = [one for one in found if one.way not in (PLAIN, RENAMED)]
    renamed = [one for one in found if one.way == RENAMED]
    rows = [
        at_most(0, "false heals", "samples", sum(one.counts["false"] for one in found)),
        least(RIGHT, "right, Roundup with changed templates", "share", _share(changed, roundup=True)),
        least(RIGHT, "right, on another release of the app", "share", _share(changed, roundup=False)),
        Row("right, Roundup with labels in other words", "share", _share(renamed, roundup=True)),
        Row("samples on changed pages", "samples", sum(len(one.outcomes) for one in changed)),
    ]
    report("releases", "Flows on third-party pages that have changed", rows, setup)


def _share(found: Sequence[WayOutcome], *, roundup: bool) -> float:
    some = [one for one in found if (one.family == "roundup") == roundup]
    return sum(one.counts["right"] for one in some) / max(sum(len(one.outcomes) for one in some), 1)


if __name__ == "__main__":
    main()
