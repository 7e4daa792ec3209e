"""An evidence service that answers queries, with a folder or a bucket of a real server."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from services.evidence.deps import EvidenceDeps
from services.evidence.handlers import ask_sql
from services.evidence.outputs.parquet_tables import ParquetTables
from services.evidence.ports import Signer
from services.evidence.read_api.sql_service import open_sql_service
from services.evidence.store.open_store import open_store
from shared.contracts.evidence import AskSql, SqlAnswered, SqlRefused
from shared.settings import Settings
from shared.testing.bus import MemoryBus
from tests.handlers.evidence.sql_world import file_run

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)


@dataclass
class Room:
    """``run_1`` is finished, ``run_2`` is running."""

    settings: Settings
    bus: MemoryBus
    deps: EvidenceDeps

    async def ask(self, query: str, *runs: str, **more: Any) -> Any:
        return await ask_sql(AskSql(query=query, run_ids=runs, **more), self.deps)

    async def rows(self, query: str, *runs: str, **more: Any) -> list[tuple[Any, ...]]:
        answered = await self.ask(query, *runs, **more)
        assert isinstance(answered, SqlAnswered), answered
        return [tuple(row.values()) for row in json.loads(answered.text)]

    async def refused(self, query: str, *runs: str, **more: Any) -> SqlRefused:
        answered = await self.ask(query, *runs, **more)
        assert isinstance(answered, SqlRefused), answered
        return answered


async def _no_word(key: str, why: str) -> None: ...


@asynccontextmanager
async def opened(settings: Settings, signer: Signer | None = None) -> AsyncGenerator[Room]:
    bus = MemoryBus()
    async with (
        open_store(settings, _no_word, lambda: NOW) as store,
        open_sql_service(settings, store, bus, lambda: NOW) as desk,
    ):
        deps = EvidenceDeps(store, bus, lambda: NOW, products=(ParquetTables,), signer=signer, questions=desk)
        await file_run(deps, bus)
        await file_run(deps, bus, "run_2", samples=3)
        yield Room(settings, bus, deps)
