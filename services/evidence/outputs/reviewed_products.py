"""Tables and report of a round that only its review has changed: what the round before has made, with the decisions.

They come to the same as products that are made anew, and need neither step logs nor pictures.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from services.evidence.facts import RunFacts
from services.evidence.outputs.closed_block import START, ClosedBlock
from services.evidence.outputs.parquet_tables import ParquetTables, TableLines
from services.evidence.outputs.products import OpenFile, OutputFile
from services.evidence.outputs.report_file import ReportFile
from services.evidence.sql.catalogue import LATER_TABLES, TABLES, table_file
from services.evidence.sql.review_views import review_rows, settlement_rows
from services.evidence.sql.sample_rows import REVIEWED, reviewed_rows
from services.evidence.sql.statements import copy_with_columns
from shared.evidence_format import layout
from shared.evidence_view.sample_facts import SampleFacts

TAKEN = (layout.REPORT, *(table_file(view) for view in TABLES if view.name not in LATER_TABLES))
"""Names of what is taken from the round before: all or nothing."""


def is_taken(name: str, path: Path, sha256: str) -> bool:
    """Whether a file of the round before is what was sealed, and has the form that this version gives it. Blocks."""
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
            return False
    if name != layout.REPORT:
        return True
    with path.open(encoding="utf-8", newline="") as page:
        return sum(line.startswith(START) for line in page) == 1


class ReviewedTables:
    """See :class:`services.evidence.outputs.products.Product`, and `ParquetTables`."""

    makes = ParquetTables.makes

    def __init__(self, run: RunFacts, folder: Path) -> None:
        self._run, self._run_id = run, run.record.run_id
        self._lines = TableLines(folder, (*REVIEWED, *LATER_TABLES))

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        self._lines.write(reviewed_rows(sample))
        self._lines.write(settlement_rows(self._run_id, sample))

    def finish(self) -> Iterable[OutputFile]:
        self._lines.write(review_rows(self._run_id, self._run.task.task_id, self._run.review))
        with self._lines.database() as db:
            for view in TABLES:
                if view.name in LATER_TABLES:
                    yield self._lines.make(db, view)
                    continue
                made, target = self._run.before[table_file(view)], self._lines.folder / f"{view.name}.parquet"
                if view.name in REVIEWED:
                    lines = str(self._lines.path(view.name))
                    db.execute(
                        copy_with_columns(view, made, *REVIEWED[view.name], lines, self._lines.longest, str(target))
                    )
                else:
                    shutil.copyfile(made, target)
                yield OutputFile(table_file(view), target)

    def close(self) -> None:
        self._lines.close()


class ReviewedReport:
    """See :class:`services.evidence.outputs.products.Product`, and `ReportFile`."""

    makes = ReportFile.makes

    def __init__(self, run: RunFacts, folder: Path) -> None:
        self._made, self._folder = run.before[layout.REPORT], folder
        self._closed = ClosedBlock(run, folder)

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        self._closed.add(sample)

    def finish(self) -> Iterable[OutputFile]:
        target = self._folder / layout.REPORT
        with (
            Path(self._made).open(encoding="utf-8", newline="") as made,
            target.open("w", encoding="utf-8", newline="") as page,
        ):
            for line in made:
                if line.startswith(START):
                    self._closed.write(page)
                else:
                    page.write(line)
        return [OutputFile(layout.REPORT, target)]

    def close(self) -> None:
        self._closed.close()
