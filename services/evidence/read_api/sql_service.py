"""Answers questions in SQL: finds the tables of the runs, and has the query run over them.

A complete run has its tables in its folder. Those of any other run are made of its files (`live_tables`).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import msgspec
from msgspec.structs import replace

from services.evidence.outputs.parquet_tables import ParquetTables
from services.evidence.outputs.products import MakeProduct
from services.evidence.ports import Store
from services.evidence.read_api.answers import new_answer_name
from services.evidence.read_api.live_tables import LiveTableCache
from services.evidence.sql.catalogue import FOLDER, LATER_TABLES, TABLES, table_file
from services.evidence.sql.query_types import (
    MAX_QUERY_S,
    MAX_ROWS,
    AnswerFile,
    QueryRefusal,
    QuerySources,
    SqlQuery,
)
from services.evidence.sql.run_rows import RunCounts, run_row
from services.evidence.sql_sandbox.pool import SqlSandboxPool, bucket_access
from services.evidence.store.run_tags import RunTags
from shared.bus.ports import Blobs
from shared.contracts.evidence import AskSql, RunFinished, SqlAnswered, SqlColumn, SqlRefused, SqlReply
from shared.evidence_format import chain, layout
from shared.evidence_format.files.manifest import Seal
from shared.evidence_format.files.run import RunFile, parse_run_file
from shared.settings import Settings
from shared.streams import ANSWERS

INLINE_BYTES = 256 * 1024
"""A larger answer goes to the bus's blobs in place of the reply."""


class SqlDatabase(Protocol):
    async def answer(self, sources: QuerySources, query: SqlQuery) -> AnswerFile | QueryRefusal:
        """Return the answer in a file that the caller removes, or why there is none."""
        ...


@asynccontextmanager
async def open_sql_service(
    settings: Settings, store: Store, blobs: Blobs, now: Callable[[], datetime]
) -> AsyncGenerator[SqlService]:
    """Return a service that answers over the evidence in ``store``, for as long as the block lasts."""
    bucket = bucket_access(settings)
    root = settings.state_dir if bucket else settings.evidence_dir
    sandboxes = SqlSandboxPool(lambda: store.spool, root.resolve(), bucket)
    service = SqlService(store, blobs, sandboxes, ParquetTables, now)
    try:
        yield service
    finally:
        await sandboxes.close()
        await service.close()


@dataclass(frozen=True)
class _RunSource:
    """A run in a query: its row in the view ``runs``, and the file of each of its tables."""

    row: bytes
    files: Mapping[str, str]
    note: str = ""


