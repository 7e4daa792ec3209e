"""The desk where questions in SQL are answered, put together: what asks, and what keeps the database."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from services.evidence.outputs.parquet_tables import ParquetTables
from services.evidence.ports import Store
from services.evidence.read_api.sql_service import Desk
from services.evidence.sql_sandbox.pool import SqlCells, in_bucket
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
