"""Makes the tables of SQL as Parquet files: rows are spooled as JSON Lines, and DuckDB makes one file of each table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BufferedWriter
from pathlib import Path

import duckdb
import msgspec

from services.evidence.facts import RunFacts
from services.evidence.outputs.products import OpenFile, OutputFile
from services.evidence.outputs.reconciliation import read_reconciliation
from services.evidence.sql.catalogue import TABLES, table_file
from services.evidence.sql.reconciliation_views import reconciliation_rows
from services.evidence.sql.review_views import review_rows
from services.evidence.sql.row_values import Row
from services.evidence.sql.sample_rows import sample_rows, work_rows
from services.evidence.sql.statements import copy_lines_to_parquet
from shared.errors import Unavailable
from shared.evidence_format import chain, layout
from shared.evidence_format.log_codec import LogEntry, parse_log
from shared.evidence_view.sample_facts import SampleFacts

MEMORY_MB = 512
"""Memory of DuckDB, without that for the longest rows."""


class ParquetTables:
    """See :class:`services.evidence.outputs.products.Product`. The bytes are deterministic."""

    makes = "tables/"

    def __init__(self, run: RunFacts, folder: Path) -> None:
        self._folder, self._encoder = folder, msgspec.json.Encoder()
        self._run, self._run_id = run, run.record.run_id
        self._longest = 0
        self._lines: dict[str, BufferedWriter] = {
            view.name: _lines_path(folder, view.name).open("wb") for view in TABLES
        }
        if (search := run.discovery_facts) is not None:
            self._write(work_rows(self._run_id, search, search.attempts()))

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        self._write(sample_rows(self._run_id, sample, sample.attempts(_earlier_logs(sample, open_file))))

    def finish(self) -> Iterable[OutputFile]:
        with read_reconciliation(self._run) as made:
            if made is not None:
                self._write(reconciliation_rows(self._run_id, self._run.task.task_id, made[1]))
        self._write(review_rows(self._run_id, self._run.task.task_id, self._run.review))
        self.close()
        try:
            yield from self._write_tables()
        except (duckdb.IOException, duckdb.OutOfMemoryException, OSError) as exc:
            raise Unavailable(f"the tables cannot be made: {str(exc)[:500]}", code="table_unavailable") from exc

    def _write_tables(self) -> Iterator[OutputFile]:
        # With one thread the rows keep their order, in groups of the same size on every machine.
        memory = f"{MEMORY_MB + 4 * self._longest // 1_000_000}MB"
        with duckdb.connect(config={"threads": 1, "memory_limit": memory, "autoinstall_known_extensions": False}) as db:
            db.execute("SET TimeZone = 'UTC'")
            for view in TABLES:
                target = self._folder / f"{view.name}.parquet"
                db.execute(
                    copy_lines_to_parquet(view, str(_lines_path(self._folder, view.name)), self._longest, str(target))
                )
                _lines_path(self._folder, view.name).unlink()
                yield OutputFile(table_file(view), target)

    def close(self) -> None:
        for file in self._lines.values():
            file.close()

    def _write(self, rows: Iterable[tuple[str, Row]]) -> None:
        for table, row in rows:
            line = self._encoder.encode(row)  # missing columns are read as NULL
            self._longest = max(self._longest, len(line) + 1)
            self._lines[table].write(line)
            self._lines[table].write(b"\n")


def _lines_path(folder: Path, table: str) -> Path:
    return folder / f"{table}.jsonl"


def _earlier_logs(sample: SampleFacts, open_file: OpenFile) -> Iterator[tuple[int, list[LogEntry]]]:
    """Yield number and log of the attempts before the one that counts. Missing and corrupt logs are skipped."""
    for attempt in range(1, sample.latest_attempt):
        data = open_file(f"{layout.attempt_folder(attempt)}/{layout.ACTION_LOG}")
        with suppress(*chain.NOT_JSON):
            if data is not None:
                yield attempt, parse_log(data)
