"""Makes the tables of SQL as Parquet files: rows are spooled as JSON Lines, and DuckDB makes one file of each table."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
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
from services.evidence.sql.view_types import SqlView
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
        self._run, self._run_id = run, run.record.run_id
        self._lines = TableLines(folder, (view.name for view in TABLES))
        if (search := run.discovery_facts) is not None:
            self._lines.write(work_rows(self._run_id, search, search.attempts()))

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        self._lines.write(sample_rows(self._run_id, sample, sample.attempts(_earlier_logs(sample, open_file))))

    def finish(self) -> Iterable[OutputFile]:
        with read_reconciliation(self._run) as made:
            if made is not None:
                self._lines.write(reconciliation_rows(self._run_id, self._run.task.task_id, made[1]))
        self._lines.write(review_rows(self._run_id, self._run.task.task_id, self._run.review))
        with self._lines.database() as db:
            for view in TABLES:
                yield self._lines.make(db, view)

    def close(self) -> None:
        self._lines.close()


class TableLines:
    """The rows of some tables, as JSON Lines in a folder, and the database that makes Parquet files of them.

    ``longest``: bytes of the longest line.
    """

    def __init__(self, folder: Path, tables: Iterable[str]) -> None:
        self.folder, self.longest = folder, 0
        self._encoder = msgspec.json.Encoder()
        self._files: dict[str, BufferedWriter] = {name: self.path(name).open("wb") for name in tables}

    def path(self, table: str) -> Path:
        return self.folder / f"{table}.jsonl"

    def write(self, rows: Iterable[tuple[str, Row]]) -> None:
        """Add rows, each with the name of its table."""
        for table, row in rows:
            line = self._encoder.encode(row)  # missing columns are read as NULL
            self.longest = max(self.longest, len(line) + 1)
            self._files[table].write(line)
            self._files[table].write(b"\n")

    @contextmanager
    def database(self) -> Generator[duckdb.DuckDBPyConnection]:
        """Open a database once all rows are written. Raises Unavailable where its files cannot be written or read."""
        self.close()
        memory = f"{MEMORY_MB + 4 * self.longest // 1_000_000}MB"
        # With one thread the rows keep their order, in groups of the same size on every machine.
        options = {"memory_limit": memory, "autoinstall_known_extensions": False}
        try:
            with duckdb.connect(config={"threads": 1, **options}) as db:
                db.execute("SET TimeZone = 'UTC'")
                yield db
        except (duckdb.IOException, duckdb.OutOfMemoryException, OSError) as exc:
            raise Unavailable(f"the tables cannot be made: {str(exc)[:500]}", code="table_unavailable") from exc

    def make(self, db: duckdb.DuckDBPyConnection, view: SqlView) -> OutputFile:
        """Make the file of a table of its rows, which are not needed any more."""
        lines, target = self.path(view.name), self.folder / f"{view.name}.parquet"
        db.execute(copy_lines_to_parquet(view, str(lines), self.longest, str(target)))
        lines.unlink()
        return OutputFile(table_file(view), target)

    def close(self) -> None:
        for file in self._files.values():
            file.close()


def _earlier_logs(sample: SampleFacts, open_file: OpenFile) -> Iterator[tuple[int, list[LogEntry]]]:
    """Yield number and log of the attempts before the one that counts. Missing and corrupt logs are skipped."""
    for attempt in range(1, sample.latest_attempt):
        data = open_file(f"{layout.attempt_folder(attempt)}/{layout.ACTION_LOG}")
        with suppress(*chain.NOT_JSON):
            if data is not None:
                yield attempt, parse_log(data)
