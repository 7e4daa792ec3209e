"""enriched.csv: the input with what was found, of runs whose samples came as a file or as rows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from services.evidence.facts.run_facts import RunFacts
from services.evidence.facts.sample_facts import SampleFacts
from services.evidence.outputs.products import Made, OpenFile
from services.evidence.tables.csv_cells import csv_line
from services.evidence.tables.enriched import appended, appended_cells, names_beside, original_cells
from shared.evidence_format import layout
from shared.evidence_format.table.rows import RowMaker


class EnrichedTable:
    """See :class:`services.evidence.outputs.products.Product`. The rows come in the order of the input."""

    makes = layout.ENRICHED

    def __init__(self, closing: RunFacts, folder: Path) -> None:
        self._header = closing.record.input_columns
        self._maker = RowMaker(closing.task)
        self._new = appended(self._maker.columns)
        self._path = folder / layout.ENRICHED
        self._file = self._path.open("w", encoding="utf-8", newline="")
        names = names_beside(self._header, [column.name for column in self._new])
        self._file.write(csv_line([*self._header, *names]))

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        if self._header:
            found = appended_cells(self._maker.row(sample), self._maker.columns, self._new)
            self._file.write(csv_line([*original_cells(self._header, sample.sample), *found]))

    def finish(self) -> Iterable[Made]:
        self._file.close()
        return [Made(layout.ENRICHED, self._path)] if self._header else []

    def close(self) -> None:
        self._file.close()
