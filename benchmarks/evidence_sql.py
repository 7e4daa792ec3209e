"""SQL queries over 10,000 samples of 25 steps: the time of each, and of writing the tables.

.venv/bin/python -m benchmarks.evidence_sql
"""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import statistics
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import psutil
from msgspec.structs import replace

from benchmarks.evidence_world import RUN_ID, World, record
from benchmarks.report import Row, under
from services.evidence.outputs.parquet_tables import ParquetTables
from services.evidence.read_api.sql_service import SqlService, open_sql_service
from services.evidence.sql.docs_page import EXAMPLES
from services.evidence.store.folder_store import FolderStore
from shared.contracts.evidence import AskSql, SqlAnswered
from shared.evidence_format.files.run import RunFile
from shared.evidence_view.sample_facts import SampleFacts
from shared.settings import Settings
from shared.testing.bus import MemoryBus

SAMPLES, STEPS, TIMES = 10_000, 25, 7
LIMIT_MS = 100.0


def long_samples(world: World, steps: int) -> Iterator[SampleFacts]:
    """Yield the world's samples with longer logs: the first step is repeated."""
    for facts in world.facts():
        first, *rest = facts.log
        log = [*itertools.repeat(first, steps - len(rest)), *rest]
        numbered = [
            dataclasses.replace(entry, step=replace(entry.step, step=number))
            for number, entry in enumerate(log, start=1)
        ]
        facts.log = numbered
        yield facts


def make(root: Path, samples: int = SAMPLES, steps: int = STEPS) -> list[Row]:
    """Write the tables of a finished run below ``root``; return the time and the growth of memory."""
    world, folder = World(samples), root / "spool"
    folder.mkdir(parents=True)
    process = psutil.Process()
    product, took_s, most = ParquetTables(world.closing(), folder), 0.0, 0
    started_bytes = process.memory_info().rss
    for number, facts in enumerate(long_samples(world, steps)):
        began_s = time.perf_counter()
        product.add(facts, lambda _: None)
        took_s += time.perf_counter() - began_s
        if number % 500 == 0:
            most = max(most, process.memory_info().rss)
    began_s = time.perf_counter()
    for output in product.finish():
        (root / RUN_ID / output.name).parent.mkdir(parents=True, exist_ok=True)
        output.path.rename(root / RUN_ID / output.name)
        most = max(most, process.memory_info().rss)
    took_s += time.perf_counter() - began_s
    file = RunFile(record=record(), expected=samples, finished=world.finished())
    (root / RUN_ID / "run.json").write_bytes(msgspec.json.encode(file))
    size = sum(path.stat().st_size for path in (root / RUN_ID / "tables").iterdir())
    return [
        Row(f"tables of {samples:,} samples x {steps} steps: made in", "s", took_s),
        Row("tables: size", "MB", size / 1e6),
        under(150.0, "tables: memory at most beyond the start", "MB", (most - started_bytes) / 1e6),
    ]


async def ask_all(root: Path) -> list[Row]:
    """Measure each query over the API: the first one of a run, then the median of several, slowest last."""
    settings, bus = Settings(evidence_dir=root, state_dir=root / "state"), MemoryBus()
    rows: list[Row] = []
    async with open_sql_service(settings, FolderStore(root), bus, lambda: datetime.now(UTC)) as desk:
        rows.append(Row("SQL: the first answer of a process", "ms", await _asked(desk, "SELECT 1")))
        for example in EXAMPLES:
            times = [await _asked(desk, example.sql) for _ in range(TIMES)]
            rows.append(under(LIMIT_MS, f"SQL: {example.name}", "ms", statistics.median(times)))
    return rows


async def _asked(desk: SqlService, query: str) -> float:
    began_s = time.perf_counter()
    answered = await desk.answer(AskSql(query=query, run_ids=(RUN_ID,)))
    assert isinstance(answered, SqlAnswered), answered
    return (time.perf_counter() - began_s) * 1000


def rows(samples: int = SAMPLES, steps: int = STEPS) -> list[Row]:
    """Return the rows for `make bench-evidence`."""
    with tempfile.TemporaryDirectory(prefix="exhibit-sql-") as folder:
        made_rows = make(Path(folder), samples, steps)
        return [*made_rows, *asyncio.run(ask_all(Path(folder)))]


if __name__ == "__main__":
    for row in rows():
        print(
            f"{row.what:60} {row.figure:10.1f} {row.unit}  {'' if row.met is None else 'met' if row.met else 'MISSED'}"
        )
