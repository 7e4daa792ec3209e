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

from services.evidence.facts import RunFacts, SampleFacts
from services.evidence.outputs.combined_tables import CombinedTables


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
    folder.mkdir()
    product = CombinedTables(closing, folder)
    try:
        for one in samples:
            product.add(one, lambda name: None)
        assert {file.name for file in product.finish()} == {"combined.csv", "combined.parquet", "combined.xlsx"}
    finally:
        product.close()
        product.close()
    return Tables(folder)
