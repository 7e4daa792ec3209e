"""Makes enriched.csv: the input with the results, for runs whose samples came as a file or as rows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from services.evidence.facts import RunFacts
from services.evidence.outputs.products import OpenFile, OutputFile
from services.evidence.tables.enriched import appended_cells, appended_columns, original_cells, unique_names
from shared.evidence_format import layout
from shared.evidence_format.table.rows import RowMaker
from shared.evidence_view.sample_facts import SampleFacts
from shared.tables.csv_cells import csv_line


class EnrichedTable:
    """See :class:`services.evidence.outputs.products.Product`. The rows are in the order of the input."""

    makes = layout.ENRICHED

    def __init__(self, run: RunFacts, folder: Path) -> None:
        self._header = run.record.input_columns
        self._maker = RowMaker(run.task)
        self._appended = appended_columns(self._maker.columns)
        self._path = folder / layout.ENRICHED
        self._file = self._path.open("w", encoding="utf-8", newline="")
        names = unique_names(self._header, [column.name for column in self._appended])
        self._file.write(csv_line([*self._header, *names]))

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        if self._header:
            found = appended_cells(self._maker.row(sample), self._maker.columns, self._appended, sample.review)
            self._file.write(csv_line([*original_cells(self._header, sample.sample), *found]))

    def finish(self) -> Iterable[OutputFile]:
        self._file.close()
        return [OutputFile(layout.ENRICHED, self._path)] if self._header else []

    def close(self) -> None:
        self._file.close()
