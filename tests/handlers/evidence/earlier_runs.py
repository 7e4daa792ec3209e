"""Runs of an earlier version in a folder of their own, and an evidence service that has them."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime
from pathlib import Path

from services.evidence.deps import EvidenceDeps
from services.evidence.outputs.combined_tables import CombinedTables
from services.evidence.outputs.enriched_table import EnrichedTable
from services.evidence.outputs.parquet_tables import ParquetTables
from services.evidence.outputs.report_file import ReportFile
from services.evidence.outputs.xlsx.workbook import Workbook
from services.evidence.store.folder_store import FolderStore
from shared.testing.bus import MemoryBus
from tests.handlers.evidence.evidence_desk import KEY

FOLDER = Path(__file__).parents[2] / "fixtures" / "earlier_runs"
RUNS = ("resumed", "replayed", "judged", "submitted")
NOW = datetime(2026, 12, 1, 8, tzinfo=UTC)


def unpacked(name: str, root: Path) -> Path:
    """The run's folder as evidence has it, without what an export adds."""
    with zipfile.ZipFile(FOLDER / f"{name}.zip") as file:
        file.extractall(root)
    [run] = root.iterdir()
    for added in ("VERIFY.txt", "public_key.pem"):
        (run / added).unlink()
    return run


def deps_of(run: Path) -> EvidenceDeps:
    products = (CombinedTables, Workbook, EnrichedTable, ParquetTables, ReportFile)
    return EvidenceDeps(
        store=FolderStore(run.parent), blobs=MemoryBus(), now=lambda: NOW, products=products, signer=KEY
    )
