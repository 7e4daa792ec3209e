"""The workflow library: search beside BM25, invocations beside a Python interpreter for each.

make bench-library
"""

from __future__ import annotations

import os

from benchmarks.library import finding, invoking
from benchmarks.report import report


def main() -> None:
    setup: dict[str, object] = {"processors": os.cpu_count(), "load before": f"{os.getloadavg()[0]:.1f}"}
    rows = [*finding.speed_rows(), *finding.quality_rows(), *finding.rows_without_the_extra(), *invoking.rows()]
    setup["search"] = (
        "30 direct queries, 62 paraphrases and 64 of nonsense over 100 labelled workflows; peer: BM25 (rank-bm25)"
    )
    setup["invoke"] = "peer: a Python interpreter for each invocation, without confinement"
    report("library", "The workflow library", rows, setup)


if __name__ == "__main__":
    main()
