"""Outputs of a large run, each written by a subprocess: the same bytes, even if that process fails."""

from __future__ import annotations

import errno
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from msgspec.structs import replace

from benchmarks.evidence_files import artifact_bytes
from benchmarks.evidence_world import World, files_of
from services.evidence.facts import RunFacts
from services.evidence.outputs.enriched_table import EnrichedTable
from services.evidence.outputs.parquet_tables import ParquetTables
from services.evidence.outputs.products import NotMadeError, Product
from services.evidence.outputs.report_file import ReportFile
from services.evidence.outputs.subprocess_product import SubprocessProduct, in_subprocess_if_large
from services.evidence.outputs.xlsx.workbook import Workbook

pytestmark = pytest.mark.system
WORLD = World(60)
"""More than are sent ahead."""


def processes() -> set[psutil.Process]:
    """Of these tests, and of all that ran before them."""
    return set(psutil.Process().children())


@contextmanager
def apart(product: Any, folder: Path, closing: RunFacts | None = None) -> Generator[SubprocessProduct, None, None]:
    folder.mkdir(parents=True, exist_ok=True)
    made = SubprocessProduct(product, product.makes, closing or WORLD.closing(), folder)
    try:
        yield made
    finally:
        made.close()
        made.close()


def opener(number: int) -> Callable[[str], bytes | None]:
    return artifact_bytes(number).get


def made_by(product: Product) -> dict[str, bytes]:
    for number, facts in enumerate(WORLD.facts(), start=1):
        product.add(facts, opener(number))
    return {made.name: made.path.read_bytes() for made in product.finish()}


@pytest.mark.parametrize("product", [ParquetTables, ReportFile, EnrichedTable, Workbook])
def test_the_same_bytes_as_here(tmp_path: Path, product: Any):
    (tmp_path / "here").mkdir()
    here = product(WORLD.closing(), tmp_path / "here")
    with apart(product, tmp_path / "apart") as there:
        files = made_by(there)
    assert files
    assert files == made_by(here)
    here.close()


def test_only_a_large_run_has_processes_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    make = in_subprocess_if_large(EnrichedTable, "enriched.csv")
    small = make(WORLD.closing(), tmp_path)
    monkeypatch.setattr("services.evidence.outputs.subprocess_product.LARGE_RUN_SAMPLES", 60)
    large = make(WORLD.closing(), tmp_path)
    assert (type(small), type(large)) == (EnrichedTable, SubprocessProduct)
    assert small.makes == large.makes
    for product in (small, large):
        product.close()


def test_what_it_trips_over_is_said_with_its_sample_and_costs_only_itself(tmp_path: Path):
    with apart(ReportFile, tmp_path) as product:
        for number in WORLD.numbers:
            files = files_of(number)
            if number == 7:  # a moment without a zone, beside one with a zone
                assert files.result is not None
                finished = b'"finished_at": "2026-03-01T10:15:11.500000'
                assert finished + b'Z"' in files.result
                files = replace(files, result=files.result.replace(finished + b'Z"', finished + b'"'))
            product.add(WORLD.closing().facts_of(files), opener(number))
        with pytest.raises(NotMadeError, match=r"^report.html could not be made at sample TCK-00007: TypeError: "):
            product.finish()


def test_a_process_that_is_killed_costs_its_product_and_not_the_run(tmp_path: Path):
    before = processes()
    with apart(ReportFile, tmp_path) as product:
        (child,) = processes() - before
        child.kill()
        with pytest.raises(NotMadeError, match=r"report\.html could not be made: its process ended with -9"):
            made_by(product)


def test_a_folder_that_cannot_be_written_is_what_it_is_here(tmp_path: Path):
    with apart(ReportFile, tmp_path / "there") as product:
        pass
    (tmp_path / "no folder").write_text("")
    product = SubprocessProduct(ReportFile, "report.html", WORLD.closing(), tmp_path / "no folder")
    try:
        with pytest.raises(NotADirectoryError) as raised:
            made_by(product)
        assert raised.value.errno == errno.ENOTDIR
    finally:
        product.close()


def test_a_full_disk_is_what_it_is_here(tmp_path: Path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there/combined.xlsx").symlink_to("/dev/full")
    with apart(Workbook, tmp_path / "there") as product:
        with pytest.raises(OSError, match="No space left") as raised:
            made_by(product)
        assert raised.value.errno == errno.ENOSPC


def test_a_product_that_reads_no_logs_is_sent_none(tmp_path: Path):
    """The rows of a table come from results alone."""
    (tmp_path / "here").mkdir()
    here = EnrichedTable(WORLD.closing(), tmp_path / "here")
    (tmp_path / "apart").mkdir()
    there = SubprocessProduct(EnrichedTable, "enriched.csv", WORLD.closing(), tmp_path / "apart", reads_logs=False)
    assert made_by(there) == made_by(here)
    for product in (here, there):
        product.close()


def test_it_ends_with_whoever_waits_for_it(tmp_path: Path):
    before = processes()
    with apart(ReportFile, tmp_path) as product:
        (child,) = processes() - before
        product.add(next(WORLD.facts()), opener(1))
    assert not child.is_running()
