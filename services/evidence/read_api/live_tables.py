"""Tables of unfinished runs, made of their files as they are now. They are kept for a moment and then made again."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from services.evidence.facts import RunFacts
from services.evidence.outputs.make_products import add_to_products, blocking_reader
from services.evidence.outputs.products import MakeProduct, Product
from services.evidence.ports import READ_LIMIT, Store
from services.evidence.recovery import read_open_sample_files
from services.evidence.sql.catalogue import TABLES, table_file
from services.evidence.sql.query_types import MAX_QUERY_S
from services.evidence.sql.run_rows import RunCounts
from shared.aio import map_concurrently
from shared.contracts.evidence import RunFinished
from shared.evidence_format import layout
from shared.evidence_format.files.run import RunFile
from shared.text.names import DISCOVERY

FRESH_S, FRESH_TIMES = 2.0, 3.0
"""Live tables are used for 2 s, or for three times as long as making them took, whichever is longer."""


@dataclass(frozen=True)
class LiveTables:
    """``files``: path of each table, by the name of its view. ``made_at``: the time that the tables show."""

    counts: RunCounts
    files: Mapping[str, str]
    made_at: datetime
    folder: Path
    fresh_until_s: float


class LiveTableCache:
    def __init__(self, store: Store, make_tables: MakeProduct, now: Callable[[], datetime]) -> None:
        self._store, self._make_tables, self._now = store, make_tables, now
        self._cached: dict[str, LiveTables] = {}
        self._making = asyncio.Lock()

    async def tables_of(self, file: RunFile, last_round: RunFinished | None) -> LiveTables:
        """Return the tables of a run, made now unless those in the cache are fresh. Raises one of `chain.NOT_JSON` if
        a step log is corrupt."""
        run_id = file.record.run_id
        async with self._making:
            cached = self._cached.get(run_id)
            if cached is None or time.monotonic() > cached.fresh_until_s:
                self._remove_later(cached)
                cached = self._cached[run_id] = await self._make(file, last_round)
            return cached

    async def close(self) -> None:
        for tables in self._cached.values():
            await asyncio.to_thread(shutil.rmtree, tables.folder, ignore_errors=True)

    def _remove_later(self, tables: LiveTables | None) -> None:
        """Remove tables once no query can be reading them any more."""
        if tables is not None:
            loop = asyncio.get_running_loop()
            loop.call_later(2 * MAX_QUERY_S, lambda: shutil.rmtree(tables.folder, ignore_errors=True))

    async def _make(self, file: RunFile, last_round: RunFinished | None) -> LiveTables:
        run_id, began_s, made_at = file.record.run_id, time.monotonic(), self._now()
        folder = self._store.spool / f"tables-{uuid4().hex[:8]}"
        folder.mkdir(parents=True)
        discovers = file.record.discovery_spec is not None
        search = await read_open_sample_files(self._store, run_id, DISCOVERY) if discovers else None
        async with self._store.local_file(layout.run_key(run_id, layout.RECONCILED)) as compared:
            # It is of the last round; one that is not finished has none yet.
            reconciliation = str(compared) if compared is not None and last_round is not None else ""
            summary = last_round or _placeholder_summary(file, made_at)
            run = RunFacts(file.record, summary, (), search, reconciliation=reconciliation)
            counts, files = await self._make_files(run, folder)
        now_s = time.monotonic()
        fresh_s = max(FRESH_S, FRESH_TIMES * (now_s - began_s))
        return LiveTables(counts, files, made_at, folder, now_s + fresh_s)

    async def _make_files(self, run: RunFacts, folder: Path) -> tuple[RunCounts, Mapping[str, str]]:
        if run.discovery_facts is not None:
            run.discovery_facts.check_log()
        product = self._make_tables(run, folder)
        try:
            counts = await self._add_samples(run, product)
            made = {output.name: str(output.path) for output in await asyncio.to_thread(lambda: list(product.finish()))}
        finally:
            product.close()
        return counts, {view.name: made[table_file(view)] for view in TABLES}

    async def _add_samples(self, run: RunFacts, product: Product) -> RunCounts:
        run_id = run.record.run_id
        names = [name for name in await self._store.names(layout.run_key(run_id)) if layout.is_safe(name)]
        ids = [name for name in names if name != DISCOVERY]
        loop, counts = asyncio.get_running_loop(), RunCounts()
        if run.discovery_facts is not None:
            counts.add_cost(run.discovery_facts)
        for start in range(0, len(ids), READ_LIMIT):
            batch = ids[start : start + READ_LIMIT]
            files = await map_concurrently(
                lambda name: read_open_sample_files(self._store, run_id, name), batch, READ_LIMIT
            )
            samples = [run.facts_of(one) for one in files if one.sample is not None]
            for sample in samples:
                sample.check_log()
                counts.add(sample)
            readers = [blocking_reader(self._store, run_id, sample.sample_id, loop) for sample in samples]
            await asyncio.to_thread(add_to_products, [product], samples, readers)
        return counts


def _placeholder_summary(file: RunFile, at: datetime) -> RunFinished:
    """Return a summary of a run that is not finished. The tables use none of it."""
    return RunFinished(
        run_id=file.record.run_id,
        attempt_base=file.attempt_base,
        samples=0,
        outcomes=(),
        location="",
        table="",
        llm_calls=0,
        cost_usd=0.0,
        started_at=file.record.created_at,
        finished_at=at,
    )
