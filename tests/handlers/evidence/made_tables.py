"""The three tables of a run in a folder, read by independent readers."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from python_calamine import CalamineWorkbook

from services.evidence.facts import RunFacts
from services.evidence.outputs.combined_tables import CombinedTables
from services.evidence.outputs.xlsx.workbook import Workbook
from shared.evidence_view.sample_facts import SampleFacts


@dataclass
class Tables:
    folder: Path

    def csv(self) -> list[dict[str, str]]:
        with (self.folder / "combined.csv").open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def sql(self, query: str) -> list[tuple[Any, ...]]:
        with duckdb.connect() as db:
            db.execute("SET TimeZone = 'UTC'")
            return db.execute(query.replace("$T", f"'{self.folder / 'combined.parquet'}'")).fetchall()

    def types(self) -> dict[str, str]:
        return {name: sort for name, sort, *_ in self.sql("DESCRIBE SELECT * FROM $T")}

    def book(self) -> CalamineWorkbook:
        return CalamineWorkbook.from_path(str(self.folder / "combined.xlsx"))

    def sheet(self, name: str) -> list[dict[str, Any]]:
        head, *rows = self.book().get_sheet_by_name(name).to_python()
        return [dict(zip(map(str, head), row, strict=True)) for row in rows]

    def part(self, name: str) -> str:
        with zipfile.ZipFile(self.folder / "combined.xlsx") as archive:
            return archive.read(name).decode()


def made(folder: Path, closing: RunFacts, samples: Iterable[SampleFacts]) -> Tables:
    for part in ("tables", "book"):
        (folder / part).mkdir(parents=True)
    products = (CombinedTables(closing, folder / "tables"), Workbook(closing, folder / "book"))
    try:
        for one in samples:
            for product in products:
                product.add(one, lambda name: None)
        files = {file.name: file.path for product in products for file in product.finish()}
        assert set(files) == {"combined.csv", "combined.parquet", "combined.xlsx"}
        for name, path in files.items():
            path.replace(folder / name)
    finally:
        for product in (*products, *products):
            product.close()
    return Tables(folder)
