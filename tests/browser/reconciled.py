"""A reconciliation.json of given records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from shared.evidence_format.files.reconciliation import (
    FiledRegister,
    ReconciledRecord,
    ReconciliationHead,
    count_records,
    write_reconciliation,
)


def reconciliation_bytes(records: Sequence[ReconciledRecord], name: str) -> bytes:
    samples, rows = (sum(len(getattr(one, side)) for one in records) for side in ("samples", "rows"))
    head = ReconciliationHead(
        run_id="run_2026-03-01_101500",
        register=FiledRegister(
            path="reconciliation/register_000000000000.csv", name=name, sha256="0" * 64, size_bytes=1
        ),
        key="number",
        key_column="Number",
        keys="exact",
        columns=(),
        fields_without_column=(),
        columns_without_field=(),
        population_complete=True,
        counts=count_records(samples, rows, Counter(one.verdict for one in records)),
    )
    return b"".join(write_reconciliation(head, map(msgspec.json.encode, records)))
