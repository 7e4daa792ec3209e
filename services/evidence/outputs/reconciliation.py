"""Compares the samples of a run with its register, and makes reconciliation.json.

Samples are spooled to a file; of the register the rows are in memory while it is compared.
"""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from services.evidence.facts import RunFacts
from services.evidence.outputs.products import NotMadeError, OpenFile, OutputFile
from shared.contracts.discovery import Register
from shared.contracts.evidence import ReconciliationCounts
from shared.evidence_format import layout
from shared.evidence_format.files.reconciliation import (
    ComparedColumn,
    FiledRegister,
    ReconciledRecord,
    ReconciliationHead,
    count_records,
    parse_reconciliation,
    write_reconciliation,
)
from shared.evidence_view.sample_facts import SampleFacts
from shared.reconciling.columns import RegisterColumns, match_columns
from shared.reconciling.comparison import ComparedSample, Sides, compare_records
from shared.reconciling.keys import key_of_sample
from shared.submission.register import find_register_flaws, register_reading
from shared.tables.excel import open_workbook
from shared.tables.files import parse_register
from shared.tables.table import Table
from shared.task.spec import TaskSpec, check_spec


class Reconciliation:
    """See :class:`services.evidence.outputs.products.Product`. Of a run without a register nothing is made. The bytes
    are deterministic."""

    makes = layout.RECONCILED

    def __init__(self, run: RunFacts, folder: Path) -> None:
        self._run, self._folder = run, folder
        self._register = run.record.register
        self._spec = check_spec(run.record.spec)[0] if self._register is not None else None
        self._spool = (folder / "samples").open("wb")
        self._samples = 0

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        if self._register is None or self._spec is None:
            return
        key = key_of_sample(self._spec, self._register.key, sample)
        compared = ComparedSample(sample.sample_id, key, sample.status or "", dict(sample.fields))
        self._spool.write(msgspec.json.encode(compared) + b"\n")
        self._samples += 1

    def finish(self) -> Iterable[OutputFile]:
        self._spool.close()
        if self._register is None:
            return []
        if self._spec is None:
            raise NotMadeError(f"{self.makes} could not be made: the spec of the run is not valid in this version")
        table = self._read_register(self._register)
        columns, problems = match_columns(self._spec, self._register.key, table.columns, self._register.file.name)
        if columns is None:
            raise NotMadeError(f"{self.makes} could not be made: {problems[0].where}: {problems[0].message}")
        if flaws := find_register_flaws(table, columns):
            raise NotMadeError(f"{self.makes} could not be made: {flaws[0].where}: {flaws[0].message}")
        sides = Sides(self._spooled(), table.rows, columns, fold_keys=self._register.fold_keys)
        verdicts = self._write_records(sides, self._spec)
        head = self._head(self._register, table, columns, verdicts)
        target = Path(self._run.reconciliation)
        with target.open("wb") as file, (self._folder / "records").open("rb") as records:
            file.writelines(write_reconciliation(head, (line.removesuffix(b"\n") for line in records)))
        # The products that follow read it where it is; storing a file uses it up.
        copy = self._folder / target.name
        shutil.copyfile(target, copy)
        return [OutputFile(layout.RECONCILED, copy)]

    def close(self) -> None:
        self._spool.close()

    def _read_register(self, register: Register) -> Table:
        if not self._run.register:
            raise NotMadeError(f"{self.makes} could not be made: the register {register.file.name} is not filed")
        data = Path(self._run.register).read_bytes()
        if hashlib.sha256(data).hexdigest() != register.file.sha256.lower():
            raise NotMadeError(f"{self.makes} could not be made: the register has other bytes than were filed")
        table, problems = parse_register(data, register.file.name, open_workbook, register.file.read_as)
        if table is None or problems:
            why = f"{problems[0].where}: {problems[0].message}"
            raise NotMadeError(f"{self.makes} could not be made: the register cannot be read: {why}")
        return table

    def _spooled(self) -> Iterator[ComparedSample]:
        decoder = msgspec.json.Decoder(ComparedSample)
        with (self._folder / "samples").open("rb") as file:
            for line in file:
                yield decoder.decode(line)

    def _write_records(self, sides: Sides, spec: TaskSpec) -> Counter[str]:
        verdicts = Counter[str]()
        with (self._folder / "records").open("wb") as file:
            for record in compare_records(self._spooled(), sides, spec.output_schema):
                verdicts[record.verdict] += 1
                file.write(msgspec.json.encode(record) + b"\n")
        return verdicts

    def _head(
        self,
        register: Register,
        table: Table,
        columns: RegisterColumns,
        verdicts: Counter[str],
    ) -> ReconciliationHead:
        return ReconciliationHead(
            run_id=self._run.record.run_id,
            register=FiledRegister(
                path=layout.register_path(register.file.sha256, register.file.name),
                name=register.file.name,
                sha256=register.file.sha256.lower(),
                size_bytes=register.file.size_bytes,
                encoding=table.reading.encoding if table.reading is not None else "",
                reading=register_reading(table, columns),
                trimmed=sum(columns.key_column in row.as_given for row in table.rows),
            ),
            key=register.key,
            key_column=columns.key_column,
            keys="folded" if register.fold_keys else "exact",
            columns=tuple(ComparedColumn(field=field, column=column) for field, column in columns.compared.items()),
            fields_without_column=columns.fields_without_column,
            columns_without_field=columns.columns_without_field,
            population_complete=self._run.finished.population_complete,
            counts=count_records(self._samples, len(table.rows), verdicts),
        )


@contextmanager
def read_reconciliation(run: RunFacts) -> Generator[tuple[ReconciliationHead, Iterator[ReconciledRecord]] | None]:
    """Open the comparison: its head, and its records one by one. None if it was not made."""
    path = Path(run.reconciliation)
    if not run.reconciliation or not path.exists():
        yield None
        return
    with path.open("rb") as file:
        yield parse_reconciliation(file)


def read_counts(run: RunFacts) -> ReconciliationCounts | None:
    """Return what the comparison came to; None if it was not made."""
    with read_reconciliation(run) as made:
        return made[0].counts if made is not None else None
