"""reconciliation.json as it is written, read and checked."""

from __future__ import annotations

import io
import json
from collections import Counter
from typing import Any

import msgspec

from shared.contracts.evidence import ReconciliationCounts
from shared.evidence_format.files.reconciliation import (
    RECORD_VERDICTS,
    FiledRegister,
    ReconciledRecord,
    ReconciliationHead,
    count_records,
    find_reconciliation_problems,
    parse_reconciliation,
    write_reconciliation,
)
from tests.cases import cases

PATH, SHA = "reconciliation/register_0.csv", "0" * 64
RECORDS = [
    ReconciledRecord(verdict="same", key='"records": [', samples=("s1",), rows=(1,), status="done"),
    ReconciledRecord(verdict="missing_here", key="line\nbreak \u2028 </script> \x1b[31m", rows=(2,)),
]


def head(records: list[ReconciledRecord]) -> ReconciliationHead:
    samples, rows = (sum(len(getattr(one, side)) for one in records) for side in ("samples", "rows"))
    return ReconciliationHead(
        run_id="run_1",
        register=FiledRegister(path=PATH, name='a"]\n}.csv', sha256=SHA, size_bytes=1),
        key="number",
        key_column="Number",
        keys="exact",
        columns=(),
        fields_without_column=(),
        columns_without_field=("x",),
        population_complete=True,
        counts=count_records(samples, rows, Counter(one.verdict for one in records)),
    )


def written(records: list[ReconciledRecord]) -> bytes:
    return b"".join(write_reconciliation(head(records), map(msgspec.json.encode, records)))


@cases("records", [RECORDS, RECORDS[:1], []])
def test_it_is_json_and_reads_as_it_was_written(records: list[ReconciledRecord]):
    data = written(records)
    assert json.loads(data)["records"] == [json.loads(msgspec.json.encode(one)) for one in records]
    read, left = parse_reconciliation(io.BytesIO(data))
    assert (read, list(left)) == (head(records), records)


def test_every_verdict_is_counted():
    assert set(msgspec.structs.asdict(ReconciliationCounts())) == {"samples", "rows", *RECORD_VERDICTS}


def problems(data: bytes, samples: tuple[str, ...] = ("s1",), sha256: str = SHA) -> list[str]:
    return find_reconciliation_problems(io.BytesIO(data), samples, {PATH: sha256})


def test_what_agrees_with_the_run_is_no_problem():
    assert problems(written(RECORDS)) == []


def changed(**head_: Any) -> bytes:
    whole = {**json.loads(written(RECORDS)), **head_}
    records = [json.dumps(one).encode() for one in whole.pop("records")]
    return b"".join(write_reconciliation(msgspec.convert(whole, ReconciliationHead), records))


def test_what_contradicts_the_run_or_itself_is_told():
    assert "another register" in problems(written(RECORDS), sha256="1" * 64)[0]
    assert "different samples" in problems(written(RECORDS), samples=("s1", "s2"))[0]
    twice = json.loads(msgspec.json.encode(RECORDS[1]))
    doubled = changed(records=[json.loads(msgspec.json.encode(RECORDS[0])), twice, twice])
    assert problems(doubled) == ["names a row of the register twice", "counts other records than it lists"]
    assert problems(changed(counts={"samples": 1, "rows": 2, "same": 2})) == ["counts other records than it lists"]