class SqlService:
    def __init__(
        self, store: Store, blobs: Blobs, database: SqlDatabase, make_tables: MakeProduct, now: Callable[[], datetime]
    ) -> None:
        self._store, self._blobs, self._database = store, blobs, database
        self._live_tables = LiveTableCache(store, make_tables, now)
        self._tags = RunTags(store, now, read_only=True)

    async def answer(self, request: AskSql) -> SqlReply:
        found = await self._find_runs(request.run_ids)
        if isinstance(found, SqlRefused):
            return found
        runs, left_out = found
        sources = QuerySources(
            b"".join(run.row + b"\n" for run in runs),
            {view.name: tuple(run.files[view.name] for run in runs if view.name in run.files) for view in TABLES},
        )
        query = SqlQuery(
            request.query,
            request.format,
            max(0, min(request.max_rows, MAX_ROWS)),
            max(0.001, min(request.timeout_s, MAX_QUERY_S)),
        )
        answer = await self._database.answer(sources, query)
        if isinstance(answer, QueryRefusal):
            return SqlRefused(code=answer.code, message=answer.message, position=answer.position, hints=answer.hints)
        nothing = () if runs or left_out else (f"there is no run in {self._store.location('')}",)
        notes = (*nothing, *left_out, *(run.note for run in runs if run.note))
        return await self._reply(answer, request.format, len(runs), notes)

    async def close(self) -> None:
        await self._live_tables.close()

    async def _reply(self, answer: AnswerFile, format_: str, runs: int, notes: tuple[str, ...]) -> SqlAnswered:
        """Read the answer's file and remove it. Parquet and large answers go to the blobs."""
        try:
            data = await asyncio.to_thread(answer.path.read_bytes)
        finally:
            answer.path.unlink(missing_ok=True)
        inline, blob = format_ != "parquet" and len(data) <= INLINE_BYTES, ""
        if not inline:
            blob = new_answer_name(format_)
            await self._blobs.put(ANSWERS, blob, data)
        return SqlAnswered(
            columns=tuple(SqlColumn(name=name, type=type_) for name, type_ in answer.columns),
            rows=answer.rows,
            cut=answer.cut,
            text=data.decode() if inline else "",
            blob=blob,
            size_bytes=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            runs=runs,
            elapsed_ms=answer.elapsed_ms,
            notes=notes,
        )

    # --- the runs

    async def _find_runs(self, requested: Sequence[str]) -> tuple[list[_RunSource], tuple[str, ...]] | SqlRefused:
        """Return the requested runs, or all runs if none is requested; and a note on each run that was left out."""
        names = requested or [name for name in await self._store.names("") if layout.is_safe(name)]
        runs: list[_RunSource] = []
        tags, untold = await self._tags.of_all(filter(layout.is_safe, names))
        left_out: list[str] = [*untold]
        for run_id in dict.fromkeys(names):
            run = await self._find_run(run_id, tags.get(run_id, ())) if layout.is_safe(run_id) else None
            if isinstance(run, _RunSource):
                runs.append(run)
            elif requested:
                return run or SqlRefused(code="unknown_run", message=layout.no_run(run_id, self._store.location("")))
            elif run is not None:
                left_out.append(f"left out: {run.message}")
        return runs, tuple(left_out)

    async def _find_run(self, run_id: str, tags: Sequence[str]) -> _RunSource | SqlRefused | None:
        """None if there is no such run."""
        data = await self._store.read(layout.run_key(run_id, layout.RUN))
        if data is None:
            return None
        try:
            file = parse_run_file(data)
            last_round = await self._read_last_round(file)
            return await self._stored_tables(file, last_round, tags) or await self._make_tables(file, last_round, tags)
        except chain.NOT_JSON as exc:
            return SqlRefused(code="unreadable_run", message=f"{run_id}: a file of it cannot be read: {exc}")

    async def _stored_tables(
        self, file: RunFile, last_round: RunFinished | None, tags: Sequence[str]
    ) -> _RunSource | None:
        """None if the run is unfinished, or an older version made its tables."""
        run_id = file.record.run_id
        if last_round is None:
            return None
        stored = await self._store.names(layout.run_key(run_id, FOLDER))
        there = [view for view in TABLES if table_file(view).removeprefix(f"{FOLDER}/") in stored]
        if {view.name for view in TABLES} - {view.name for view in there} - LATER_TABLES:
            return None
        files = {view.name: self._store.location(layout.run_key(run_id, table_file(view))) for view in there}
        return self._run_source(file, RunCounts.of(last_round), last_round, "tables", tags, files)

    async def _make_tables(self, file: RunFile, last_round: RunFinished | None, tags: Sequence[str]) -> _RunSource:
        tables, run_id = await self._live_tables.tables_of(file, last_round), file.record.run_id
        note = f"{run_id} is not finished: this is what its files said at {tables.made_at:%H:%M:%S} UTC"
        return self._run_source(
            file, tables.counts, last_round, "files", tags, tables.files, "" if last_round else note
        )

    def _run_source(
        self,
        file: RunFile,
        counts: RunCounts,
        last_round: RunFinished | None,
        read_from: str,
        tags: Sequence[str],
        files: Mapping[str, str],
        note: str = "",
    ) -> _RunSource:
        location = self._store.location(layout.run_key(file.record.run_id))
        return _RunSource(run_row(file, counts, location, last_round, read_from, tags), files, note)

    async def _read_last_round(self, file: RunFile) -> RunFinished | None:
        """Return the summary of a finished run with its seal, which run.json cannot name; None if it is unfinished."""
        finished = file.last_round
        if finished is None:
            return None
        written = await self._store.read(layout.run_key(file.record.run_id, layout.SEAL))
        if written is None:
            return finished
        seal = msgspec.json.decode(written, type=Seal)
        return replace(finished, manifest_sha256=seal.manifest_sha256, signed_by=seal.fingerprint)
