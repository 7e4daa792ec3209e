"""The cost of evidence: storing, verifying, tables, queries, the report, a register, and 10,000 samples end to end.

    make bench-evidence
    python -m benchmarks.evidence 1000    (fewer samples through the service)

Compared with plain tools where there are any, in the same run. Only loopback is contacted.
"""

from __future__ import annotations

import asyncio
import os
import sys

from benchmarks import evidence_disk, evidence_reconciliation, evidence_report, evidence_sql
from benchmarks.evidence_service import ARTIFACTS_EACH, service_rows, through_the_service
from benchmarks.report import report

SAMPLES = 10_000


def main(through: int = SAMPLES) -> None:
    rows = [
        *evidence_disk.disk_rows(),
        *evidence_sql.rows(SAMPLES),
        *evidence_report.measured().rows,
        *evidence_reconciliation.rows(),
        *service_rows(asyncio.run(through_the_service(through))),
    ]
    setup = {
        "processors": os.cpu_count(),
        "screenshots": f"{evidence_disk.PICTURES:,} files of {evidence_disk.PICTURE_BYTES:,} bytes that do not shrink",
        "verified run": f"{evidence_disk.SAMPLES:,} samples with {evidence_disk.EACH} artifacts of "
        f"{evidence_disk.ARTIFACT_BYTES:,} bytes; all of it is checked, the peer sums the artifacts only",
        "service": f"a process of its own on a real nats-server: 4 steps, {ARTIFACTS_EACH} artifacts, a result "
        "a sample; one process sends them, 8 at a time",
        "load before": f"{os.getloadavg()[0]:.1f}",
    }
    report("evidence", "What evidence costs", rows, setup)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
