"""Compares the samples of a run with the rows of a register, both ways. Pure; each side is read in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from shared.evidence_format.files.reconciliation import FieldDifference, ReconciledRecord, RecordVerdict
from shared.evidence_format.files.sample import StoredField
from shared.reconciling.columns import RegisterColumns
from shared.reconciling.keys import key_form
from shared.reconciling.values import compare_field
from shared.tables.table import Row
from shared.task.output_field import OutputField


class ComparedSample(msgspec.Struct, frozen=True, gc=False):
    """What the comparison needs of a sample. ``key``: empty if nothing says it. ``status``: empty without a result."""

    sample_id: str
    key: str
    status: str
    fields: dict[str, StoredField]


class Sides:
    """Both sides by their keys. ``rows`` stay in memory, of the samples only ids and keys."""

    def __init__(
        self, samples: Iterable[ComparedSample], rows: Sequence[Row], columns: RegisterColumns, *, fold_keys: bool
    ) -> None:
        self.rows, self.columns = rows, columns
        self._form: Callable[[str], str] = key_form if fold_keys else str
        self._there: dict[str, list[Row]] = defaultdict(list)
        self._here: dict[str, list[str]] = defaultdict(list)
        written: dict[str, str] = {}
        for row in rows:
            if key := self.key_there(row):
                self._there[self._form(key)].append(row)
        for sample in samples:
            if sample.key:
                self._here[self._form(sample.key)].append(sample.sample_id)
                written.setdefault(self._form(sample.key), sample.key)
        alone_here = {key_form(key): key for form, key in written.items() if form not in self._there}
        alone_there = {
            key_form(key): key
            for form, (row, *_) in self._there.items()
            if form not in self._here and (key := self.key_there(row))
        }
        self._near = {form: (alone_here[form], alone_there[form]) for form in alone_here.keys() & alone_there.keys()}

    def key_there(self, row: Row) -> str:
        return row.cells.get(self.columns.key_column, "")

    def rows_of(self, key: str) -> list[Row]:
        return self._there.get(self._form(key), [])

    def samples_of(self, key: str) -> list[str]:
        return self._here.get(self._form(key), [])

    def near_of(self, key: str, *, there: bool) -> str:
        """Return a key without a partner, on the other side, that differs only in form; empty if there is none."""
        pair = self._near.get(key_form(key))
        return "" if pair is None else pair[0 if there else 1]


def compare_records(
    samples: Iterable[ComparedSample], sides: Sides, fields: Mapping[str, OutputField]
) -> Iterator[ReconciledRecord]:
    """Yield all records: those with samples in the order of the samples, then the others in the order of the register.
    Every sample and every row is in exactly one of them. ``fields``: the output fields of the spec."""
    for sample in samples:
        ids, rows = sides.samples_of(sample.key), sides.rows_of(sample.key)
        if not sample.key:
            yield ReconciledRecord(verdict="no_key", key="", samples=(sample.sample_id,), status=sample.status)
        elif len(ids) > 1 or len(rows) > 1:
            if ids[0] == sample.sample_id:
                yield _duplicate(sample.key, ids, rows)
        elif not rows:
            near = sides.near_of(sample.key, there=False)
            yield ReconciledRecord(
                verdict="missing_there", key=sample.key, near=near, samples=(sample.sample_id,), status=sample.status
            )
        else:
            yield _joined(sample, rows[0], sides, fields)
    yield from _rows_alone(sides)


def _rows_alone(sides: Sides) -> Iterator[ReconciledRecord]:
    for row in sides.rows:
        key = sides.key_there(row)
        if not key:
            yield ReconciledRecord(verdict="no_key", key="", rows=(row.number,))
        elif not sides.samples_of(key):
            rows = sides.rows_of(key)
            if len(rows) == 1:
                near = sides.near_of(key, there=True)
                yield ReconciledRecord(verdict="missing_here", key=key, near=near, rows=(row.number,))
            elif rows[0] is row:
                yield _duplicate(key, (), rows)


def _duplicate(key: str, ids: Sequence[str], rows: Sequence[Row]) -> ReconciledRecord:
    numbers = tuple(row.number for row in rows)
    return ReconciledRecord(verdict="duplicate", key=key, samples=tuple(ids), rows=numbers)


def _joined(sample: ComparedSample, row: Row, sides: Sides, fields: Mapping[str, OutputField]) -> ReconciledRecord:
    key_there = sides.key_there(row)
    done = sample.status == "done"
    compared = sides.columns.compared.items() if done else ()
    found = [
        compare_field(name, fields[name], sample.fields.get(name), row.as_given.get(column, row.cells.get(column, "")))
        for name, column in compared
    ]
    differing = tuple(difference for difference in found if difference is not None)
    return ReconciledRecord(
        verdict=_verdict(differing) if done else "not_read",
        key=sample.key,
        key_there="" if key_there == sample.key else key_there,
        samples=(sample.sample_id,),
        rows=(row.number,),
        status=sample.status,
        fields=differing,
    )


def _verdict(differing: Sequence[FieldDifference]) -> RecordVerdict:
    verdicts = {difference.verdict for difference in differing}
    if "differs" in verdicts:
        return "differs"
    if verdicts & {"unclear", "not_read"}:
        return "unclear"
    return "other_form" if verdicts else "same"
