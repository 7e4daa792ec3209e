"""The desk where questions in SQL are answered, put together: what asks, and what keeps the database."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from services.evidence.adapters.duckdb_parquet import ParquetTables
from services.evidence.adapters.sql_cells import SqlCells, in_bucket
from services.evidence.asking.answering import Desk
from services.evidence.ports import Store
from shared.bus.ports import Blobs
from shared.settings import Settings


@asynccontextmanager
async def answering_desk(
    settings: Settings, store: Store, blobs: Blobs, now: Callable[[], datetime]
) -> AsyncGenerator[Desk]:
    """Answers in SQL over the evidence in ``store``, for as long as the block lasts."""
    bucket = in_bucket(settings)
    root = settings.state_dir if bucket else settings.evidence_dir
    cells = SqlCells(lambda: store.spool, root.resolve(), bucket)
    desk = Desk(store, blobs, cells, ParquetTables, now)
    try:
        yield desk
    finally:
        await cells.close()
        await desk.close()
