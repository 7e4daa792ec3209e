"""A run of 10,000 samples and 20 fields compared with a register of 100,000 rows: time, memory, and size.

    .venv/bin/python -m benchmarks.evidence_reconciliation

The register is the table of the run itself, with as many further rows, so every record has to agree.
"""

# pyright: reportMissingTypeStubs=false
from __future__ import annotations

import csv
import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import xlsxwriter
from msgspec.structs import replace

from benchmarks.evidence_world import World
from benchmarks.memory import PeakMemory
from benchmarks.report import Row, at_most, under
from services.evidence.facts import RunFacts
from services.evidence.outputs.reconciliation import Reconciliation, read_counts
from services.evidence.outputs.subprocess_product import SubprocessProduct
from shared.contracts.discovery import InputFile, Register
from shared.evidence_format.table.rows import RowMaker, cell_texts

SAMPLES, ROWS = 10_000, 100_000
KEY = "ticket_number"
LIMIT_S, LIMIT_MB = 60.0, 900.0


def table_of(world: World, rows: int) -> Iterator[list[str]]:
    """Yield the header and the rows of a register: the values of each sample as the table of the run has them, then
    copies of the last row under other keys."""
    maker = RowMaker(world.closing().task)
    fields = [place for place, column in enumerate(maker.columns) if column.field]
    yield [maker.columns[place].name for place in fields]
    last: list[str] = []
    for number, facts in enumerate(world.facts(), start=1):
        texts = list(cell_texts(maker.row(facts), maker.columns))
        last = [texts[place] for place in fields]
        key = [column.name for column in maker.columns if column.field].index(KEY)
        last[key] = facts.input.get(KEY, last[key]) or f"row {number}"
        yield last
    for number in range(rows - world.samples):
        yield [f"other {number}", *last[1:]]


def write_register(path: Path, world: World, rows: int) -> None:
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(table_of(world, rows))
        return
    with xlsxwriter.Workbook(path, {"constant_memory": True, "strings_to_numbers": False}) as book:
        sheet = book.add_worksheet()
        for number, cells in enumerate(table_of(world, rows)):
            for place, cell in enumerate(cells):
                sheet.write_string(number, place, cell)


def facts_with(world: World, path: Path) -> RunFacts:
    """Return the facts of the run with this file as its register."""
    data = path.read_bytes()
    file = InputFile(name=path.name, blob="", size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    closing = world.closing()
    record = replace(closing.record, register=Register(file=file, key=KEY))
    made = str(path.parent / "reconciliation.json")
    return RunFacts(record, closing.finished, closing.input_columns, register=str(path), reconciliation=made)


def measured(suffix: str, samples: int, rows: int) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="exhibit-register-") as below:
        folder, world = Path(below), World(samples)
        path = folder / f"register.{suffix}"
        write_register(path, world, rows)
        run = facts_with(world, path)
        work = folder / "work"
        work.mkdir()
        with PeakMemory(os.getpid()) as peak:
            product = SubprocessProduct(Reconciliation, Reconciliation.makes, run, work, reads_logs=False)
            try:
                for facts in world.facts():
                    product.add(facts, lambda _: None)
                began_s = time.perf_counter()
                list(product.finish())
                took_s = time.perf_counter() - began_s
            finally:
                product.close()
        counts = read_counts(run)
        assert counts is not None
        assert (counts.samples, counts.rows) == (samples, rows)
        what = f"a register of {rows:,} rows ({suffix}, {path.stat().st_size / 1e6:.0f} MB) beside {samples:,} samples"
        return [
            under(LIMIT_S, f"{what}: compared in", "s", took_s),
            under(LIMIT_MB, f"{what}: memory of its process", "MB", peak.tree_mb - peak.python_mb),
            at_most(0, f"{what}: told as different or unclear", "records", counts.differs + counts.unclear),
            Row(f"{what}: the comparison", "MB", Path(run.reconciliation).stat().st_size / 1e6),
        ]


def rows(samples: int = SAMPLES, rows: int = ROWS) -> list[Row]:
    """Return the rows for `make bench-evidence`."""
    return [row for suffix in ("csv", "xlsx") for row in measured(suffix, samples, rows)]


if __name__ == "__main__":
    for row in rows():
        print(
            f"{row.what:95} {row.figure:9.1f} {row.unit:8} {'' if row.met is None else 'met' if row.met else 'MISSED'}"
        )
