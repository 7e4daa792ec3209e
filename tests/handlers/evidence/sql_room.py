"""An evidence service that answers queries, with a folder or a bucket of a real server.

Its database is the one of the sandbox, in this process: a test that needs the sandbox's own process says so.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from services.evidence.deps import EvidenceDeps
from services.evidence.outputs.parquet_tables import ParquetTables
from services.evidence.ports import Signer, Store
from services.evidence.read_api.read_handlers import ask_sql
from services.evidence.read_api.sql_service import SqlService, open_sql_service
from services.evidence.sql.catalogue import TABLES
from services.evidence.sql.query_types import AnswerFile, QueryRefusal, QuerySources, SqlQuery, parse_sandbox_reply
from services.evidence.sql.statements import create_view
from services.evidence.sql_sandbox.child import SqlSandbox
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


class OwnDatabase:
    """What a `SqlSandboxPool` does, without its processes: they are what limits memory."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._open: dict[str, SqlSandbox] = {}

    async def answer(self, sources: QuerySources, query: SqlQuery) -> AnswerFile | QueryRefusal:
        if sources.key not in self._open:
            self._open[sources.key] = self._opened(sources)
        reply = await asyncio.to_thread(self._open[sources.key].answer, {**query.message, "number": uuid4().hex})
        return parse_sandbox_reply(reply, query)

    def _opened(self, sources: QuerySources) -> SqlSandbox:
        folder = self._store.spool.resolve()
        (folder / "runs.jsonl").write_bytes(sources.runs)
        files = [path for paths in sources.files.values() for path in paths]
        views = [create_view(view, list(sources.files[view.name])) for view in TABLES]
        own = {"folder": str(folder), "runs": str(folder / "runs.jsonl"), "files": files, "views": views}
        return SqlSandbox({**own, "bucket": None, "memory": "500MB", "threads": 1})


async def _no_word(key: str, why: str) -> None: ...


@asynccontextmanager
async def opened(settings: Settings, signer: Signer | None = None, *, process: bool = False) -> AsyncGenerator[Room]:
    bus = MemoryBus()
    async with (
        open_store(settings, _no_word, lambda: NOW) as store,
        open_sql_service(settings, store, bus, lambda: NOW) as desk,
    ):
        if not process:
            desk = SqlService(store, bus, OwnDatabase(store), ParquetTables, lambda: NOW)
        deps = EvidenceDeps(store, bus, lambda: NOW, products=(ParquetTables,), signer=signer, questions=desk)
        await file_run(deps, bus)
        await file_run(deps, bus, "run_2", samples=3)
        yield Room(settings, bus, deps)
        await desk.close()
