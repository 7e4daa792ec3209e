"""The products that are made of every run, in this order."""

from __future__ import annotations

from services.evidence.outputs.combined_tables import CombinedTables
from services.evidence.outputs.enriched_table import EnrichedTable
from services.evidence.outputs.isolation.subprocess_product import in_subprocess_if_large
from services.evidence.outputs.parquet_tables import ParquetTables
from services.evidence.outputs.products import MakeProduct
from services.evidence.outputs.report_file import ReportFile

ALL_PRODUCTS: tuple[MakeProduct, ...] = (
    CombinedTables,
    EnrichedTable,
    in_subprocess_if_large(ParquetTables, ParquetTables.makes),
    in_subprocess_if_large(ReportFile, ReportFile.makes),
)
