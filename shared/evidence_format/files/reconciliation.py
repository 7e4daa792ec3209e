"""reconciliation/reconciliation.json: the population of a run compared with a register, record by record.

Every sample and every row of the register is in exactly one record. The file is written with one record a line, so that
it is written and read without holding all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from shared.contracts.base import Part
from shared.contracts.codes import OpenCode
from shared.contracts.discovery import FileReading
from shared.contracts.evidence import ReconciliationCounts
from shared.evidence_format.chain import NOT_JSON
from shared.evidence_format.files.json_files import encode_file

RecordVerdict = Literal[
    "differs",
    "missing_here",
    "missing_there",
    "duplicate",
    "no_key",
    "unclear",
    "not_read",
    "other_form",
    "same",
]
RECORD_VERDICTS: Mapping[RecordVerdict, str] = {
    "differs": "on both sides, and at least one field has another value",
    "missing_here": "in the register, and not in the run",
    "missing_there": "in the run, and not in the register",
    "duplicate": "the key is there more than once on a side, so nothing was joined and no field was compared",
    "no_key": "without a key, so it could not be looked for on the other side",
    "unclear": "on both sides, and a field could not be compared",
    "not_read": "on both sides; the sample is not done, so its fields were not compared",
    "other_form": "on both sides with the same values, some of them written in another form",
    "same": "on both sides with the same values",
}
"""What each verdict says of a record. First what a person has to look at."""
FieldVerdict = Literal["differs", "unclear", "not_read", "other_form"]
FIELD_VERDICTS: Mapping[FieldVerdict, str] = {
    "differs": "another value",
    "unclear": "the text of the register cannot be read as a value of the field, or could be more than one",
    "not_read": "the run could not find the field",
    "other_form": "the same value, written in another form",
}


class FieldDifference(Part, frozen=True, kw_only=True, gc=False):
    """A field that is not the same on both sides.

    ``here``: the value in its type, None without one; ``shown``: its text on the page. ``there``: the cell as it is
    written; ``read_there``: what it was read as, UNSET if it has no value of the type. ``why``: for people.
    """

    field: str
    verdict: OpenCode[FieldVerdict]
    here: Any = None
    shown: str | None = None
    there: str = ""
    read_there: Any | UnsetType = UNSET
    why: str = ""


class ReconciledRecord(Part, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """A record: its samples and its rows of the register (from 1 below the header), one of each unless the verdict
    says otherwise.

    ``key``: that of the sample; of a record that is missing here, that of the register. ``key_there``: the key of the
    register, where it is written in another form. ``near``: a key of the other side that has no partner either and
    differs from this one only in form. ``status``: of the sample.
    """

    verdict: OpenCode[RecordVerdict]
    key: str
    key_there: str = ""
    near: str = ""
    samples: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    status: str = ""
    fields: tuple[FieldDifference, ...] = ()


class ComparedColumn(Part, frozen=True, kw_only=True):
    """A field of the spec, and the column of the register that was compared with it."""

    field: str
    column: str


class FiledRegister(Part, frozen=True, kw_only=True):
    """The register as it is filed: ``path`` in the run's folder, its name when it was given, and its bytes.

    ``encoding``: of a text; ``encoding_guessed``: nothing in the file proves it, which earlier versions allowed.
    ``trimmed``: keys that had blanks at their ends, which were left out. ``reading``: what became of each sheet and row
    of it; None: an earlier version does not say.
    """

    path: str
    name: str
    sha256: str
    size_bytes: int
    encoding: str = ""
    encoding_guessed: bool = False
    trimmed: int = 0
    reading: FileReading | None = None


class ReconciliationHead(Part, frozen=True, kw_only=True):
    """All of reconciliation.json but its records.

    ``key``: the field by which samples and rows were joined. ``keys``: ``exact``, or ``folded`` if keys that differ
    only in form are one. ``columns``: what was compared; ``fields_without_column`` and ``columns_without_field`` were
    not.
    ``population_complete``: False if it was not proven that all samples were found, so that a record that is missing
    here may only not have been found.
    """

    version: int = 1
    run_id: str
    register: FiledRegister
    key: str
    key_column: str
    keys: OpenCode[Literal["exact", "folded"]]
    columns: tuple[ComparedColumn, ...]
    fields_without_column: tuple[str, ...]
    columns_without_field: tuple[str, ...]
    population_complete: bool
    counts: ReconciliationCounts


_RECORDS, _END = b'  "records": [\n', b"  ]\n}\n"
_LAST = b"  ]\n"


def write_reconciliation(head: ReconciliationHead, records: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the parts of the file. ``records``: each record as JSON."""
    yield encode_file(head).removesuffix(b"\n}\n") + b",\n" + _RECORDS
    before = b"    "
    for record in records:
        yield before + record
        before = b",\n    "
    yield (b"" if before == b"    " else b"\n") + _END


def parse_reconciliation(lines: Iterable[bytes]) -> tuple[ReconciliationHead, Iterator[ReconciledRecord]]:
    """Return the head and the records of a file, from its lines. Raises one of `NOT_JSON`, also while the records are
    read."""
    left = iter(lines)
    head: list[bytes] = []
    for line in left:
        if line == _RECORDS:
            break
        head.append(line)
    written = b"".join(head).removesuffix(b",\n") + b"\n}"
    return msgspec.json.decode(written, type=ReconciliationHead), _records(left)


def _records(lines: Iterator[bytes]) -> Iterator[ReconciledRecord]:
    decoder = msgspec.json.Decoder(ReconciledRecord)
    for line in lines:
        if line == _LAST:
            return
        yield decoder.decode(line.strip().removesuffix(b","))


def count_records(samples: int, rows: int, verdicts: Mapping[str, int]) -> ReconciliationCounts:
    """Return the counts of a comparison, from how many records have which verdict."""
    return ReconciliationCounts(
        samples=samples, rows=rows, **{verdict: verdicts.get(verdict, 0) for verdict in RECORD_VERDICTS}
    )


def find_reconciliation_problems(
    lines: Iterable[bytes], samples: Iterable[str], sealed_sha256: Mapping[str, str]
) -> list[str]:
    """Return what a reconciliation contradicts: the register that is filed, the samples of the run, or itself.

    Args:
        samples: ids of all samples of the run.
        sealed_sha256: the hash of each sealed file, by its path in the run's folder.
    """
    verdicts, of_samples, of_rows = Counter[str](), Counter[str](), Counter[int]()
    try:
        head, records = parse_reconciliation(lines)
        for record in records:
            verdicts[record.verdict] += 1
            of_samples.update(record.samples)
            of_rows.update(record.rows)
    except NOT_JSON:
        return []  # of a later version; that its bytes were not changed is proven by their hash
    problems: list[str] = []
    if sealed_sha256.get(head.register.path) != head.register.sha256:
        problems.append(f"was made of another register than {head.register.path}")
    if of_samples != Counter(samples):
        problems.append("and the manifest of the run name different samples")
    if of_rows and max(of_rows.values()) > 1:
        problems.append("names a row of the register twice")
    if count_records(of_samples.total(), of_rows.total(), verdicts) != head.counts:
        problems.append("counts other records than it lists")
    return problems
